"""Read genagents (Park et al. 2024): a folder with ``scratch.json``, free facts, and ``memory_stream/nodes.json``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from gm.api.imports.arrival import Account, Arrival, Format, FormatOptions, ImportedPerson, ImportSource, Memory
from gm.api.imports.fields import clean_name, need_object, object_of, read_json, take_person, whole_of
from gm.api.imports.keeping import gather_memories, keep_copies, split_memories
from gm.api.imports.prose import front_matter, import_words, prose_of, render_block, under_heading
from gm.base.errors import UsageError
from gm.base.texts import counted
from gm.base.untyped import items_of
from gm.model.node import NodeType

SCRATCH, NODES = PARTS = (PurePosixPath("scratch.json"), PurePosixPath("memory_stream/nodes.json"))
"""Files of one agent, from its folder."""
NAMES = (("first_name", "last_name"), ("name",), ("full_name",))
"""Keys that hold a name, or its parts."""
TYPES: Mapping[str, NodeType] = {"observation": "observation", "reflection": "reflection"}
SCALE = 10
"""Importance is 0–100 there, and 1–10 here."""


def fits(source: ImportSource) -> bool:
    """Return whether a source holds such agents."""
    return any(_homes(source))


def read(source: ImportSource, options: FormatOptions) -> Arrival:
    """Read agents with their memories.

    Raises:
        UsageError: A file is not JSON, or names no agent.
    """
    account = Account()
    homes = list(_homes(source))
    alone = len(homes) == 1
    people = [_make_person(source, home, options.name if alone else "", options, account) for home in homes]
    kept = keep_copies(
        ("" if alone else home.name, f".{part.name}", source.files[home / part]) for home in homes for part in PARTS
    )
    return Arrival(FORMAT.name, tuple(people), kept=kept, mapped=account.mapped, left=account.left)


FORMAT = Format("genagents agent", fits, read)


def _homes(source: ImportSource) -> Iterator[PurePosixPath]:
    for path in sorted(source.files):
        if path.name == SCRATCH.name and path.parent / NODES in source.files:
            yield path.parent


def _make_person(
    source: ImportSource, home: PurePosixPath, name: str, options: FormatOptions, account: Account
) -> ImportedPerson:
    words = import_words(options.language)
    place = f"{source.name}/{home / SCRATCH}"
    scratch = dict(need_object(read_json(source.files[home / SCRATCH], place), place))
    called = name or next(filter(None, (_join_names(scratch, keys) for keys in NAMES)), "")
    if not called:
        raise UsageError(f"{place}: found no name, expected first_name and last_name", "give one: --as NAME")
    for keys in NAMES:
        for key in keys:
            scratch.pop(key, None)
    front = front_matter(called, take_person(scratch, words, "gender", "sex"), account)
    facts = render_block("", scratch, words)
    if facts:
        account.took(counted(len(scratch), "fact"), under_heading("facts", words))
    prose = prose_of(called, [(words("heading.facts"), facts)], words, account)
    nodes = read_json(source.files[home / NODES], f"{source.name}/{home / NODES}")
    return ImportedPerson(called, front, prose, _read_memories(nodes, account))


def _join_names(scratch: Mapping[str, object], keys: tuple[str, ...]) -> str:
    return clean_name(" ".join(filter(None, (clean_name(scratch.get(key)) for key in keys))))


def _read_memories(nodes: object, account: Account) -> tuple[Memory, ...]:
    found: list[Memory] = []
    places: dict[int, range] = {}
    unreadable = 0
    for node in map(object_of, items_of(nodes)):
        kind, pieces = node.get("node_type"), split_memories(node.get("content"))
        if not isinstance(kind, str) or kind not in TYPES or not pieces:
            unreadable += 1
            continue
        rests = tuple(_find_cited(node, places)) if kind == "reflection" else ()
        if isinstance(number := node.get("node_id"), int):
            places[number] = range(len(found), len(found) + len(pieces))
        found += [Memory(piece, TYPES[kind], _importance(node), evidence=rests) for piece in pieces]
    if found:
        account.took("memory_stream", "memories from before the story, with what they rest on")
    if unreadable:
        account.leave("memory_stream", f"{counted(unreadable, 'node')} without content or known type")
    return gather_memories(found, account)


def _find_cited(node: Mapping[str, object], places: Mapping[int, range]) -> Iterator[int]:
    cited = node.get("pointer_id")
    for one in items_of(cited) or [cited]:
        if isinstance(one, int):
            yield from places.get(one, ())


def _importance(node: Mapping[str, object]) -> int | None:
    found = whole_of(node.get("importance"), 0, 10 * SCALE)
    return None if found is None else max(1, (found + SCALE // 2) // SCALE)
