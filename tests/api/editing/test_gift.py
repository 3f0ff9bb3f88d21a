"""``gm gift`` writes what characters begin with, and only what changed."""

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from gm.api.editing.check.whole import check_world
from gm.api.editing.gift import give_memories
from gm.base.errors import BrokenWorldError, LockedError, UsageError
from gm.files.commits.lock import locked
from gm.files.layout import Layout
from gm.files.story.now import load_persona
from gm.memory.recall.words import split_sentences
from tests.cli.running import Run
from tests.handmade import fingerprint


def test_everybody_is_given_memories_in_less_than_a_second(studio: Layout) -> None:
    began = time.monotonic()
    document, notes = give_memories(studio)
    assert time.monotonic() - began < 1
    assert notes == []
    assert [file.path for file in document.files][:2] == [
        "state/gifted/_world.jsonl",
        "state/gifted/darius.jsonl",
    ]
    assert all(file.memories == len(file.added) > 10 for file in document.files)
    assert check_world(studio).problems == ()


def test_nothing_else_in_the_world_changes_and_a_second_time_nothing_at_all(studio: Layout) -> None:
    before = fingerprint(studio.root)
    give_memories(studio)
    after = fingerprint(studio.root)
    new = {path for path in after if path not in before and ".gm" not in str(path)}
    assert {Path(path).parent.name for path in new} == {"gifted"}
    assert {path: after[path] for path in before} == before
    document, _ = give_memories(studio)
    assert not any((*file.added, *file.changed, *file.removed) for file in document.files)
    assert fingerprint(studio.root) == after


def test_a_changed_persona_changes_its_lines_and_hand_written_ones_stay_to_the_byte(studio: Layout) -> None:
    give_memories(studio)
    path = studio.gifted("vera")
    own = (
        '{"metadata": {},  "id":"vera-900", "created":"day-000/scene-00","type":"observation","depth":0,'
        '"description":"Eigenes.", "importance":5.0,"tags":[],"evidence":[]}\r\n'
    )
    first, *rest = path.read_text(encoding="utf-8").splitlines(keepends=True)
    edited = rest[1].replace('"importance": 8', '"importance": 3')
    path.write_text("".join([first, own, rest[0], edited, *rest[2:]]), encoding="utf-8", newline="")
    persona = studio.persona("vera").read_text(encoding="utf-8")
    studio.persona("vera").write_text(persona.replace("Concept Artist", "Malerin"), encoding="utf-8")
    document, _ = give_memories(studio, ["vera"])
    (file,) = [file for file in document.files if file.agent == "vera"]
    assert (file.added, file.changed, file.removed) == ((), ("vera-001",), ())
    assert file.edited_by_hand == ("vera-003",)
    lines = path.read_bytes().decode().split("\n")
    assert "Malerin" in lines[0]
    assert lines[1] + "\n" == own
    assert lines[3] + "\n" == edited


def test_a_persona_that_was_edited_since_is_told_by_check_and_status_until_it_is_given_again(
    studio: Layout, run: Run
) -> None:
    give_memories(studio)
    assert check_world(studio).problems == ()
    assert run("status", "-w", studio.root, "--json").document["stale_gifts"] == []
    path = studio.gifted("vera")
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    edited = lines[3].replace('"importance": 8', '"importance": 3')
    path.write_text("".join([*lines[:3], edited, *lines[4:]]), encoding="utf-8")
    persona = studio.persona("vera").read_text(encoding="utf-8")
    studio.persona("vera").write_text(persona.replace("Concept Artist", "Malerin"), encoding="utf-8")
    os.utime(studio.persona("vera"), (time.time() + 5, time.time() + 5))
    problems = check_world(studio).problems
    assert {problem.code for problem in problems} == {"gifted-stale"}
    (own,) = [problem for problem in problems if problem.path == "state/gifted/vera.jsonl"]
    assert (own.severity, own.line) == ("info", 1)
    assert own.message == "seed memories are out of date: 1 would change"
    assert "gm gift" in own.hint
    assert len(problems) > 1, "the others know what she is by sight"
    told = run("status", "-w", studio.root)
    assert "these seed memories were made" in told.out
    assert "state/gifted/vera.jsonl" in told.out
    number = len(lines)
    give_memories(studio)
    renewed = path.read_text(encoding="utf-8").splitlines(keepends=True)
    assert len(renewed) == number
    assert "Malerin" in renewed[0]
    assert renewed[3] == edited
    assert check_world(studio).problems == ()
    assert run("status", "-w", studio.root, "--json").document["stale_gifts"] == []


