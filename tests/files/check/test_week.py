"""What ``gm.yaml`` says of the week is held against the week, the cast and the rooms."""

from __future__ import annotations

import pytest

from gm.files.check.whole import check_files
from gm.files.layout import Layout
from tests.stories.playing import edit, set_sections


def named(layout: Layout, yaml: str) -> list[tuple[str, int, int, str]]:
    text = layout.settings.read_text(encoding="utf-8")
    layout.settings.write_text(text.replace("\ncalendar:\n", f"\n{yaml}", 1), encoding="utf-8")
    return [
        (item.code, item.line, item.column, item.message)
        for item in check_files(layout).problems
        if item.path == "gm.yaml"
    ]


@pytest.mark.parametrize(
    ("yaml", "code", "message"),
    [
        ("calendar:\n  off: [Fri, Caturday]\n", "weekday-unknown", "'Caturday' is not a weekday; it never comes"),
        ("calendar:\n  off: [Sat]\n", "weekday-unknown", "'Sat' is not a day of calendar.weekdays; it never comes"),
        ("calendar:\n  away: [{who: mina, day: 3}]\n", "agent-unknown", "'mina' is not an agent of this world"),
    ],
)
def test_what_never_comes_true_is_named_with_its_place(studio: Layout, yaml: str, code: str, message: str) -> None:
    ((found, line, column, said),) = named(studio, yaml)
    assert (found, said) == (code, message)
    assert (
        studio.settings.read_text(encoding="utf-8")
        .splitlines()[line - 1][column - 1 :]
        .startswith(message.split("'")[1])
    )


def test_names_in_either_language_and_first_names_are_right(studio: Layout) -> None:
    yaml = "calendar:\n  off: [Do., 12]\n  away: [{who: Vera, weekday: Tuesday, how: off}]\n"
    assert named(studio, yaml) == []


def test_a_weekly_time_that_does_not_exist_is_named(studio: Layout) -> None:
    text = studio.settings.read_text(encoding="utf-8")
    studio.settings.write_text(text.replace("time: evening", "time: 25:00"), encoding="utf-8")
    (found,) = (item for item in check_files(studio).problems if item.code == "event-time")
    assert (found.severity, found.message) == ("warning", "'25:00' is not a time")


def test_a_scheduled_time_that_does_not_exist_is_named(studio: Layout) -> None:
    edit(studio.world, {"scheduled_events": [{"day": 2, "time": "25:00", "event": "Tea"}]})
    (found,) = (item for item in check_files(studio).problems if item.code == "event-time")
    assert (found.severity, found.message) == ("warning", "'25:00' is not a time")


def test_lunch_in_a_place_that_does_not_exist_is_named(studio: Layout) -> None:
    text = studio.settings.read_text(encoding="utf-8")
    studio.settings.write_text(text.replace("lunch: teekueche", "lunch: mensa"), encoding="utf-8")
    assert [item.message for item in check_files(studio).problems if item.path == "gm.yaml"] == [
        "lunch 'mensa' is not a place of gm.yaml"
    ]


def test_an_event_of_the_start_that_cannot_be_read_is_named_until_the_first_day_begins(studio: Layout) -> None:
    set_sections(studio.settings, "start: {events: [{day: Friday, event: Storm}]}")
    assert "event-form" not in [problem.code for problem in check_files(studio).problems]
    studio.world.unlink()
    found = [problem for problem in check_files(studio).problems if problem.code == "event-form"]
    assert [(problem.path, problem.severity) for problem in found] == [("gm.yaml", "warning")]
    assert "needs day (a whole number)" in found[0].message
