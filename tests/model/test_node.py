import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gm.model.calendar import SceneRef
from gm.model.ids import render_node_id
from gm.model.node import NODE, NODE_KEYS, NODE_TYPES, Node, node_from_record, node_record, render_node
from gm.model.record import RecordError
from tests.build import node

# hypothesis leaves out lone surrogates, which no UTF-8 file can hold
texts = st.text() | st.sampled_from(["\u2028 \u2029", "\x00\x1f\x7f\x85", "ä a\u0308", "völuspá r&d", '"\\', "\r\n\t"])
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)
ids = st.builds(render_node_id, texts.filter(lambda text: "\n" not in text and text != ""), st.integers(0, 10**18 - 1))
refs = st.builds(SceneRef, st.integers(0, 10**18 - 1), st.integers(0, 99), st.sampled_from(["", "b"])).map(str)
nodes = st.builds(
    Node,
    id=ids,
    created=refs,
    type=st.sampled_from(NODE_TYPES),
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


def test_what_the_older_shape_does_not_have_is_empty() -> None:
    read = node_from_record({"id": "vera-001", "content": "…", "importance": 3})
    assert read == Node("vera-001", "", "observation", 0, "…", 3)
    assert read.when == SceneRef(0)


@pytest.mark.parametrize("key", NODE_KEYS)
def test_a_node_of_the_nine_keys_lacks_none_of_them(key: str) -> None:
    record = node_record(node())
    del record[key]
    with pytest.raises(RecordError, match=f"^{key} is missing, expected ") as caught:
        node_from_record(record)
    assert (caught.value.key, caught.value.code, caught.value.missing) == (key, "key-missing", True)


@pytest.mark.parametrize(
    ("key", "value", "code"),
    [
        ("type", "dream", "type-unknown"),
        ("type", "", "type-unknown"),
        ("created", "once upon a time", "created-form"),
        ("created", "day-1/scene-2", "created-form"),
        ("created", "", "created-form"),
        ("id", "emre", "id-form"),
        ("id", "emre-01", "id-form"),
    ],
)
def test_unknown_types_times_and_ids_are_refused_in_both_shapes(key: str, value: str, code: str) -> None:
    for record in (OLD, node_record(node())):
        with pytest.raises(RecordError, match=f'^{key} is "{value}", expected ') as caught:
            node_from_record({**record, key: value})
        assert (caught.value.key, caught.value.code, caught.value.missing) == (key, code, False)


@pytest.mark.parametrize("day", ["four", -1, 0.5, True, []])
def test_the_older_day_is_a_whole_number(day: object) -> None:
    with pytest.raises(RecordError, match=r"^day is ") as caught:
        node_from_record({**OLD, "day": day})
    assert caught.value.code == "day-type"


@pytest.mark.parametrize(("written", "read"), [("7.00", 7), ("1e1", 10), ("1", 1)])
def test_a_whole_number_is_read_in_any_spelling(written: str, read: int) -> None:
    line = render_node(node()).replace('"importance": 5', f'"importance": {written}')
    found = node_from_record(json.loads(line)).importance
    assert (found, type(found)) == (read, int)


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
        ("content", 3),
    ],
)
def test_a_value_that_is_no_memory_is_refused_by_name(key: str, value: object) -> None:
    with pytest.raises(RecordError, match=f"^{key} ") as caught:
        node_from_record({**OLD, key: value})
    assert caught.value.key == key
    assert (caught.value.keys[1:] == (0,)) == (isinstance(value, list) and key in ("tags", "evidence"))


def test_of_a_list_the_very_item_is_named() -> None:
    with pytest.raises(RecordError, match=r"^tags holds 3, expected a list of texts") as caught:
        node_from_record({**OLD, "tags": ["a", "b", 3]})
    assert caught.value.keys == ("tags", 2)


def test_a_refusal_shows_what_was_found_and_expected_but_not_a_whole_novel() -> None:
    with pytest.raises(ValueError, match="expected a whole number from 1 to 10") as caught:
        node_from_record({**OLD, "importance": "sehr " * 500})
    assert len(str(caught.value)) < 130


@given(st.dictionaries(st.sampled_from([*NODE_KEYS, "content", "day"]), json_values))
def test_any_object_is_read_or_refused(record: dict[str, Any]) -> None:
    try:
        read = node_from_record(record)
    except RecordError as error:
        assert str(error).startswith(error.key)
        return
    assert 1 <= read.importance <= 10
    assert read.depth >= 0


@pytest.mark.parametrize(
    ("metadata", "source"),
    [
        ({"copied_from": "leo-001"}, "leo-001"),
        ({"copied_from": {"id": "leo-001"}}, "leo-001"),
        ({"copied_from": {"node": "leo-001"}}, "leo-001"),
        ({"copied_from": 3}, ""),
        ({}, ""),
    ],
)
def test_the_source_of_a_copied_memory_is_found(metadata: dict[str, object], source: str) -> None:
    assert Node("vera-001", "day-001", "observation", 0, "Es regnet.", 5, metadata=metadata).copied_from == source


def test_a_misspelled_type_is_answered_with_the_closest_one() -> None:
    record = node_record(node(1)) | {"type": "observatoin"}
    (problem,) = NODE.problems(record)
    assert problem.hint == "did you mean observation?; put a finer kind into metadata.kind"
    (problem,) = NODE.problems(record | {"type": "dream"})
    assert problem.hint == "put a finer kind into metadata.kind"
