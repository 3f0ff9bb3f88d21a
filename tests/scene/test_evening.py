"""The evening of a day: who has a diary to write, when and where."""

from __future__ import annotations

from dataclasses import replace

from gm.base.config import Settings
from gm.layers.diary import DIARY, DiaryEntry
from gm.layers.working import WORKING, PageChange
from gm.model.mind import Mind, MindChange
from gm.model.replies import DiaryReply
from gm.model.world import Change, World
from gm.scene.evening import Part, add_diaries, evening_scene, parts_of_day, writers
from tests.build import agent, entry, world

WROTE = DiaryEntry(2, "Heute war viel.")
REPLY = DiaryReply(text="Der Turm hält.", mood="müde\n und froh", tags=["Turm", "vera", "turm"])


def house(diary: str = "on") -> World:
    nami = replace(agent("nami"), mind=Mind({DIARY.name: (WROTE,)}))
    yesterday = replace(agent("emre", at="roof"), mind=Mind({DIARY.name: (replace(WROTE, day=1),)}))
    played = [entry(1, "WORK", "finn"), entry(2, "WORK", "vera", "emre"), entry(2, "WORK", "nami", "gast", scene=2)]
    return world(agent("vera"), yesterday, nami, agent("finn"), day=2, log=played, settings=Settings(diary=diary))


def test_who_took_part_in_a_scene_and_has_not_written_yet_writes() -> None:
    assert writers(house()) == ("emre", "vera")


def test_nobody_writes_where_there_are_no_diaries() -> None:
    assert writers(house("off")) == ()


def test_one_writes_after_the_last_scene_where_one_is() -> None:
    scene = evening_scene(house(), "emre")
    assert (str(scene.ref), scene.cast, scene.place, scene.time_of_day) == ("day-002", ("emre",), "roof", "evening")
    assert (scene.why, scene.premise) == ("", "")


def test_what_is_written_lands_with_the_close_of_the_day_beside_what_else_changes_in_a_mind() -> None:
    page = MindChange({WORKING.name: PageChange(gone=("note",))})
    closing = Change(2, minds={"emre": page, "finn": page})
    change = add_diaries(house(), closing, {"emre": REPLY, "nami": REPLY}, "2026-03-04")
    written = DiaryEntry(2, "Der Turm hält.", "müde und froh", "roof", "2026-03-04", change.minds["emre"][DIARY].tags)  # type: ignore[union-attr]
    assert change.minds == {"emre": page.with_change(DIARY, written), "finn": page}
    assert "turm" in written.tags
    assert add_diaries(house(), closing, {}, "") == closing


def test_a_day_is_what_one_had_of_it_together_with_others() -> None:
    said = [{"agent": "vera", "text": f"Satz {number}."} for number in range(6)]
    odd = [{"agent": 3, "text": "x"}, {"agent": "vera"}, "x"]
    log = [
        entry(2, "ARRIVAL", "vera", "emre"),
        entry(2, "WORK", "vera", "emre", scene=2, time_of_day="noon", dialogue=[*said, *odd], place="roof"),
        entry(2, "DANCE", "emre", "vera", scene=3, time_of_day="spät", dialogue="nichts"),
        entry(2, "REFLECTION", "vera", scene=4),
        entry(2, "WORK", "emre", scene=5),
        entry(1, "WORK", "vera"),
    ]
    one = world(agent("vera"), agent("emre"), day=2, log=log)
    first, second = parts_of_day(one, "vera")
    assert first == Part("noon", "roof", ("emre",), tuple(("vera", f"Satz {number}.") for number in range(2, 6)))
    assert second == Part("", "hall", ("emre",), ())


def test_of_a_long_speech_the_beginning_is_told() -> None:
    log = [entry(2, "WORK", "vera", "emre", dialogue=[{"agent": "vera", "text": "Wort " * 90}])]
    (part,) = parts_of_day(world(agent("vera"), agent("emre"), day=2, log=log), "vera")
    told = part.lines[0][1]
    assert told.endswith(" …")
    assert len(told) < 165
