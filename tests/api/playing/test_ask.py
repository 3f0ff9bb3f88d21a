"""Asking a character out of scene."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from gm.api.answers.document import as_json
from gm.api.editing.check.whole import check_world
from gm.api.playing.ask import CharacterQuestion, ask_character
from gm.api.reports.cost import describe_cost
from gm.api.reports.status import describe_status
from gm.base.errors import (
    BackendError,
    BrokenWorldError,
    BudgetError,
    LockedError,
    ReplyError,
    UsageError,
    WaitingError,
)
from gm.files.commits.writer import writing
from gm.files.layout import Layout
from gm.files.load import load_world
from gm.files.questions.mailbox import PostFolder
from gm.files.questions.traces import TraceReader
from gm.llm.base import Backend, Block, Request, Surroundings
from gm.llm.choose import Choice
from gm.llm.mailbox import make
from gm.llm.rehearsal.backend import Rehearsal
from gm.memory.reflect import sum_importance
from gm.model.scene import Scene
from gm.play.care import last_ref
from gm.play.stage import Stage
from gm.scene.directing.scenes import arrival_scene
from gm.scene.folding.advance import advance
from gm.scene.planning.schedule import open_day
from tests.handmade import BROKEN_BULLETIN, make_handmade
from tests.stories.playing import Counting, Heard, Scripted, edit, play, play_with, records

WHY = "What would you throw away?"


def ask(
    layout: Layout, backend: Backend | None = None, text: str = WHY, who: str = "vera", **others: Any
) -> dict[str, Any]:
    choice = Choice(backend or Rehearsal(), "a test")
    document: dict[str, Any] = as_json(
        ask_character(layout, choice, CharacterQuestion(who, text, **others), lambda _line: None)
    )
    return document


def digest(layout: Layout) -> dict[str, str]:
    """Hash every file of a world, those in ``.gm`` included, without the index of words, in which a question looks."""
    return {
        path.relative_to(layout.root).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(layout.root.rglob("*"))
        if path.is_file() and not path.name.startswith(layout.lexical.name)
    }


@pytest.mark.parametrize("day", ["new", "played", "open"])
def test_asking_changes_no_file_and_opens_no_day(studio: Layout, played: Layout, day: str) -> None:
    layout = studio if day == "new" else played
    if day == "open":
        edit(layout.world, {"day_open": True, "time_of_day": "noon"})
    before = digest(layout)
    document = ask(layout)
    assert document["answer"]
    assert document["remembered"] is None
    after = digest(layout)
    assert {path: after.get(path) for path in before} == before
    made = set(after) - set(before)
    assert made
    assert all(path.startswith("state/.gm/asks/") for path in made)


def test_the_same_question_is_not_paid_twice_and_another_one_is(played: Layout) -> None:
    backend = Counting()
    first = ask(played, backend)
    assert ask(played, backend) == first
    assert len(backend.asked) == 1
    ask(played, backend, "And why?")
    ask(played, backend, author="Somebody")
    ask(played, backend, who="Emre")
    assert len(backend.asked) == 4
    play(played)
    ask(played, backend)
    assert len(backend.asked) == 5, "after a day it is another question"


def next_system(layout: Layout, name: str) -> tuple[Any, ...]:
    """What a scene that the character plays next would begin with."""
    found: list[tuple[Any, ...]] = []

    def look(master: Any) -> None:
        world = master.world
        opened = world if world.clock.day_open else advance(world, open_day(world))
        scene: Scene = arrival_scene(opened, master.table.live.prompts.words)
        stage: Stage = master.table.make_stage()
        request = stage.question(opened, scene, name, stage.contexts.first_turn(opened, scene, name)).request
        found.append((request.system, request.schema, request.model))

    play_with(layout, Rehearsal(), Heard(), look)
    return found[0]


def without_plans(block: Block) -> list[str]:
    """Leave out plans and what is left of them: memories of these stand only where the question does not list them."""
    return [
        line
        for line in block.text.splitlines()
        if "· Vorsatz ·" not in line and "stand noch auf meinem Plan" not in line
    ]


@pytest.mark.parametrize("is_open", [False, True])
def test_persona_and_memories_stand_as_in_a_question_of_a_scene(played: Layout, is_open: bool) -> None:
    edit(played.world, {"day_open": is_open})
    backend = Counting()
    ask(played, backend)
    (request,) = backend.asked
    system, schema, model = next_system(played, "vera")
    assert [without_plans(block) for block in request.system[1:]] == [without_plans(block) for block in system[1:]]
    assert request.model == model
    assert request.schema != schema
    assert "# Form der Antwort" in system[0].text
    assert "# Form der Antwort" not in request.system[0].text
    assert (request.purpose, request.who) == ("scene", "vera")
    assert "Creative Director hat eine Frage an dich" in request.messages[0][1]
    assert f"> {WHY}" in request.messages[0][1]


def test_who_has_no_memories_answers_too(studio: Layout, tmp_path: Path) -> None:
    studio.stream("vera").unlink()
    assert ask(studio)["answer"]
    handmade = make_handmade(tmp_path / "other")
    handmade.stream("ole").unlink()
    assert ask(handmade, who="Ole")["answer"]


def test_an_unknown_name_and_an_empty_text_are_refused_before_any_question(studio: Layout) -> None:
    backend = Counting()
    before = digest(studio)
    with pytest.raises(UsageError, match="nobody here is called 'bob'"):
        ask(studio, backend, who="bob")
    with pytest.raises(UsageError, match="there is no text"):
        ask(studio, backend, "  ")
    assert not backend.asked
    assert digest(studio) == before


def test_the_rehearsal_answers_in_character(studio: Layout) -> None:
    said = {who: " ".join(ask(studio, who=who)["answer"]) for who in studio.agent_names()}
    assert len(set(said.values())) == len(said) == 7
    assert all(len(text) > 20 for text in said.values())


def test_remembering_adds_one_memory_and_its_weight(played: Layout) -> None:
    before = digest(played)
    old = load_world(played).world
    backend = Counting()
    ask(played, backend)
    document = ask(played, backend, remember=True)
    assert len(backend.asked) == 1, "the question is the same, whether it is remembered or not"
    now = load_world(played).world
    kept = now.agents["vera"].stream[len(old.agents["vera"].stream) :]
    assert [(item.type, item.created) for item in kept] == [("conversation", str(last_ref(old)))]
    assert document["remembered"]["id"] == kept[0].id
    assert WHY in kept[0].description
    assert kept[0].description.startswith("Creative Director hat mich gefragt: »")
    exchange = kept[0].metadata["exchange"]
    assert isinstance(exchange, list)
    assert exchange[0] == {"agent": "Creative Director", "text": WHY}
    state = now.agents["vera"].state
    assert state.importance_accumulator == old.agents["vera"].state.importance_accumulator + kept[0].importance
    assert state.importance_accumulator == sum_importance(now.agents["vera"].stream, state.last_reflection)
    after = digest(played)
    changed = {path for path in before if after[path] != before[path] and not path.startswith("state/.gm/")}
    assert changed == {"state/memories/vera.jsonl", "state/agents/vera.json"}
    assert check_world(played).problems == (), "no logbook has to list it"


def test_the_same_command_again_remembers_it_once(studio: Layout) -> None:
    backend = Counting()
    first = ask(studio, backend, remember=True)
    again = ask(studio, backend, remember=True)
    assert len(backend.asked) == 1
    assert again["answer"] == first["answer"]
    assert again["remembered"]["id"] == first["remembered"]["id"] == "vera-001"
    (line,) = records(studio.stream("vera"))
    assert line["created"] == "day-000/scene-01"


def test_a_kill_between_answer_and_memory_costs_nothing(played: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    backend = Counting()

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("gm.files.commits.writer.Writer.commit", die)
        with pytest.raises(KeyboardInterrupt):
            ask(played, backend, remember=True)
    assert ask(played, backend, remember=True)["remembered"]
    assert len(backend.asked) == 1


def test_remembering_waits_for_the_lock_and_asking_does_not(played: Layout) -> None:
    backend = Counting()
    with writing(played, "a test"):
        with pytest.raises(LockedError):
            ask(played, backend, remember=True)
        assert not backend.asked
        assert ask(played, backend)["answer"]


def test_what_was_remembered_is_known_the_next_day(dinner: Layout) -> None:
    name = dinner.agent_names()[0]
    ask(dinner, who=name, remember=True)
    backend = Counting()
    play(dinner, backend=backend)
    assert any(WHY in block.text for request in backend.asked if request.who == name for block in request.system)


def test_nothing_else_of_a_reply_reaches_the_world(played: Layout) -> None:
    def overdo(_request: Request, reply: dict[str, Any]) -> dict[str, Any]:
        return reply | {
            "mood": "transformed",
            "go_to": "kontor",
            "current_task": "everything",
            "memories": [{"type": "observation", "description": "I was asked.", "importance": 9}],
            "artifact": {"title": "T", "kind": "writing", "description": "d", "body": "b", "importance": 5},
        }

    before = load_world(played).world
    ask(played, Scripted(overdo), remember=True)
    now = load_world(played).world
    assert len(now.agents["vera"].stream) == len(before.agents["vera"].stream) + 1
    assert now.agents["vera"].state.mood == before.agents["vera"].state.mood
    assert now.log == before.log
    assert now.clock == before.clock


def test_a_reply_that_does_not_fit_is_asked_for_once_more(played: Layout) -> None:
    asked: list[Request] = []

    def stubborn(request: Request, reply: dict[str, Any]) -> dict[str, Any] | str:
        asked.append(request)
        return "no" if len(asked) == 1 else reply

    assert ask(played, Scripted(stubborn))["answer"]
    assert [request.label.endswith("-again") for request in asked] == [False, True]
    with pytest.raises(ReplyError):
        ask(played, Scripted(lambda _request, _reply: "no"), "Why?")


def test_a_dead_line_leaves_no_trace_of_an_answer(played: Layout) -> None:
    with pytest.raises(BackendError):
        ask(played, Counting(limit=0))
    assert ask(played)["answer"]


def test_the_budget_counts_questions_of_earlier_commands(played: Layout) -> None:
    spent = len(list(played.traces.glob("day-001/*/*.json")))
    played.settings.write_text(
        played.settings.read_text(encoding="utf-8") + f"\nbudget: {{calls: {spent + 2}}}\n", encoding="utf-8"
    )
    ask(played, text="One?")
    ask(played, text="Two?")
    with pytest.raises(BudgetError):
        ask(played, text="Three?")
    assert ask(played, text="Two?")["answer"]
    bill = as_json(describe_cost(TraceReader(played.traces, played.asks), load_world(played).world.settings))
    assert bill["totals"]["calls"] == spent + 2


def mailbox(layout: Layout) -> Backend:
    return make("", Surroundings(postbox=PostFolder(layout)))


def test_questions_in_the_mailbox_wait_side_by_side_and_are_taken_away(played: Layout) -> None:
    waiting = []
    for text in (WHY, "And what would you keep?"):
        with pytest.raises(WaitingError) as caught:
            ask(played, mailbox(played), text)
        waiting += [item.answer for item in caught.value.awaited]
    assert len(set(waiting)) == 2
    for answer in waiting:
        reply = {"dialogue": [{"to": None, "text": f"For {answer}."}], "mood": "calm"}
        (played.root / answer).write_text(json.dumps(reply), encoding="utf-8")
    assert ask(played, mailbox(played))["answer"] == [f"For {waiting[0]}."]
    assert ask(played, mailbox(played), "And what would you keep?")["answer"] == [f"For {waiting[1]}."]
    assert [path.name for path in played.mailbox.glob("*.md")] == []
    assert ask(played, mailbox(played))["answer"] == [f"For {waiting[0]}."]


def test_no_day_waits_for_a_question_out_of_scene(played: Layout) -> None:
    with pytest.raises(WaitingError) as caught:
        ask(played, mailbox(played))
    (item,) = caught.value.awaited
    assert (played.root / item.question).is_file()
    assert describe_status(played)[0].awaiting == ()
    scene = played.mailbox / "day-002-scene-01-vera.md"
    scene.write_text("---\nscene: day-002/scene-01\nlabel: vera\nidentity: x\n---\n\nWell?\n", encoding="utf-8")
    assert describe_status(played)[0].awaiting == (played.shown(scene),)


def test_only_what_the_question_needs_has_to_be_readable(tmp_path: Path) -> None:
    layout = make_handmade(tmp_path)
    with open(layout.stream("ole"), "a", encoding="utf-8") as stream:
        stream.write("\n{broken\n")
    assert ask(layout, who="mina")["answer"]
    with pytest.raises(BrokenWorldError):
        ask(layout, who="ole")
    layout.bulletin.write_text(BROKEN_BULLETIN, encoding="utf-8")
    with pytest.raises(BrokenWorldError):
        ask(layout, who="mina")


@pytest.mark.parametrize("text", ["{{ 7 * 7 }} {% raw %}", "a\n# Heading\n> b", '»quoted« "too"', "\x1b[31m \x00"])
def test_a_question_is_data(played: Layout, text: str) -> None:
    backend = Counting()
    document = ask(played, backend, text, remember=True)
    question = backend.asked[0].messages[0][1]
    assert "> " + text.strip().replace("\n", "\n> ") in question
    assert document["question"] == text.strip()
    exchange = load_world(played).world.agents["vera"].stream[-1].metadata["exchange"]
    assert isinstance(exchange, list)
    assert exchange[0]["text"] == text.strip()
