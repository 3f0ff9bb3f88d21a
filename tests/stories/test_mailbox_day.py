"""A day answered from nothing but the files in the mailbox."""

from __future__ import annotations

import itertools
import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gm.files.layout import Layout
from gm.model.scene import SUMMARY
from tests.cli.running import Outcome, Run
from tests.llm.postman import ENDINGS, Letter, Postman, as_json
from tests.llm.reader import compose
from tests.stories.playing import records, set_sections

DONE, WAITING = 0, 75
MOST_RUNS = 60
KILLED_AT = (2, 9, 17, 26, 40)


@pytest.fixture
def world(dinner: Layout) -> Layout:
    """The dinner, with few scenes."""
    set_sections(dinner.settings, "day: {scenes: [1, 2]}")
    return dinner


@pytest.fixture
def postman(world: Layout) -> Postman:
    return Postman(world.root)


def advance(run: Run, world: Layout) -> Outcome:
    return run("advance-day", "-w", world.root, "--model", "mailbox")


def runs(run: Run, world: Layout) -> Iterator[Outcome]:
    """Run the same command until the day is done."""
    for _ in range(MOST_RUNS):
        outcome = advance(run, world)
        yield outcome
        if outcome.code == DONE:
            return
        assert outcome.code == WAITING, outcome.err
    pytest.fail("the day does not end")


def assert_day_is_done(world: Layout, postman: Postman) -> None:
    assert records(world.day_log(1))[-1]["type"] == SUMMARY
    assert postman.files() == [".gitignore"]
    assert len(set(postman.read)) == len(postman.read), "a question was asked twice"


def test_a_day_is_played_letter_by_letter(world: Layout, postman: Postman, run: Run) -> None:
    for outcome in runs(run, world):
        if outcome.code == WAITING:
            letters = postman.letters()
            assert letters
            for letter in letters:
                assert letter.path.name in outcome.err or f"{len(letters)} answer" in outcome.err
            assert postman.answer_all() == len(letters)
    assert_day_is_done(world, postman)
    assert run("check", "-w", world.root, "--json").document["problems"] == []
    said = [line["text"] for entry in records(world.day_log(1)) for line in entry.get("dialogue", ())]
    assert any("Übrigens: größer" in text for text in said)


def test_answers_come_in_every_form(world: Layout, postman: Postman, run: Run) -> None:
    forms = itertools.cycle(ENDINGS)
    for outcome in runs(run, world):
        if outcome.code == WAITING:
            for letter in postman.letters():
                postman.answer(letter, next(forms))
    assert_day_is_done(world, postman)
    assert len(postman.read) >= len(ENDINGS)


def test_nothing_is_taken_until_all_of_a_round_have_answered(world: Layout, postman: Postman, run: Run) -> None:
    advance(run, world)
    letters = postman.letters()
    assert len(letters) == 3
    for number, letter in enumerate(letters):
        postman.answer(letter)
        outcome = advance(run, world)
        assert outcome.code == WAITING
        if number < 2:
            assert len(postman.letters()) == 2 - number
            assert not world.logbook.exists()
    assert len(records(world.day_log(1))) == 1


