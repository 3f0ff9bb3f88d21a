"""What ``gm check`` says about the file of a layer, of its data alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from gm.base.config import Settings
from gm.base.config.layers import WorkingSettings
from gm.layers import LAYERS
from gm.layers.rules import EventRule, Finding, LayerFiles, check_events

NAMES = ("mina", "otto")
HISTORY = ".history.jsonl"
GAP = "history-gap", (2, "old", "trust_level")


def found(layer: str, data: Any, **others: Any) -> list[tuple[str, tuple[str | int, ...]]]:
    """Return code and place of all findings."""
    return [(item.beside + item.code, item.keys) for item in findings(layer, data, **others)]


def findings(layer: str, data: Any, **others: Any) -> list[Finding]:
    check = next(item.file.check for item in LAYERS if item.name == layer)
    return list(check(LayerFiles("mina", data, NAMES, today=3, **others)))


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({"beliefs": ["A.", "B."], "fears": None, "values": "C."}, []),
        (["A."], [("soul-form", ())]),
        ({"songs": []}, [("soul-kind", ("songs",))]),
        ({"beliefs": ["A.", 3]}, [("soul-form", ("beliefs", 1))]),
        ({"beliefs": 3}, [("soul-form", ("beliefs",))]),
        ({"beliefs": ["A."], "fears": "a"}, [("soul-twice", ("fears",))]),
    ],
)
def test_a_soul_has_lists_of_sentences_each_of_them_once(data: object, expected: object) -> None:
    assert found("soul", data) == expected


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({"known": ["A."], "current_subgoal": "B.", "_own": 3}, []),
        ("A.", [("page-form", ())]),
        ({"current_subgoal": ["A."]}, [("page-form", ("current_subgoal",))]),
        ({"known": 3}, [("page-form", ("known",))]),
        ({"known": ["A.", "B.", "C."]}, [("page-long", ())]),
    ],
)
def test_a_page_has_texts_and_not_more_lines_than_are_shown(data: object, expected: object) -> None:
    assert found("working", data, settings=Settings(working=WorkingSettings(lines=2))) == expected


def test_a_page_is_not_too_long_where_no_setting_can_be_read() -> None:
    assert found("working", {"known": ["A."] * 100}) == []


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({"day": 3, "occupies": ["A."], "thinks": "B.", "_own": 3}, []),
        ({"occupies": None}, []),
        (["A."], [("now-form", ())]),
        ({"day": "3"}, [("now-form", ("day",))]),
        ({"day": -1}, [("now-form", ("day",))]),
        ({"day": 4}, [("now-future", ("day",))]),
        ({"occupied": ["A."]}, [("now-key", ("occupied",))]),
        ({"occupies": ["A.", 3], "thinks": 7}, [("now-form", ("occupies", 1)), ("now-form", ("thinks",))]),
        ({"occupies": ["A" * 301]}, [("now-long", ("occupies", 0))]),
        ({"occupies": ["A."] * 4, "thinks": ["A."] * 4}, [("now-long", ("occupies",))]),
    ],
)
def test_what_occupies_a_character_now_has_a_day_and_two_short_lists(data: object, expected: object) -> None:
    assert found("now", data) == expected


def written(*days: object) -> dict[int, dict[str, object]]:
    return {number: {"day": day, "text": "A."} for number, day in enumerate(days, 1)}


def test_a_diary_has_one_entry_a_day_in_order_and_none_ahead() -> None:
    assert found("diary", written("day-000", 1, "day-003")) == []
    entries = written(1, "day-001", 0, 4)
    expected = [("diary-twice", (2, "day")), ("diary-order", (3, "day")), ("diary-future", (4, "day"))]
    assert found("diary", entries) == expected


def test_a_goal_is_opened_before_anything_else_and_ends_once() -> None:
    events = ("progress", "open", "progress", "reached", "abandoned")
    rows = {number: {"id": "goal-01", "event": event} for number, event in enumerate(events, 1)}
    assert found("goals", rows) == [("goal-unopened", (1, "id")), ("goal-closed", (5, "event"))]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({"otto": {"trust_level": 1, "first_met_at": "day-003/scene-01"}}, []),
        ({"mina": {}, "nobody": 3}, [("relationship-agent", ("mina",)), ("relationship-agent", ("nobody",))]),
        ({"otto": {"trust_level": -2}}, [("trust-range", ("otto", "trust_level"))]),
        ({"otto": {"first_met_at": "yesterday"}}, [("relationship-met", ("otto", "first_met_at"))]),
        ({"otto": {"first_met_at": "day-004"}}, [("relationship-future", ("otto", "first_met_at"))]),
        ({"otto": {"first_met_at": 3}}, []),
    ],
)
def test_relationships_are_to_others_of_the_world(data: object, expected: object) -> None:
    assert found("relationships", data) == expected


def change(old: object, new: object) -> dict[str, object]:
    return {"at": "day-001/scene-01", "with": "otto", "old": {"trust_level": old}, "new": {"trust_level": new}}


def history(*lines: Mapping[str, object]) -> dict[str, Any]:
    return {"beside": {HISTORY: dict(enumerate(lines, 1))}}


@pytest.mark.parametrize(
    ("data", "lines", "expected"),
    [
        ({"otto": {"trust_level": 0.4}}, [change(0, 0.2), change(0.2, 0.4)], []),
        ({}, [{"with": "otto"}], [("history-form", (1,))]),
        ({}, [change(0, 1) | {"at": "yesterday"}], [("history-form", (1,))]),
        ({"otto": {"trust_level": 0.4}}, [change(0, 0.2), change(0.3, 0.4)], [GAP]),
        ({"otto": {"trust_level": 1}}, [change(0, 1), change(0, 1) | {"old": 3}], [GAP]),
        ({"otto": {}}, [change(0, 1) | {"new": {"song": "Moll"}}], []),
        (None, [{"with": "otto"}], [("history-form", (1,))]),
        (None, [change(0, 1)], [("history-alone", ())]),
    ],
)
def test_a_history_leads_to_what_holds_now(data: object, lines: list[dict[str, object]], expected: list[Any]) -> None:
    assert found("relationships", data, **history(*lines)) == [(HISTORY + code, keys) for code, keys in expected]


def test_values_that_differ_from_the_end_of_the_history_are_reported_at_the_values() -> None:
    differs = ("history-differs", ("otto", "trust_level"))
    assert found("relationships", {"otto": {"trust_level": 1}}, **history(change(0, 0.2))) == [differs]
    assert found("relationships", {"otto": 3}, **history(change(0, 0.2))) == [differs]
    (absent,) = findings("relationships", {"otto": {}}, **history(change(0, 0.2)))
    assert absent.message == "trust_level of otto is absent, the history ends with 0.2"


def test_a_history_about_a_stranger_is_reported() -> None:
    stranger = change(0, 1) | {"with": "nobody"}
    data = {"nobody": {"trust_level": 1}}
    expected = [("relationship-agent", ("nobody",)), (f"{HISTORY}relationship-agent", (1, "with"))]
    assert found("relationships", data, **history(stranger)) == expected


def test_what_stands_in_unreadable_lines_may_have_opened_an_item() -> None:
    rows = {2: {"id": "thread-001", "event": "close"}}
    rule = EventRule("thread", ("carry",), "{id} is {event}", "hint", "", "{}d".format)
    closed = list(check_events(rows, rule))
    assert [(item.code, item.message, item.hint) for item in closed] == [
        ("thread-unopened", "thread-001 is closed", "hint")
    ]
    assert list(check_events(rows, rule, lost={"thread-001"})) == []
