"""Days in which a person plays one character, and the rehearsal all others."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gm.api.playing.mailbox import answer_letter
from gm.api.reports.cost import describe_cost
from gm.api.worlds.parts import Guest, invite
from gm.base.config import Settings
from gm.base.errors import UsageError
from gm.files.layout import Layout
from gm.files.load import load_world
from gm.files.questions.traces import TraceReader
from gm.model.scene import SUMMARY
from tests.cli.running import Outcome, Run
from tests.stories.person import SAYS, Person, filled_in
from tests.stories.playing import records, set_sections

DONE, WAITING = 0, 75
MOST_RUNS = 60


@pytest.fixture
def world(dinner: Layout) -> Layout:
    """The dinner, with few scenes."""
    set_sections(dinner.settings, "day: {scenes: [2, 3]}\ndiary: on\n")
    return dinner


def play_by_hand(run: Run, person: Person, *more: str, command: str = "advance-day") -> Iterator[Outcome]:
    """Run the same command until it is done; the person answers in between."""
    for _ in range(MOST_RUNS):
        outcome = run(command, "-w", person.layout.root, "--model", "rehearsal", *more)
        yield outcome
        if outcome.code == DONE:
            return
        assert outcome.code == WAITING, outcome.err
        assert person.answer_all()
    pytest.fail("the day does not end")


def backends(layout: Layout, who: str) -> set[str]:
    """Return who answered for a character on the first day."""
    traces = TraceReader(layout.traces, layout.asks)
    return {str(kept.record["backend"]) for kept in traces.of_day(1) if kept.record.get("who") == who}


def test_one_character_is_played_by_hand_and_the_others_are_rehearsed(world: Layout, run: Run) -> None:
    person = Person(world)
    outcomes = list(play_by_hand(run, person, "--as", "alex"))
    assert outcomes[-1].code == DONE
    assert {name for name, _ in person.read} >= {"day-001-scene-01-alex", "day-001-alex-diary"}
    assert len(set(person.read)) == len(person.read), "a question was asked twice"
    assert backends(world, "alex") == {"mailbox"}
    assert backends(world, "jordan") == backends(world, "casey") == {"rehearsal"}
    said = [line["text"] for entry in records(world.day_log(1)) for line in entry.get("dialogue", ())]
    assert SAYS in said
    assert len(set(said)) > 1
    found = run("check", "-w", world.root, "--json").document["problems"]
    assert [problem for problem in found if problem["severity"] != "info"] == []
    assert not person.open()
    calls = describe_cost(TraceReader(world.traces, world.asks), Settings()).totals
    assert calls.usd == 0


def test_one_scene_is_played_by_hand(world: Layout, run: Run) -> None:
    person = Person(world)
    *_, last = play_by_hand(run, person, "encounter", "--with", "alex,casey", "--as", "alex", command="scene")
    assert (last.code, backends(world, "alex"), backends(world, "casey")) == (DONE, {"mailbox"}, {"rehearsal"})
    (scene,) = records(world.day_log(1))
    assert (scene["type"], scene["participants"]) == ("ENCOUNTER", ["alex", "casey"])
    assert SAYS in last.out
    assert "thinks:" not in last.out


def test_a_persona_says_that_a_person_plays_it_in_every_run(world: Layout, run: Run) -> None:
    persona = world.persona("alex")
    text = persona.read_text(encoding="utf-8")
    persona.write_text(text.replace("---\n", "---\nmodel: mailbox\n", 1), encoding="utf-8")
    person = Person(world)
    list(play_by_hand(run, person))
    assert backends(world, "alex") == {"mailbox"}
    assert backends(world, "casey") == {"rehearsal"}


def test_a_day_that_was_played_by_hand_is_replayed_without_the_person(world: Layout, run: Run, tmp_path: Path) -> None:
    again = Layout(tmp_path / "again")
    shutil.copytree(world.root, again.root)
    list(play_by_hand(run, Person(world), "--as", "alex"))
    shutil.copytree(world.traces, again.traces)
    assert run("advance-day", "-w", again.root, "--model", "replay", "--as", "alex").code == DONE
    assert again.day_log(1).read_bytes() == world.day_log(1).read_bytes()
    assert again.stream("alex").read_bytes() == world.stream("alex").read_bytes()


def test_a_forecast_counts_no_calls_of_a_person_and_waits_for_no_answer(world: Layout, run: Run) -> None:
    every = run("advance-day", "-w", world.root, "--model", "rehearsal", "--dry-run", "--json").document
    fewer = run("advance-day", "-w", world.root, "--model", "rehearsal", "--dry-run", "--json", "--as", "alex").document
    assert 0 < fewer["totals"]["calls"] < every["totals"]["calls"]
    assert not world.mailbox.exists()


def test_a_budget_of_dollars_does_not_count_what_a_person_answers(world: Layout, run: Run) -> None:
    set_sections(world.settings, "budget: {day_usd: 1.0, calls: 200}\n")
    outcomes = list(play_by_hand(run, Person(world), "--as", "alex"))
    assert outcomes[-1].code == DONE


def test_a_run_that_is_killed_while_it_waits_asks_nothing_twice(world: Layout, run: Run) -> None:
    person = Person(world)
    command = [sys.executable, "-m", "gm", "advance-day", "-w", str(world.root), "--model", "rehearsal", "--as", "alex"]
    for _ in range(2):
        with subprocess.Popen([*command, "--watch"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            assert process.stderr is not None
            while b"waiting for alex" not in process.stderr.readline():
                assert process.poll() is None
            process.send_signal(signal.SIGKILL)
        person.answer_all()
    list(play_by_hand(run, person, "--as", "alex"))
    assert len(set(person.read)) == len(person.read)
    assert records(world.day_log(1))[-1]["type"] == SUMMARY


def test_an_answer_that_the_run_refuses_is_explained_and_can_be_given_anew(world: Layout, run: Run) -> None:
    run("advance-day", "-w", world.root, "--model", "rehearsal", "--as", "alex")
    person = Person(world)
    (letter,) = person.open()
    (world.mailbox / f"{letter.name}.answer.json").write_text('{"mood": "calm"}', encoding="utf-8")
    assert run("advance-day", "-w", world.root, "--model", "rehearsal", "--as", "alex").code == WAITING
    (letter,) = person.open()
    assert "plan" in letter.problem
    answer_letter(world, letter, filled_in(letter))
    assert not person.open()


def test_an_unknown_name_is_refused_before_anything_is_asked(world: Layout, run: Run) -> None:
    outcome = run("advance-day", "-w", world.root, "--model", "rehearsal", "--as", "nobody")
    assert outcome.code == 2
    assert "nobody here is called 'nobody'" in outcome.err
    assert not world.logbook.exists()


def test_a_guest_is_there_on_one_day_and_is_played_by_a_person(world: Layout, run: Run) -> None:
    name = invite(
        world, Guest("Mira Sol", "You are Mira, the neighbour from below, and you have come for your ladder.")
    )
    person = Person(world)
    list(play_by_hand(run, person))
    assert {letter.partition("-scene")[0] for letter, _ in person.read} >= {"day-001"}
    assert backends(world, name) == {"mailbox"}
    there = [entry for entry in records(world.day_log(1)) if name in entry.get("participants", ())]
    assert there
    count = len(person.read)
    assert run("advance-day", "-w", world.root, "--model", "rehearsal").code == DONE
    assert len(person.read) == count
    assert not any(name in entry.get("participants", ()) for entry in records(world.day_log(2)))
    asked = "".join(path.read_text(encoding="utf-8") for path in (world.traces / "day-002").rglob("alex*.json"))
    assert f"`{name}`: Mira Sol" not in asked
    assert load_world(world).world.agents[name].stream


def test_a_guest_cannot_come_yesterday_nor_twice(world: Layout, run: Run) -> None:
    invite(world, Guest("Mira Sol", "You are Mira."))
    with pytest.raises(UsageError, match="already"):
        invite(world, Guest("Mira Sol", "You are Mira."))
    with pytest.raises(UsageError, match="over"):
        invite(world, Guest("Ben", "You are Ben.", day=0))
    with pytest.raises(UsageError, match="no place"):
        invite(world, Guest("Ben", "You are Ben.", place="moon"))
    assert sorted(path.stem for path in world.personas.glob("*.md")) == ["alex", "casey", "jordan", "mira-sol"]