def spoiled(letter: Letter, number: int) -> str:
    """An answer that is half written, or misunderstands its question."""
    good = compose(letter.prompt)
    if number % 4 == 0:
        return as_json(good)[: len(as_json(good)) // 2]
    if number % 4 == 1:
        return "Alex kommt herein und schweigt."
    if number % 4 == 2:
        return json.dumps({**good, "memories": [{"type": "observation", "description": "x", "importance": 11}]})
    return json.dumps([good, good])[1:-30]


def test_a_bad_answer_is_explained_corrected_and_asked_for_nowhere_else(
    world: Layout, postman: Postman, run: Run
) -> None:
    number = itertools.count()
    explained = 0
    for outcome in runs(run, world):
        if outcome.code != WAITING:
            break
        problems = sorted(postman.folder.glob("*.problem.md"))
        for problem in problems:
            explained += 1
            said = problem.read_text(encoding="utf-8")
            stem = problem.name.removesuffix(".problem.md")
            letter = problem.with_name(f"{stem}.md")
            answer = problem.with_name(f"{stem}.answer.json")
            assert f"state/mailbox/{answer.name}" in said
            assert said.count("\n- ") >= 1
            _, _, text = letter.read_text(encoding="utf-8").split("---\n", 2)
            answer.write_text(as_json(compose(Letter(letter, {}, text).prompt)), encoding="utf-8")
        for letter_there in postman.letters():
            postman.answer(letter_there).write_text(spoiled(letter_there, next(number)), encoding="utf-8")
    assert explained >= 4
    assert_day_is_done(world, postman)


def killed(world: Layout, step: int) -> int:
    """Run the command in a process of its own that is killed at a durable step."""
    arguments = ["advance-day", "-w", str(world.root), "--model", "mailbox"]
    command = [sys.executable, "-m", "tests.stories.killed", str(step), *arguments]
    root = Path(__file__).parents[2]
    return subprocess.run(command, cwd=root, capture_output=True, timeout=120).returncode


@pytest.mark.soak
def test_kills_on_the_way_lose_nothing_and_ask_nothing_twice(world: Layout, postman: Postman, run: Run) -> None:
    steps = iter(KILLED_AT)
    deaths = 0
    for outcome in runs(run, world):
        if outcome.code == WAITING:
            # once in a round the answers are there and the command dies while it takes them
            postman.answer_all()
            deaths += killed(world, next(steps, 10_000)) == -signal.SIGKILL if deaths < len(KILLED_AT) else 0
    assert deaths >= 3
    assert_day_is_done(world, postman)
    assert run("check", "-w", world.root, "--json").document["problems"] == []


@pytest.mark.soak
def test_the_day_comes_out_the_same_as_without_the_kills(
    world: Layout, postman: Postman, run: Run, tmp_path: Path
) -> None:
    copy = Layout(tmp_path / "copy")
    subprocess.run(["cp", "-r", str(world.root), str(copy.root)], check=True)
    other = Postman(copy.root)
    for outcome in runs(run, world):
        if outcome.code == WAITING:
            postman.answer_all()
    for step, outcome in enumerate(runs(run, copy)):
        if outcome.code == WAITING:
            other.answer_all()
            if step < 2:
                assert killed(copy, 12) == -signal.SIGKILL
    for name in ("state/memories", "state/agents", "state/logbook", "gallery"):
        ours, theirs = (sorted((layout.root / name).rglob("*")) for layout in (world, copy))
        assert [path.name for path in ours] == [path.name for path in theirs]
        files = [(one, two) for one, two in zip(ours, theirs, strict=True) if one.is_file()]
        assert [one.name for one, two in files if one.read_bytes() != two.read_bytes()] == []


def test_a_question_that_changed_meanwhile_is_laid_out_anew(world: Layout, postman: Postman, run: Run) -> None:
    assert advance(run, world).code == WAITING
    first = {letter.path.name: letter.front["identity"] for letter in postman.letters()}
    postman.answer_all()
    persona = world.persona("alex")
    persona.write_text(persona.read_text(encoding="utf-8") + "\nAlex limps since yesterday.\n", encoding="utf-8")
    assert advance(run, world).code == WAITING
    (letter,) = postman.letters()
    assert letter.front["for"] == "alex"
    assert letter.front["identity"] != first[letter.path.name]
    assert "limps since yesterday" in letter.prompt
    aside = [name for name in postman.files() if name.startswith("aside/")]
    assert len(aside) == 2
    for outcome in runs(run, world):
        if outcome.code == WAITING:
            postman.answer_all()
    assert [name for name in postman.files() if name != ".gitignore"] == aside
    assert len(set(postman.read)) == len(postman.read)


def test_an_answer_that_a_run_does_not_take_is_named_and_kept(world: Layout, postman: Postman, run: Run) -> None:
    assert run("advance-day", "-w", world.root, "--as", "alex").code == WAITING
    (letter,) = postman.letters()
    postman.answer_all()
    outcome = run("advance-day", "-w", world.root)
    assert outcome.code == DONE
    assert (
        f"the answer to {letter.path.stem} in state/mailbox is not used, as rehearsal answers for alex" in outcome.err
    )
    aside = f"state/mailbox/aside/{letter.path.stem}-1"
    assert f"no question took an answer of the mailbox; it is kept in {aside}" in outcome.err
    assert (world.root / aside / f"{letter.path.stem}.answer.json").is_file()


def test_an_answer_that_cannot_be_read_stops_no_run_that_does_not_ask_for_it(world: Layout, run: Run) -> None:
    assert run("advance-day", "-w", world.root, "--as", "alex").code == WAITING
    (letter,) = Postman(world.root).letters()
    (letter.path.parent / f"{letter.path.stem}.answer.json").symlink_to("/etc/passwd")
    (listed,) = run("mailbox", "list", "-w", world.root, "--json").document["letters"]
    outcome = run("scene", "work", "--with", "casey", "-w", world.root)
    assert (outcome.code, f"{letter.path.stem}.answer.json cannot be read" in outcome.err) == (DONE, True)
    assert (listed["answered"], listed["problem"]) == (False, True)
