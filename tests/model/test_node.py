import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gm.model.calendar import SceneRef
from gm.model.node import NODE_KEYS, NODE_TYPES, Node, node_from_record, render_node
from tests.build import node

# hypothesis leaves out lone surrogates, which no UTF-8 file can hold
texts = st.text() | st.sampled_from(["\u2028 \u2029", "\x00\x1f\x7f\x85", "ä a\u0308", "völuspá r&d", '"\\', "\r\n\t"])
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)
nodes = st.builds(
    Node,
    id=texts,
    created=texts,
    type=st.sampled_from(NODE_TYPES) | texts,
    depth=st.integers(0, 9),
    description=texts,
    importance=st.integers(1, 10),
    tags=st.lists(texts, max_size=4).map(tuple),
    evidence=st.lists(texts, max_size=4).map(tuple),
    metadata=st.dictionaries(texts, json_values, max_size=3),
)
OLD: dict[str, Any] = {
    "id": "emre-001",
    "agent": "emre",
    "day": 4,
    "type": "reflection",
    "importance": 6,
    "depth": 1,
    "content": "Asche erinnert sich.",
}


@given(nodes)
def test_a_node_is_read_as_it_was_written(one: Node) -> None:
    assert node_from_record(json.loads(render_node(one))) == one


@given(nodes)
def test_a_node_is_one_line_that_utf8_can_hold(one: Node) -> None:
    line = render_node(one)
    assert "\n" not in line
    assert "\r" not in line
    assert line.encode("utf-8").decode("utf-8") == line


def test_the_line_has_exactly_the_keys_of_the_format_in_their_order() -> None:
    assert render_node(node(42, agent="emre", description="Grüße", tags=["r&d"], importance=7)) == (
        '{"id": "emre-042", "created": "day-001/scene-01", "type": "observation", "depth": 0, '
        '"description": "Grüße", "importance": 7, "tags": ["r&d"], "evidence": [], "metadata": {}}'
    )
    assert tuple(json.loads(render_node(node()))) == NODE_KEYS


def test_the_older_shape_is_read() -> None:
    assert node_from_record(OLD) == Node("emre-001", "day-004", "reflection", 1, "Asche erinnert sich.", 6)
    assert node_from_record(OLD).when == SceneRef(4)


def test_created_wins_over_the_older_day() -> None:
    assert node_from_record({**OLD, "created": "day-005/scene-02"}).created == "day-005/scene-02"


def test_what_is_missing_is_empty() -> None:
    read = node_from_record({"id": "vera-001", "description": "…", "importance": 3})
    assert read == Node("vera-001", "", "observation", 0, "…", 3)
    assert read.when == SceneRef(0)


def test_unknown_types_and_unknown_times_are_read() -> None:
    read = node_from_record({**OLD, "type": "dream", "created": "once upon a time"})
    assert (read.type, read.when) == ("dream", SceneRef(0))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("id", 7),
        ("id", None),
        ("created", 3),
        ("type", ["plan"]),
        ("depth", -1),
        ("depth", 0.5),
        ("depth", True),
        ("importance", 0),
        ("importance", 11),
        ("importance", 25),
        ("importance", "7"),
        ("importance", None),
        ("importance", True),
        ("tags", "a,b"),
        ("tags", [1]),
        ("evidence", {"id": "vera-001"}),
        ("evidence", [None]),
        ("metadata", []),
        ("content", None),
    ],
)
def test_a_value_that_is_no_memory_is_refused_by_name(key: str, value: object) -> None:
    with pytest.raises(ValueError, match=f"^{'description' if key == 'content' else key} is "):
        node_from_record({**OLD, key: value})


def test_a_refusal_shows_what_was_found_and_expected_but_not_a_whole_novel() -> None:
    with pytest.raises(ValueError, match="expected a whole number from 1 to 10") as caught:
        node_from_record({**OLD, "importance": "sehr " * 500})
    assert len(str(caught.value)) < 130


@given(st.dictionaries(st.sampled_from([*NODE_KEYS, "content", "day"]), json_values))
def test_any_object_is_read_or_refused(record: dict[str, Any]) -> None:
    try:
        read = node_from_record(record)
    except ValueError:
        return
    assert 1 <= read.importance <= 10
    assert read.depth >= 0
