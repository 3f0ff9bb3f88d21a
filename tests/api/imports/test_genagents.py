"""Agents of genagents."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gm.api.imports.genagents import FORMAT
from gm.base.errors import UsageError
from tests.api.imports.sources import ENGLISH, GERMAN, JSON, folder, said, wrong_keys

SCRATCH: dict[str, Any] = {
    "first_name": "Joon",
    "last_name": "Park",
    "age": 30,
    "sex": "Male",
    "political_views": "Slightly liberal",
    "total_wealth": None,
}


def node(number: int, content: object, importance: object = 50, **others: object) -> dict[str, object]:
    plain = {"node_id": number, "node_type": "observation", "content": content, "importance": importance}
    return {**plain, "created": 1, "last_retrieved": 1, "pointer_id": None, **others}


NODES = [
    node(0, "Interviewer: \n", 0),
    node(1, "Joon: I was born in Korea. " * 40, 84),
    node(2, "Joon: I paint.", 4),
    node(3, "Joon has moved often.", 100, node_type="reflection", pointer_id=[1, 2, 9]),
    node(4, "x", node_type="dream"),
    "odd",
]


def agent(**scratch: object) -> dict[str, object]:
    return {"j/scratch.json": {**SCRATCH, **scratch}, "j/memory_stream/nodes.json": NODES, "j/meta.json": {"id": "1"}}


def test_facts_become_front_matter_and_prose() -> None:
    source = folder(agent())
    assert FORMAT.fits(source)
    arrival = FORMAT.read(source, GERMAN)
    person = arrival.people[0]
    assert person.front == {"name": "Joon Park", "age": 30, "pronouns": "er/ihm"}
    assert person.prose == "## Was sonst noch gilt\n\n- Political views: Slightly liberal"
    assert set(arrival.kept) == {".scratch.json", ".nodes.json"}


def test_long_answers_become_several_memories_and_reflections_rest_on_all_of_them() -> None:
    arrival = FORMAT.read(folder(agent()), ENGLISH)
    told = [(one.text[:21], one.type, one.importance, one.evidence) for one in arrival.people[0].memories]
    assert told == [
        ("Interviewer:", "observation", 1, ()),
        ("Joon: I was born in K", "observation", 8, ()),
        ("Joon: I was born in K", "observation", 8, ()),
        ("Joon: I paint.", "observation", 1, ()),
        ("Joon has moved often.", "reflection", 10, (1, 2, 3)),
    ]
    assert said(arrival.left, "memory_stream") == "2 nodes without content or known type"


@pytest.mark.parametrize(
    ("files", "found"),
    [
        (agent(first_name=None, last_name=[]), "scratch.json: found no name"),
        ({**agent(), "j/scratch.json": [1]}, "scratch.json: found a list of 1, expected an object"),
        ({**agent(), "j/memory_stream/nodes.json": "[1"}, "memory_stream/nodes.json:1:3: not valid JSON"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_place(files: dict[str, object], found: str) -> None:
    with pytest.raises(UsageError) as refused:
        FORMAT.read(folder(files), ENGLISH)
    assert found in refused.value.message
    assert refused.value.hint


def test_odd_values_are_told_or_left_out() -> None:
    odd = agent(age=[1], sex={"x": 1}, name="No", political_views="---\n# x", state=float(7))
    person = FORMAT.read(folder(odd), ENGLISH).people[0]
    assert person.front == {"name": "Joon Park"}
    assert not wrong_keys(person.front)
    assert "- State: 7.0" in person.prose


NODE = st.dictionaries(st.sampled_from(["node_id", "content", "importance", "pointer_id"]), JSON | st.integers(0, 3))


@given(st.dictionaries(st.sampled_from([*SCRATCH, "name", "sex"]), JSON), st.lists(NODE | JSON, max_size=5))
def test_any_values_are_read_or_refused(scratch: dict[str, object], nodes: list[object]) -> None:
    reflections = [{"node_type": "reflection", **one} if isinstance(one, dict) else one for one in nodes]
    try:
        person = FORMAT.read(folder({"scratch.json": scratch, "memory_stream/nodes.json": reflections}), GERMAN).people[
            0
        ]
    except UsageError as refused:
        assert refused.hint
        return
    assert not wrong_keys(person.front)
    assert all(place < number for number, one in enumerate(person.memories) for place in one.evidence)