def test_files_that_cannot_be_compared_are_reported_by_their_own_rules_alone(studio: Layout) -> None:
    give_memories(studio, ["vera"])
    assert check_world(studio).problems == (), "the others have none yet, which is no fault"
    studio.persona("vera").write_text("---\nname: [\n---\n", encoding="utf-8")
    assert not [problem for problem in check_world(studio).problems if problem.code == "gifted-stale"]


def test_no_character_is_given_what_is_private_of_another(studio: Layout) -> None:
    give_memories(studio)
    given = {name: studio.gifted(name).read_text(encoding="utf-8") for name in studio.agent_names()}
    for name in given:
        persona = load_persona(studio, name)[0]
        assert persona is not None
        front: Any = persona.front
        private = [*split_sentences(" ".join(persona.prose.split())), front["wish"], front["decision_style"]]
        private += [*front["friends"].values(), *front["quarrels"].values(), *front["thoughts"], *front["values"]]
        for other in given.keys() - {name}:
            assert not [text for text in private if len(text) > 20 and text in given[other]], (name, other)


def test_a_dry_run_tells_and_writes_nothing(studio: Layout, run: Run) -> None:
    before = fingerprint(studio.root)
    outcome = run("gift", "-w", studio.root, "vera", "--dry-run", "--json")
    assert outcome.code == 0
    assert (outcome.document["written"], len(outcome.document["files"])) == (False, 2)
    assert fingerprint(studio.root) == before


def test_the_stream_stays_what_was_lived(played: Layout) -> None:
    before = {name: played.stream(name).read_bytes() for name in played.agent_names()}
    give_memories(played)
    assert {name: played.stream(name).read_bytes() for name in played.agent_names()} == before


def test_a_broken_line_stops_it_with_its_place(studio: Layout, run: Run) -> None:
    give_memories(studio)
    with studio.gifted("vera").open("a", encoding="utf-8") as file:
        file.write('{"id": "vera-100"\n')
    with pytest.raises(BrokenWorldError):
        give_memories(studio)
    assert "state/gifted/vera.jsonl:" in run("gift", "-w", studio.root).err


def test_check_reads_gifted_memories_as_memories(studio: Layout) -> None:
    give_memories(studio)
    text = studio.gifted("_world").read_text(encoding="utf-8")
    studio.gifted("_world").write_text(text.replace('"importance": 6', '"importance": 60', 1), encoding="utf-8")
    (problem,) = check_world(studio).problems
    assert (problem.code, problem.path, problem.line) == ("importance-range", "state/gifted/_world.jsonl", 1)


def test_no_other_character_is_given_anything(studio: Layout) -> None:
    with pytest.raises(UsageError, match="nobody here is called 'zoe'"):
        give_memories(studio, ["zoe"])


def test_another_writer_is_waited_for_by_the_user(studio: Layout) -> None:
    with locked(studio.lock, "gm advance-day"), pytest.raises(LockedError):
        give_memories(studio)


def test_lessons_of_the_settings_are_given_to_all(dinner: Layout) -> None:
    with dinner.settings.open("a", encoding="utf-8") as file:
        file.write('seeds:\n  lessons: ["Ask before you cook."]\n')
    give_memories(dinner)
    nodes = [json.loads(line) for line in dinner.gifted("_world").read_text(encoding="utf-8").splitlines()]
    (lesson,) = [node for node in nodes if node["metadata"]["type"] == "lesson"]
    assert (lesson["description"], lesson["metadata"]["preseeded"]) == ("Ask before you cook.", True)
