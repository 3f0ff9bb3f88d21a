"""The mailbox: a question is a file, its answer another, and what cannot be used is explained beside it."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from gm.base.errors import Awaited, WaitingError
from gm.files.layout import Layout
from gm.files.questions.mailbox import PostFolder, sweep_mailbox
from gm.files.questions.traces import NoTraces, TraceFolder
from gm.llm.asker import Asker, render_trace
from gm.llm.base import Answer, Block, Request
from gm.llm.identity import identity
from gm.llm.mailbox import Mailbox, letter_name
from gm.model.calendar import SceneRef
from tests.llm.postman import Postman

QUESTION = "state/mailbox/day-001-scene-02-vera.md"
ANSWER = "state/mailbox/day-001-scene-02-vera.answer.json"
PROBLEM = "state/mailbox/day-001-scene-02-vera.problem.md"
GOOD = '{"mood": "wach"}'


def moody(text: str) -> Sequence[str]:
    """Find fault with an answer that says nothing of a mood."""
    whole = not text.startswith("{") or text.rstrip().endswith("}")
    return () if "mood" in text and whole else ("mood: missing",)


VERA = Request(
    label="vera",
    purpose="scene",
    system=(Block("# Die Welt", cache=True), Block("# Du bist Vera Hollstein (`vera`)", cache=True)),
    messages=(("user", "Was tust du?"),),
    schema={"title": "SceneReply"},
    max_tokens=500,
    place="day-001/scene-02",
    who="vera",
    check=moody,
)


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return Layout(tmp_path)


@pytest.fixture
def mailbox(layout: Layout) -> Mailbox:
    return Mailbox(PostFolder(layout))


def awaited(mailbox: Mailbox, request: Request = VERA) -> Awaited:
    """Ask in vain, and see what is awaited."""
    with pytest.raises(WaitingError) as caught:
        mailbox.ask(request)
    assert caught.value.hint
    (item,) = caught.value.awaited
    return item


def write(layout: Layout, path: str, text: str) -> None:
    (layout.root / path).write_text(text, encoding="utf-8")


def files(layout: Layout) -> list[str]:
    return [name for name in Postman(layout.root).files() if name != ".gitignore"]


def test_a_question_says_who_is_asked_what_to_do_and_where_the_answer_goes(layout: Layout, mailbox: Mailbox) -> None:
    assert awaited(mailbox) == Awaited("vera", QUESTION, ANSWER)
    (letter,) = Postman(layout.root).letters()
    assert letter.front == {
        "for": "vera",
        "scene": "day-001/scene-02",
        "label": "vera",
        "answer": ANSWER,
        "identity": identity(VERA, mailbox),
    }
    assert f"`{ANSWER}`" in letter.text
    assert f"`{PROBLEM}`" in letter.text
    assert letter.prompt == "# Die Welt\n\n# Du bist Vera Hollstein (`vera`)\n\nWas tust du?\n"


def test_what_was_answered_before_stands_in_the_question(layout: Layout, mailbox: Mailbox) -> None:
    awaited(mailbox, replace(VERA, messages=(("user", "Und?"), ("assistant", "Nichts."), ("user", "Doch!"))))
    (letter,) = Postman(layout.root).letters()
    parts = letter.prompt.split("\n\n")
    assert parts[2:] == ["Und?", "# What was answered before", "Nichts.", "# The question goes on", "Doch!\n"]


def test_no_question_is_kept_in_git(layout: Layout, mailbox: Mailbox) -> None:
    awaited(mailbox)
    assert (layout.mailbox / ".gitignore").read_text(encoding="utf-8").endswith("\n*\n")


def test_a_question_that_lies_there_is_left_alone(layout: Layout, mailbox: Mailbox) -> None:
    awaited(mailbox)
    path = layout.root / QUESTION
    noted = path.read_text(encoding="utf-8") + "\nMeine Notiz dazu.\n"
    path.write_text(noted, encoding="utf-8")
    awaited(mailbox)
    assert path.read_text(encoding="utf-8") == noted
    assert files(layout) == [path.name]


@pytest.mark.parametrize("ending", [".json", ".yaml", ".yml", ".md", ".txt"])
def test_an_answer_is_taken_as_it_was_written(layout: Layout, mailbox: Mailbox, ending: str) -> None:
    awaited(mailbox)
    write(layout, ANSWER.replace(".json", ending), GOOD)
    assert mailbox.ask(VERA) == Answer(GOOD, "mailbox")


def test_a_mark_of_the_byte_order_is_no_part_of_an_answer(layout: Layout, mailbox: Mailbox) -> None:
    awaited(mailbox)
    (layout.root / ANSWER).write_bytes(GOOD.encode("utf-8-sig"))
    assert mailbox.ask(VERA).text == GOOD


@pytest.mark.parametrize("text", ["", " \n"])
def test_a_file_that_is_still_empty_is_no_answer(layout: Layout, mailbox: Mailbox, text: str) -> None:
    awaited(mailbox)
    write(layout, ANSWER, text)
    assert awaited(mailbox).problem == ""
    assert not (layout.root / PROBLEM).exists()


def test_an_answer_before_the_question_is_put_aside(layout: Layout, mailbox: Mailbox) -> None:
    layout.mailbox.mkdir(parents=True)
    write(layout, ANSWER, GOOD)
    awaited(mailbox)
    assert files(layout) == [
        "aside/day-001-scene-02-vera-1/day-001-scene-02-vera.answer.json",
        "day-001-scene-02-vera.md",
    ]


def test_an_answer_that_cannot_be_used_is_explained_until_it_can(layout: Layout, mailbox: Mailbox) -> None:
    awaited(mailbox)
    write(layout, ANSWER, GOOD[:9])
    assert awaited(mailbox) == Awaited("vera", QUESTION, ANSWER, PROBLEM)
    said = (layout.root / PROBLEM).read_text(encoding="utf-8")
    assert QUESTION in said
    assert ANSWER in said
    assert "- mood: missing\n" in said
    write(layout, ANSWER, GOOD)
    assert mailbox.ask(VERA).text == GOOD
    assert not (layout.root / PROBLEM).exists(), "there is no problem any more"


def test_of_two_answers_the_newer_one_counts(layout: Layout, mailbox: Mailbox) -> None:
    awaited(mailbox)
    write(layout, ANSWER, "half of an ans")
    awaited(mailbox)
    newer = layout.root / ANSWER.replace(".json", ".yaml")
    newer.write_text("mood: wach\ndone: true\n", encoding="utf-8")
    os.utime(layout.root / ANSWER, ns=(1, 1))
    assert mailbox.ask(VERA).text.startswith("mood: wach")


def test_yaml_that_may_have_been_saved_in_the_middle_is_not_taken(layout: Layout, mailbox: Mailbox) -> None:
    question = replace(VERA, schema={"title": "SceneReply", "properties": {"mood": {}, "done": {}}})
    awaited(mailbox, question)
    write(layout, ANSWER, "mood: wach\n")
    assert awaited(mailbox, question).problem == PROBLEM
    assert "- done: missing; an answer in YAML ends with it" in (layout.root / PROBLEM).read_text(encoding="utf-8")
    write(layout, ANSWER, "mood: wach\ndone: true\n")
    assert mailbox.ask(question).text.endswith("done: true\n")
    write(layout, ANSWER, '{"mood": "wach"}')
    assert mailbox.ask(question).text == '{"mood": "wach"}', "half of a JSON object is none"


def test_letters_of_a_scene_that_is_over_go_and_what_was_answered_is_kept(layout: Layout, mailbox: Mailbox) -> None:
    for name in ("emre", "vera"):
        awaited(mailbox, replace(VERA, label=name, who=name))
    write(layout, ANSWER, GOOD)
    box = PostFolder(layout)
    box.sweep(SceneRef(1, 1))
    assert len(files(layout)) == 3, "the scene has not been played yet"
    box.sweep(SceneRef(1, 2))
    assert files(layout) == [
        "aside/day-001-scene-02-vera-1/day-001-scene-02-vera.answer.json",
        "aside/day-001-scene-02-vera-1/day-001-scene-02-vera.md",
    ]


def test_another_question_of_this_name_sets_aside_what_lay_there(layout: Layout, mailbox: Mailbox) -> None:
    awaited(mailbox)
    write(layout, ANSWER, "{")
    awaited(mailbox)
    other = replace(VERA, messages=(("user", "Was tust du jetzt?"),))
    assert awaited(mailbox, other) == Awaited("vera", QUESTION, ANSWER)
    assert files(layout) == [
        "aside/day-001-scene-02-vera-1/day-001-scene-02-vera.answer.json",
        "aside/day-001-scene-02-vera-1/day-001-scene-02-vera.md",
        "aside/day-001-scene-02-vera-1/day-001-scene-02-vera.problem.md",
        "day-001-scene-02-vera.md",
    ]
    assert "Was tust du jetzt?" in (layout.root / QUESTION).read_text(encoding="utf-8")
    awaited(mailbox)
    assert "aside/day-001-scene-02-vera-2/day-001-scene-02-vera.md" in files(layout)


def test_a_question_without_its_head_is_written_again(layout: Layout, mailbox: Mailbox) -> None:
    awaited(mailbox)
    write(layout, QUESTION, "nur noch Text\n")
    write(layout, ANSWER, GOOD)
    assert awaited(mailbox).problem == ""
    assert "aside/day-001-scene-02-vera-1/day-001-scene-02-vera.md" in files(layout)


def test_everything_that_is_awaited_is_told_at_once(mailbox: Mailbox) -> None:
    names = ("emre", "nami", "vera")
    asker = Asker(mailbox, 3)
    with pytest.raises(WaitingError, match="3 answers are awaited") as caught:
        asker.ask_all([replace(VERA, label=name, who=name) for name in names], [NoTraces()] * 3)
    asker.close()
    assert [item.who for item in caught.value.awaited] == list(names)


def test_letters_of_one_scene_have_names_of_their_own() -> None:
    labels = ("vera", "vera-turn-2", "emre")
    assert len({letter_name(replace(VERA, label=label)) for label in labels}) == 3


def test_letters_are_taken_away_once_the_answer_lies_in_the_traces(layout: Layout, mailbox: Mailbox) -> None:
    emre = replace(VERA, label="emre", who="emre")
    for request in (VERA, emre):
        awaited(mailbox, request)
    write(layout, ANSWER, "{")
    awaited(mailbox)
    write(layout, ANSWER, GOOD)
    write(layout, "state/mailbox/notes.md", "Was ich mir merke.\n")
    sweep_mailbox(layout)
    assert len(files(layout)) == 5
    traces = TraceFolder(layout.traces, VERA.place)
    answer = mailbox.ask(VERA)
    traces.reserve("vera", identity(VERA, mailbox), 1000)
    traces.keep("vera", identity(VERA, mailbox), render_trace(VERA, answer, reads_facts=False))
    sweep_mailbox(layout)
    assert files(layout) == ["day-001-scene-02-emre.md", "notes.md"]


@pytest.mark.parametrize(
    "head",
    ["scene: ../../..\nlabel: vera", "scene: day-001/scene-02\nlabel: ../../vera", "scene: [1]\nlabel: {a: 1}", ": ["],
)
def test_a_made_up_letter_leads_nowhere(layout: Layout, mailbox: Mailbox, head: str) -> None:
    awaited(mailbox)
    write(layout, "state/mailbox/made-up.md", f"---\n{head}\nidentity: x\n---\nHallo?\n")
    sweep_mailbox(layout)
    assert files(layout) == ["day-001-scene-02-vera.md", "made-up.md"]


def test_half_a_character_in_a_prompt_does_not_stop_the_letter(layout: Layout, mailbox: Mailbox) -> None:
    awaited(mailbox, replace(VERA, messages=(("user", "Was \ud83d tust du?"),)))
    assert json.dumps(files(layout)) == '["day-001-scene-02-vera.md"]'


@pytest.mark.parametrize("data", [b"\xff\xfe\xfd", b"\x00" * 50, b"[" * 100_000, b"*" * 100_000, "{}".encode("utf-16")])
def test_an_answer_of_bytes_that_are_no_answer_is_explained(data: bytes, layout: Layout, mailbox: Mailbox) -> None:
    awaited(mailbox)
    (layout.root / ANSWER).write_bytes(data)
    assert awaited(mailbox).problem
    write(layout, ANSWER, GOOD)
    assert mailbox.ask(VERA).text == GOOD


def test_folders_where_letters_or_answers_are_expected_are_left_alone(layout: Layout, mailbox: Mailbox) -> None:
    (layout.mailbox / "day-001-scene-02-nami.md").mkdir(parents=True)
    awaited(mailbox)
    (layout.root / ANSWER).mkdir()
    assert awaited(mailbox).problem == ""
    sweep_mailbox(layout)
    assert (layout.mailbox / "day-001-scene-02-nami.md").is_dir()
    (layout.root / ANSWER).rmdir()
    write(layout, ANSWER, GOOD)
    assert mailbox.ask(VERA).text == GOOD


@pytest.mark.parametrize("head", ["identity: 0x" + "F" * 5000, "identity: " + "[" * 5000, "identity: !!bool maybe"])
def test_a_head_that_cannot_be_read_is_that_of_no_letter(head: str, layout: Layout, mailbox: Mailbox) -> None:
    awaited(mailbox)
    write(layout, "state/mailbox/made-up.md", f"---\n{head}\n---\nHallo?\n")
    sweep_mailbox(layout)
    assert "made-up.md" in files(layout)
