"""Personas of generative agents."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gm.api.imports.generative_agents import FORMAT
from gm.base.errors import UsageError
from tests.api.imports.examples import HOME, SCRATCH, TABLE, node, persona
from tests.api.imports.sources import ENGLISH, GERMAN, document, folder, said, wrong_keys


def test_a_persona_is_recognised_by_its_folder() -> None:
    assert FORMAT.fits(folder(persona()))
    assert FORMAT.fits(folder(persona("bootstrap_memory")))
    assert FORMAT.fits(document(SCRATCH))
    assert FORMAT.fits(folder({"scratch.json": SCRATCH}))
    assert not FORMAT.fits(folder({"scratch.json": SCRATCH, "memory_stream/nodes.json": []}))
    assert not FORMAT.fits(document({"name": "Isabella", "learned": "x"}))


def test_layers_of_identity_become_front_matter_and_prose() -> None:
    person = FORMAT.read(folder(persona()), ENGLISH).people[0]
    assert person.front == {
        "name": "Isabella Rodriguez",
        "age": 34,
        "traits": ["friendly", "outgoing", "hospitable"],
        "home": "isabella-rodriguez-s-apartment",
        "until_now": ["Isabella is planning a party. She needs paper hearts."],
    }
    assert person.prose == (
        "## Who you are\n\nIsabella owns Hobbs Cafe.\n\n"
        "## Your days\n\nIsabella goes to bed around 11pm.\n\nIsabella opens Hobbs Cafe at 8am every day.\n\n"
        "## What you are at\n\nIsabella is planning a party. She needs paper hearts."
    )


def test_headings_are_in_the_language_of_the_world() -> None:
    other = persona(learned="Isabella führt das Café.", currently="Sie plant ein Fest.")
    prose = FORMAT.read(folder(other), GERMAN).people[0].prose
    assert "## Wer du bist\n\nIsabella führt das Café." in prose
    assert "## Womit du gerade beschäftigt bist\n\nSie plant ein Fest." in prose


def test_sectors_become_places() -> None:
    assert FORMAT.read(folder(persona()), ENGLISH).places == {
        "hobbs-cafe": "Hobbs Cafe: cafe (piano, counter).",
        "isabella-rodriguez-s-apartment": "Isabella Rodriguez's apartment: main room (bed); bathroom.",
    }


def test_nodes_become_memories_oldest_first_with_what_they_rest_on() -> None:
    arrival = FORMAT.read(folder(persona()), ENGLISH)
    talk = 'conversing about the party: Isabella Rodriguez: "Will you help?" Maria Lopez: "I would love to!"'
    told = [(one.text, one.type, one.importance, one.evidence) for one in arrival.people[0].memories]
    assert told == [
        ("Isabella Rodriguez is cutting hearts", "observation", 6, ()),
        (talk, "conversation", 4, ()),
        ("Maria is a friend", "reflection", 8, (0, 1)),
        ("It will be a good party", "reflection", None, (0, 2)),
    ]
    assert "1 node in which nothing happens" in said(arrival.left, "associative_memory")
    assert said(arrival.left, "memories") == "1 memory with a text that was there already"


def test_key_words_become_tags_and_names_what_a_memory_is_about() -> None:
    hearts, talk, *_ = FORMAT.read(folder(persona()), ENGLISH).people[0].memories
    assert (hearts.tags, hearts.about) == (("paper hearts",), ())
    assert (talk.tags, talk.about) == (("maria lopez", "cafe"), ("Maria Lopez",))


def test_the_backstory_becomes_memories_and_relationships() -> None:
    arrival = FORMAT.read(folder({**persona(), "agent_history_init_n3.csv": TABLE}), ENGLISH)
    person = arrival.people[0]
    assert person.relationships == {"Maria Lopez": "You and Maria Lopez have known each other for 2 years"}
    assert [(one.text, one.about) for one in person.memories[:2]] == [
        ("You keep a secret recipe", ()),
        ("You owe Maria Lopez a favour", ("Maria Lopez",)),
    ]
    assert person.memories[4].evidence == (2, 3)
    assert "not in the folder" in said(arrival.left, "the backstory of Klaus Mueller")
    assert arrival.kept[".agent-history-init-n3.csv"] == TABLE.encode()


def test_several_personas_of_a_simulation_come_together() -> None:
    maria = "personas/Maria Lopez/bootstrap_memory"
    source = folder({**persona(), **persona(maria, name="Maria Lopez", age=21), f"{maria}/embeddings.json": {"x": [1]}})
    arrival = FORMAT.read(source, ENGLISH)
    assert [person.name for person in arrival.people] == ["Isabella Rodriguez", "Maria Lopez"]
    assert set(arrival.kept) == {
        f".{who}.{what}.json"
        for who in ("isabella-rodriguez", "maria-lopez")
        for what in ("scratch", "spatial_memory", "nodes")
    }


def test_what_has_no_place_here_is_said() -> None:
    arrival = FORMAT.read(folder(persona()), ENGLISH)
    assert "tiles" in said(arrival.left, "curr_tile and the like")
    assert "planned anew" in said(arrival.left, "daily_req and the like")
    assert said(arrival.mapped, "innate") == "traits of the persona"


def test_a_scratch_file_alone_is_a_persona_without_memories() -> None:
    arrival = FORMAT.read(document(SCRATCH), replace(ENGLISH, name="Isa"))
    assert arrival.people[0].name == "Isa"
    assert "home" not in arrival.people[0].front
    assert arrival.people[0].memories == ()


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({**persona(), f"{HOME}/scratch.json": "{"}, "scratch.json:1:2: not valid JSON"),
        ({**persona(), f"{HOME}/scratch.json": [1, 2]}, "scratch.json: found a list of 2, expected an object"),
        (persona(name=""), "scratch.json: name: found no name"),
        ({**persona(), f"{HOME}/associative_memory/nodes.json": b"\xff\xfe"}, "associative_memory/nodes.json"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_place(files: dict[str, object], found: str) -> None:
    source = folder(files)
    assert FORMAT.fits(source)
    with pytest.raises(UsageError) as refused:
        FORMAT.read(source, ENGLISH)
    assert found in refused.value.message
    assert refused.value.hint


def test_a_table_that_a_spreadsheet_has_split_is_read() -> None:
    split = (
        '"Name,Whisper";;;;;\n"Isabella Rodriguez,You plan a party"; You and Maria Lopez who studies are close friends;'
        " you love your work, and hearts;\n"
    )
    person = FORMAT.read(folder({**persona(), "history.csv": split}), ENGLISH).people[0]
    assert [one.text for one in person.memories[:2]] == ["You plan a party", "you love your work, and hearts"]
    assert person.relationships == {"Maria Lopez": "You and Maria Lopez who studies are close friends"}


@pytest.mark.parametrize("table", [b"\xff\xfeN", "Who,What\nIsabella,x\n", 'Name,Whisper\nx,"' + "a" * 200_000])
def test_a_table_that_cannot_be_read_is_left_aside(table: object) -> None:
    arrival = FORMAT.read(folder({**persona(), "agent_history_init_n3.csv": table}), ENGLISH)
    assert arrival.people[0].relationships == {}
    assert "no table" in said(arrival.left, "agent_history_init_n3.csv")


def test_nodes_that_cite_in_a_ring_rest_only_on_earlier_ones() -> None:
    ring = {
        "node_1": node("thought", "First", filling=["node_2", "node_1", "node_999", 7]),
        "node_2": node("thought", "Second", filling="node_1"),
        "node_x": node("thought", "Without a number", filling=None),
        "node_3": node("thought", "First", filling=["node_2"]),
    }
    source = folder({**persona(), f"{HOME}/associative_memory/nodes.json": ring})
    memories = FORMAT.read(source, ENGLISH).people[0].memories
    assert [(one.text, one.evidence) for one in memories] == [
        ("Without a number", ()),
        ("First", ()),
        ("Second", (1,)),
    ]


SMALL = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 12) | st.sampled_from(["node_1", "node_2", "idle", "event", "thought"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["type", "filling"]), inner),
    max_leaves=8,
)


@given(
    st.dictionaries(st.sampled_from([key for key in SCRATCH if key != "name"]), SMALL),
    st.dictionaries(st.sampled_from(["node_1", "node_2", "node_3", "x"]), SMALL),
    SMALL,
)
def test_any_values_are_read_leniently(scratch: dict[str, object], nodes: dict[str, object], tree: object) -> None:
    files = {
        f"{HOME}/scratch.json": {**scratch, "name": "Isabella"},
        f"{HOME}/spatial_memory.json": {"the Ville": tree},
        f"{HOME}/associative_memory/nodes.json": {
            name: {**node("thought", name), **value} if isinstance(value, dict) else value
            for name, value in nodes.items()
        },
    }
    person = FORMAT.read(folder(files), GERMAN).people[0]
    assert person.prose
    assert not wrong_keys(person.front)
    assert all(place < number for number, one in enumerate(person.memories) for place in one.evidence)
