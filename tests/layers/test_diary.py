"""What a prompt shows of a diary."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from gm.base.config import Settings
from gm.base.config.world import CalendarSettings
from gm.layers.declare import ShownMoment
from gm.layers.diary import DIARY, LONG, DiaryEntry
from gm.model.calendar import SceneRef
from gm.model.scene import ASKED, SceneType
from tests.build import agent, scene, world

DAYS = tuple(DiaryEntry(day, f"Day {day}.") for day in (2, 3, 1))
NOW = world(agent("vera"), day=3)


def shown(kind: str, day: int, *entries: DiaryEntry) -> tuple[int, bool, bool] | None:
    told = scene("vera", type="ARRIVAL" if kind == "plan" else "WORK", at=f"day-00{day}/scene-04")
    if kind == "asked":
        told = replace(told, type=SceneType(ASKED, "ask.j2"))
    found: Any = DIARY.view.show(ShownMoment(NOW, NOW.agents["vera"], told), entries)
    return found and (found["day"], found["tonight"], found["yesterday"])


@pytest.mark.parametrize(
    ("kind", "day", "entry"),
    [
        ("plan", 3, (2, False, True)),
        ("plan", 1, None),
        ("asked", 3, (3, True, False)),
        ("asked", 4, (3, False, True)),
        ("asked", 2, (2, True, False)),
        ("asked", 9, (3, False, False)),
        ("work", 3, None),
    ],
)
def test_the_last_entry_is_shown_in_the_morning_and_out_of_scene(
    kind: str, day: int, entry: tuple[int, bool, bool] | None
) -> None:
    assert shown(kind, day, *DAYS) == entry
    assert shown(kind, day) is None


@pytest.mark.parametrize(
    ("question", "day"),
    [("Was war am Dienstag?", 2), ("Was war vorgestern?", 1), ("Was war am Freitag?", 3), ("Und am 2.3.2026?", 3)],
)
def test_a_question_that_names_a_day_brings_back_its_entry(question: str, day: int) -> None:
    week = CalendarSettings(weekdays=("Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag"))
    now = world(agent("vera"), day=3, settings=Settings(calendar=week))
    asked = replace(scene("vera", at="day-003/scene-04"), type=SceneType(ASKED, "ask.j2"), topic=question)
    found: Any = DIARY.view.show(ShownMoment(now, now.agents["vera"], asked), DAYS)
    assert (found["day"], found["last"]) == (day, day == 3)


def test_outside_of_everything_there_is_no_entry() -> None:
    assert DIARY.view.show(ShownMoment(NOW, NOW.agents["vera"]), DAYS) is None


def test_an_entry_is_shown_whole() -> None:
    text = " ".join(["Wort"] * 300)
    found: Any = DIARY.view.show(
        ShownMoment(NOW, NOW.agents["vera"], scene("vera", type="ARRIVAL")), (DiaryEntry(0, text),)
    )
    assert len(text) < LONG
    assert found["text"] == text


@pytest.mark.parametrize(
    ("moment", "days"),
    [(SceneRef(3, 0), [2, 3]), (SceneRef(3, 4), [2]), (SceneRef(1, 1), []), (SceneRef(9, 1), [2, 3, 5])],
)
def test_at_a_past_moment_there_are_the_entries_of_the_evenings_before(moment: SceneRef, days: list[int]) -> None:
    entries = tuple(DiaryEntry(day, "Text.") for day in (2, 3, 5))
    assert DIARY.value_at
    assert [entry.day for entry in DIARY.value_at(entries, moment)] == days
