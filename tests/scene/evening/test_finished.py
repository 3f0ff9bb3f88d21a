"""Pieces that characters finish alone, and lay down with their diaries."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from gm.base.config import Settings
from gm.memory.retrieve import select_until
from gm.model.solo_replies import DiaryReply
from gm.model.world import Change, World
from gm.scene.candidates.artifacts import propose
from gm.scene.evening.off_scene import close_evening
from gm.scene.folding.advance import advance
from gm.scene.pieces.known_pieces import new_on_board
from tests.build import agent, artifact, entry, node, ref, words, world

TOWER = "gallery/writing/day-002_der-turm_v1.md"


def house(**settings: Any) -> World:
    planned = node(1, agent="emre", created="day-002/scene-01", type="plan", metadata={"kind": "plan"})
    emre = agent("emre", plan=["<plan_work> text=Der Turm", "<plan_work> text=Gips holen"], stream=[planned])
    log = [entry(2, "WORK", "vera", "emre", scene=3)]
    return world(agent("vera"), emre, day=2, log=log, settings=Settings(diary="on", **settings))


def said(title: str = "Der Turm", **others: Any) -> DiaryReply:
    more = {key: others.pop(key) for key in ("plan_status", "closes", "action") if key in others}
    piece = artifact(title, **{"kind": "writing", **others})
    return DiaryReply.model_validate({"text": "Er hält.", "mood": "froh", "artifact": piece.model_dump(), **more})


def close(now: World, taken: frozenset[str] = frozenset(), **replies: DiaryReply) -> Change:
    made_with = dict.fromkeys(replies, "a model")
    return close_evening(now, replies, "", words, made_with=made_with, taken=taken.__contains__)


def test_what_is_finished_alone_is_a_piece_of_the_day_like_one_of_a_scene() -> None:
    before = house()
    change = close(before, emre=said(action="Emre legt den Stift weg."))
    assert list(change.files) == [TOWER]
    assert "agent: emre\ncreated: day-002\n" in change.files[TOWER]
    assert "made_with: a model\n" in change.files[TOWER]
    made = change.nodes["emre"][0]
    assert (made.type, made.created, made.metadata["artifact_path"]) == ("artifact", "day-002", TOWER)
    assert change.clock["artifacts_today"] == [TOWER]
    assert change.clock["day_open"] is False
    log = change.line.record
    assert (log["artifacts"], log["finished"]) == ([TOWER], [TOWER])
    assert log["memories"][0] == {"agent": "emre", "id": made.id, "importance": made.importance}
    assert log["turns"] == [
        {"agent": "emre", "round": 1, "action": "Emre legt den Stift weg.", "artifact": TOWER}
    ]  # fmt: skip
    left = change.agents["emre"]["importance_accumulator"] - before.agents["emre"].state.importance_accumulator
    assert left == sum(one.importance for one in change.nodes["emre"])
    assert "vera" not in change.nodes, "nobody was there"


def test_an_evening_without_a_piece_says_nothing_of_pieces() -> None:
    quiet = DiaryReply(text="Er hält.", mood="froh")
    change = close(house(), emre=quiet)
    assert (change.files, change.posts) == ({}, ())
    assert not {"artifacts", "turns"} & {*change.line.record}
    assert "artifacts_today" not in change.clock


def test_a_piece_of_the_evening_strikes_its_item_off_though_the_list_says_that_it_is_moved() -> None:
    change = close(house(), emre=said(plan_status=[{"item": 1, "status": "moved", "text": "zu spät"}]))
    assert change.agents["emre"]["today_plan"] == [
        "DONE: <plan_work> text=Der Turm",
        "MOVED: <plan_work> text=Gips holen",
    ]
    ends = change.line.record["plans"]["emre"]
    assert [end["status"] for end in ends] == ["done", "moved"]


def test_a_plan_is_done_when_the_piece_is_all_of_it() -> None:
    before = house()
    emre = before.agents["emre"]
    emre = replace(emre, state=replace(emre.state, today_plan=("<plan_work> text=Der Turm",)))
    change = close(replace(before, agents={**before.agents, "emre": emre}), emre=said())
    assert change.agents["emre"]["today_plan"] == ["DONE: <plan_work> text=Der Turm"]


def test_two_pieces_of_one_name_and_one_that_is_there_have_files_of_their_own() -> None:
    change = close(house(), frozenset((TOWER,)), emre=said(), vera=said())
    assert list(change.files) == [TOWER.replace("_v1", "_v2"), TOWER.replace("_v1", "_v3")]
    assert [turn["artifact"] for turn in change.line.record["turns"]] == list(change.files)


def test_what_is_hung_up_in_the_evening_hangs_there_for_all_the_next_day() -> None:
    before = house()
    change = close(before, emre=said(audience=["board"]))
    (post,) = change.posts
    assert (post.author, post.day, post.scene, post.artifact) == ("emre", 2, 0, TOWER)
    after = advance(before, change)
    assert [piece.path for piece in new_on_board(after, after.agents["vera"])] == [TOWER]
    assert list(new_on_board(after, after.agents["emre"])) == []
    assert close(before, emre=said()).posts == ()


def test_the_others_may_take_up_the_next_day_what_was_finished_in_the_evening() -> None:
    before = house()
    for audience, takers in (([], [("vera", "emre")]), (["board"], [("vera", "emre")]), (["emre"], [])):
        after = advance(before, close(before, emre=said(audience=audience)))
        morning = replace(after, clock=replace(after.clock, day=3, day_open=True, scenes_today=0))
        found = [one for one in propose(morning, "morning") if TOWER in one.answers]
        assert [one.cast for one in found] == takers


def test_at_an_earlier_moment_of_the_day_the_piece_is_not_known_yet() -> None:
    before = house()
    stream = advance(before, close(before, emre=said())).agents["emre"].stream
    assert TOWER not in [one.metadata.get("artifact_path") for one in select_until(stream, ref("day-002/scene-03"))]
    assert TOWER in [one.metadata.get("artifact_path") for one in select_until(stream, ref("day-002"))]


def test_a_new_version_replaces_the_earlier_piece_of_its_maker() -> None:
    old = node(2, agent="emre", type="artifact", metadata={"artifact_path": "gallery/x.md", "title": "Der Turm"})
    before = house()
    emre = replace(before.agents["emre"], stream=(old, *before.agents["emre"].stream))
    change = close(replace(before, agents={**before.agents, "emre": emre}), emre=said("Turm, neu", replaces="Der Turm"))
    assert "replaces: gallery/x.md" in next(iter(change.files.values()))


def test_a_rehearsed_or_older_diary_has_no_piece() -> None:
    assert DiaryReply.model_validate({"text": "Er hält.", "mood": "froh"}).artifact is None
    assert DiaryReply.model_validate({"text": "Er hält.", "mood": "froh", "artifact": None}).artifact is None
