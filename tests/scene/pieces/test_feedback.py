"""Feedback on a piece of work is talked about by its maker, with a character who knows it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gm.base.config import CalendarSettings, Settings
from gm.model.clock import Post
from gm.model.node import NodeType
from gm.model.scene import Candidate
from gm.model.world import Agent, World
from gm.scene.candidates import board, list_candidates
from gm.scene.ledger import Ledger
from gm.scene.pieces.known_pieces import find_piece
from gm.scene.pieces.waiting import deliver
from tests.build import agent, entry, node, words, world

PIECE = "gallery/audio/day-001_stille-meile_v1.md"
POST = Post(3, "Creative Director", "feedback", "Too\nsmooth.", 2, artifact=PIECE)


def knowing(name: str, kind: NodeType, at: str = "day-001/scene-02", **others: str) -> Agent:
    known = node(agent=name, type=kind, created=at, metadata={"artifact_path": PIECE, "title": "Stille Meile"})
    return agent(name, stream=[known], **others)  # type: ignore[arg-type]


def cast(*agents: Agent, post: Post = POST, **others: object) -> World:
    agents = agents or (agent("emre"), knowing("nami", "artifact", home="booth"), knowing("vera", "observation"))
    return world(*agents, day=2, posts=[post], **others)  # type: ignore[arg-type]


def only(now: World) -> Candidate:
    (found,) = board.propose(now, "morning")
    return found


def test_the_maker_talks_about_it_with_who_has_seen_it() -> None:
    found = only(cast())
    assert (found.type, found.cast, found.place) == ("ENCOUNTER", ("nami", "vera"), "booth")
    assert (found.topic, set(found.answers)) == ("Stille Meile", {"bulletin/3", PIECE})
    key, values = found.premise
    assert key == "premise_feedback"
    assert (values["author"], values["maker"], values["two"]) == ("Creative Director", "Nami", "Vera")
    assert values["text"] == "Too smooth."
    assert found.reasons[0].phrase == "why_feedback"


def test_it_is_as_urgent_as_a_brief_and_not_a_round_of_all() -> None:
    now = cast()
    assert list(board.meetings(now)) == []
    best = max(list_candidates(now, "morning"), key=lambda item: item.score)
    assert "bulletin/3" in best.answers


def test_who_saw_it_last_comes_first_then_who_is_in_the_room_then_any_other() -> None:
    seen = cast(
        knowing("nami", "artifact"), knowing("emre", "observation", "day-001/scene-05"), knowing("vera", "observation")
    )
    assert only(seen).cast == ("nami", "emre")
    near = cast(agent("emre", at="attic"), knowing("nami", "artifact", at="attic2"), agent("vera", at="attic2"))
    near = replace(near, agents={**near.agents, "nami": replace(near.agents["nami"], state=near.agents["vera"].state)})
    assert only(near).cast == ("nami", "vera")
    assert only(cast(agent("emre", at="attic"), knowing("nami", "artifact"))).cast == ("nami", "emre")


def test_alone_it_is_work() -> None:
    found = only(cast(knowing("nami", "artifact")))
    assert (found.type, found.cast, found.premise[1]["two"]) == ("WORK", ("nami",), "")


def test_a_piece_without_a_maker_is_talked_about_all_the_same() -> None:
    found = only(cast(agent("emre"), knowing("vera", "observation")))
    assert found.cast == ("vera", "emre")
    assert found.premise[1]["maker"] == ""


@pytest.mark.parametrize("day", [2, 3, 4])
def test_it_waits_until_a_scene_takes_it_up(day: int) -> None:
    now = cast()
    now = replace(now, clock=replace(now.clock, day=day))
    assert only(now).answers
    taken = replace(now, log=(entry(2, "ENCOUNTER", "nami", "vera", answers=["bulletin/3"]),))
    assert list(board.propose(taken, "morning")) == []


def test_it_does_not_wait_for_ever_and_the_cast_gives_none() -> None:
    late = cast()
    late = replace(late, clock=replace(late.clock, day=5))
    assert list(board.propose(late, "morning")) == []
    assert list(board.propose(cast(post=replace(POST, author="Vera")), "morning")) == []
    assert list(board.propose(replace(cast(), agents={}), "morning")) == []


def test_a_note_is_no_reason_for_a_round() -> None:
    note = Post(0, "Creative Director", "note", "Cake.", 2)
    assert list(board.meetings(cast(post=note))) == []
    assert len(list(board.meetings(cast(post=replace(note, type="announcement"))))) == 1


def test_a_piece_is_known_by_its_title_else_by_its_file() -> None:
    assert find_piece(cast(), PIECE).title == "Stille Meile"
    assert find_piece(cast(agent("emre")), PIECE).title == "stille meile"


def limited(name: str, kind: NodeType) -> Agent:
    one = knowing(name, kind)
    known = replace(one.stream[0], metadata={**one.stream[0].metadata, "audience": ["nami", "vera"]})
    return replace(one, stream=(known,))


def test_feedback_on_a_piece_for_some_reaches_those_alone() -> None:
    now = cast(agent("emre"), limited("nami", "artifact"), agent("tobi"), limited("vera", "observation"))
    assert only(now).cast == ("nami", "vera")
    ledger = Ledger(now, "day-002/scene-02")
    deliver(ledger, words)
    assert set(ledger.nodes) == {"nami", "vera"}
    away = tuple({"who": name, "day": 2} for name in ("nami", "vera"))
    without = replace(now, settings=Settings(calendar=CalendarSettings(away=away)))
    assert list(board.propose(without, "morning")) == []
