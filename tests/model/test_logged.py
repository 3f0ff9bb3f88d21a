"""Lines of logbooks: whatever they hold, their parts can be read, and gm writes keys in their order."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gm.base.untyped import texts_in
from gm.model.calendar import SceneRef
from gm.model.logged import LOG_END, LOG_LINE, Keyed, LogEntry
from gm.model.logged_parts import LoggedMemory, LoggedSoul, MemoriesAsked, NotKept, PlanEnd
from gm.model.turns import INNER, TURN
from tests.model.test_scene import json_values

KEYS = [key.name for record in (LOG_LINE, LOG_END) for key in record.keys]
PARTS = [name for name, part in vars(LogEntry).items() if isinstance(part, Keyed)]


@given(st.dictionaries(st.sampled_from(KEYS), json_values))
def test_whatever_stands_in_a_line_each_of_its_parts_is_read(record: dict[str, Any]) -> None:
    line = LogEntry(1, record)
    for name in (*PARTS, "label", "ref", "turns", "texts_by_agent", "invited"):
        assert getattr(line, name) == getattr(line, name)


@pytest.mark.parametrize("values", [(texts_in, {}, "what was dreamt"), ((texts_in, {}), "what was dreamt")])
def test_a_key_that_does_not_say_who_may_read_it_cannot_be_declared(values: tuple[Any, ...]) -> None:
    with pytest.raises(ValueError, match="is not a valid Privacy"):
        Keyed(*values)
    with pytest.raises(TypeError):
        Keyed(*values[:1])


def test_only_the_thought_of_a_turn_is_known_to_its_character_alone() -> None:
    seen = {"agent", "round", "action", "lines", "artifact"}
    assert {key.name for key in TURN.keys} - set(INNER) == seen, "say in INNER or here who knows the new key"


@pytest.mark.parametrize(
    ("scene", "label", "ref"),
    [
        (4, "4", SceneRef(2, 4)),
        ("day-002/scene-04b", "4b", SceneRef(2, 4, "b")),
        (True, "", None),
        ("the last one", "the last one", None),
    ],
)
def test_a_line_knows_its_scene(scene: object, label: str, ref: SceneRef | None) -> None:
    line = LogEntry(2, {"scene": scene})
    assert (line.label, line.ref) == (label, ref)


def test_parts_are_values_and_what_does_not_fit_is_empty() -> None:
    line = LogEntry(
        1,
        {
            "memories": [{"agent": "vera", "id": "vera-001", "importance": 4}, "vera-002", {"id": 7}, 3],
            "duplicates": [{"agent": "vera", "importance": 2, "text": "Again.", "as": "vera-001"}, "no object"],
            "memories_shared": [{"from": "vera", "to": "emre", "about": ["tower", 2], "count": 0}],
            "plan_status": {"vera": [{"text": "Work", "status": "done"}], "emre": 3},
            "souls": [{"agent": "vera", "added": [{"kind": "beliefs", "text": "It holds."}], "removed": 1}],
            "formed": {"vera": 2, "emre": "two"},
        },
    )
    assert line.memories == (
        LoggedMemory("vera", "vera-001", 4),
        LoggedMemory(id="vera-002"),
        LoggedMemory(),
        LoggedMemory(),
    )
    assert line.duplicates == (NotKept("vera", "Again.", 2, "vera-001"),)
    assert line.memories_shared == (MemoriesAsked("vera", "emre", ("tower", "2"), 0),)
    assert line.plan_status == {"vera": (PlanEnd("Work", "done"),), "emre": ()}
    assert line.souls == (LoggedSoul("vera", (("beliefs", "It holds."),), ()),)
    assert line.formed == {"vera": 2}


def test_a_line_is_written_in_the_order_of_its_keys_without_empty_ones_that_may_be_absent() -> None:
    values = {"own": 1, "clock": "", "tags": ("tower",), "type": "WORK", "scene": 1, "artifacts": ()}
    assert [*LOG_LINE.compose(values).items()] == [
        ("scene", 1),
        ("type", "WORK"),
        ("artifacts", []),
        ("tags", ["tower"]),
        ("own", 1),
    ]
    closing = LogEntry(1, {"type": "SUMMARY"}).with_values({"retold": "It rained.", "turns": []})
    assert closing.record == {"type": "SUMMARY", "retold": "It rained."}
