"""Characters of AI Town."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gm.api.imports.ai_town import FORMAT
from gm.base.errors import UsageError
from tests.api.imports.sources import ENGLISH, GERMAN, JSON, document, folder, said, wrong_keys

LUCKY = {
    "name": "Lucky",
    "character": "f1",
    "identity": "Lucky is happy and curious.",
    "plan": "You want to hear gossip.",
}
BOB = {"name": "Bob", "character": "f4", "identity": "Bob is always grumpy.", "plan": "You want to avoid people."}


def table(*rows: object) -> str:
    return "\n".join(json.dumps(row) for row in rows)


def memory(identifier: str, player: str, text: object, importance: object, made: float, **data: object) -> object:
    row = {"_id": identifier, "_creationTime": made, "playerId": player, "description": text, "data": data}
    return {**row, "importance": importance, "embeddingId": "e", "lastAccess": 1.0}


PLAYERS = table(
    {
        "playerId": "p:1",
        "worldId": "w",
        "name": "Lucky",
        "description": "Lucky is happy\nand curious.",
        "character": "f1",
    },
    {"playerId": "p:2", "worldId": "w", "name": "Bob", "description": "Bob is always grumpy.", "character": "f4"},
    {"playerId": "p:3", "worldId": "w", "name": "Me", "description": "Me is a human player", "character": "f2"},
)
AGENTS = table({"agentId": "a:1", **LUCKY}, {"agentId": "a:2", **BOB})
MEMORIES = table(
    memory("m2", "p:1", "I think Bob is lonely.", 9, 3.0, type="reflection", relatedMemoryIds=["m1", "m2", "m7"]),
    memory("m1", "p:1", "I told Bob about space.", 4.4, 2.0, type="conversation", playerIds=["p:1", "p:2"]),
    memory("m3", "p:2", "Lucky talks too much.", 0, 1.0, type="relationship", playerId="p:1"),
    memory("m4", "p:1", None, 5, 4.0, type="conversation"),
)
EXPORT = {
    "town/playerDescriptions/documents.jsonl": PLAYERS,
    "town/agentDescriptions/documents.jsonl": AGENTS,
    "town/memories/documents.jsonl": MEMORIES,
    "town/messages/documents.jsonl": table({"text": "Hi", "author": "p:1"}),
}


def test_identity_is_prose_and_the_plan_a_wish() -> None:
    assert FORMAT.fits(folder(EXPORT))
    lucky, bob = FORMAT.read(folder(EXPORT), GERMAN).people
    assert lucky.front == {"name": "Lucky", "wish": "You want to hear gossip."}
    assert lucky.prose == "## Wer du bist\n\nLucky is happy and curious.\n\nYou want to hear gossip."
    assert bob.name == "Bob"
    assert not wrong_keys(bob.front)


def test_memories_keep_their_weight_and_what_they_rest_on() -> None:
    lucky, bob = FORMAT.read(folder(EXPORT), ENGLISH).people
    assert [(one.text, one.type, one.importance, one.about, one.evidence) for one in lucky.memories] == [
        ("I told Bob about space.", "conversation", 5, ("Bob",), ()),
        ("I think Bob is lonely.", "reflection", 10, (), (0,)),
    ]
    assert [(one.type, one.importance, one.about) for one in bob.memories] == [("observation", 1, ("Lucky",))]


def test_people_who_played_along_and_messages_are_left_aside() -> None:
    arrival = FORMAT.read(folder(EXPORT), ENGLISH)
    assert "a human player" in said(arrival.left, "Me")
    assert "memories" in said(arrival.left, "1 message")
    assert set(arrival.kept) == {
        ".playerdescriptions.jsonl",
        ".agentdescriptions.jsonl",
        ".memories.jsonl",
        ".messages.jsonl",
    }


def test_descriptions_alone_are_characters_without_memories() -> None:
    source = document([LUCKY, BOB])
    assert FORMAT.fits(source)
    arrival = FORMAT.read(source, ENGLISH)
    assert [person.name for person in arrival.people] == ["Lucky", "Bob"]
    assert arrival.people[0].memories == ()
    assert set(arrival.kept) == {".descriptions.json"}
    assert FORMAT.read(document([LUCKY]), replace(ENGLISH, name="Lux")).people[0].name == "Lux"


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({**EXPORT, "town/memories/documents.jsonl": "{}\n{"}, "memories/documents.jsonl:2:1:2: not valid JSON"),
        ({**EXPORT, "town/agentDescriptions/documents.jsonl": "[]"}, "found no character"),
        (
            {**EXPORT, "town/playerDescriptions/documents.jsonl": '{"name": {"x": 1}, "description": 7}'},
            "found no character",
        ),
    ],
)
def test_what_does_not_fit_is_refused(files: dict[str, object], found: str) -> None:
    with pytest.raises(UsageError) as refused:
        FORMAT.read(folder(files), ENGLISH)
    assert found in refused.value.message
    assert refused.value.hint


ROW = st.dictionaries(st.sampled_from(["_id", "_creationTime", "playerId", "description", "importance", "data"]), JSON)


@given(st.lists(ROW | JSON, max_size=4), st.lists(ROW | JSON, max_size=4))
def test_any_rows_are_read_leniently(players: list[object], memories: list[object]) -> None:
    rows = [
        {"playerId": "p:1", "data": {"type": "reflection"}, **one} if isinstance(one, dict) else one for one in memories
    ]
    tables = {
        **EXPORT,
        "town/playerDescriptions/documents.jsonl": PLAYERS + "\n" + table(*players),
        "town/memories/documents.jsonl": table(*rows),
    }
    people = FORMAT.read(folder(tables), ENGLISH).people
    assert {"Lucky", "Bob"} <= {person.name for person in people}
    assert not any(wrong_keys(person.front) for person in people)
