"""Read characters of AI Town: an unpacked export of its tables, or the list ``Descriptions`` as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from gm.api.imports.arrival import Account, Arrival, Format, FormatOptions, ImportedPerson, ImportSource, Memory
from gm.api.imports.fields import clean_name, clean_scalar, decode_text, line_of, object_of, parse_lines, whole_of
from gm.api.imports.keeping import gather_memories, keep_copies, sentence_of
from gm.api.imports.prose import import_words, prose_of, under_heading
from gm.base.config.kinds import is_number
from gm.base.errors import UsageError
from gm.base.texts import counted
from gm.base.untyped import items_of
from gm.model.node import NodeType

PLAYERS, AGENTS, MEMORIES, MESSAGES = TABLES = tuple(
    PurePosixPath(table, "documents.jsonl")
    for table in ("playerDescriptions", "agentDescriptions", "memories", "messages")
)
TYPES: Mapping[str, NodeType] = {
    "conversation": "conversation",
    "relationship": "observation",
    "reflection": "reflection",
}
HIGHEST = 9
"""Importance is 0–9 there, and 1–10 here."""


def fits(source: ImportSource) -> bool:
    """Return whether a source holds the tables or the list."""
    first = object_of(next(iter(items_of(source.data)), None))
    return any(path.match(str(PLAYERS)) for path in source.files) or {"name", "identity", "plan"} <= set(first)


def read(source: ImportSource, options: FormatOptions) -> Arrival:
    """Read characters with their memories; human players are left aside.

    Raises:
        UsageError: A table is not JSONL, or describes no character.
    """
    account = Account()
    tables = {table: _read_table(source, table) for table in TABLES}
    minds = tables[AGENTS] or [object_of(one) for one in items_of(source.data)]
    players = [one for one in tables[PLAYERS] if _identity(one.get("description"))] or minds
    plans = {_identity(one.get("identity")): clean_scalar(one.get("plan")) for one in minds}
    names = {line_of(one.get("playerId")): clean_name(one.get("name")) for one in players}
    memories = {player: _read_memories(tables[MEMORIES], player, names, account) for player in names if player}
    people = []
    for one in players:
        identity = _identity(one.get("description") or one.get("identity"))
        if not clean_name(one.get("name")) or identity not in plans:
            account.leave(clean_name(one.get("name")) or "a player", "a human player, not a character")
            continue
        name = options.name if options.name and len(players) == 1 else clean_name(one.get("name"))
        people.append(
            _make_person(
                name, identity, plans[identity], memories.get(line_of(one.get("playerId")), ()), options, account
            )
        )
    if not people:
        raise UsageError(f"{source.name}: found no character with name and identity", "export the tables again")
    if tables[MESSAGES]:
        account.leave(counted(len(tables[MESSAGES]), "message"), "what came of them stands in the memories")
    return Arrival(FORMAT.name, tuple(people), kept=_keep_files(source), mapped=account.mapped, left=account.left)


FORMAT = Format("characters of AI Town", fits, read)


def _read_table(source: ImportSource, table: PurePosixPath) -> list[Mapping[str, object]]:
    rows: list[Mapping[str, object]] = []
    for path, raw in sorted(source.files.items()):
        if path.match(str(table)):
            shown = f"{source.name}/{path}"
            rows += map(object_of, parse_lines(decode_text(raw, shown), shown))
    return sorted(rows, key=_read_creation_time)


def _read_creation_time(row: Mapping[str, object]) -> float:
    made = row.get("_creationTime")
    return made if is_number(made) and made == made else 0.0


def _identity(value: object) -> str:
    return " ".join(clean_scalar(value).split())


def _keep_files(source: ImportSource) -> dict[str, bytes]:
    if not source.files:
        return {".descriptions.json": source.raw}
    return keep_copies(
        (path.parent.name, path.suffix, raw)
        for path, raw in source.files.items()
        if any(path.match(str(table)) for table in TABLES)
    )


def _make_person(
    name: str, identity: str, plan: str, memories: tuple[Memory, ...], options: FormatOptions, account: Account
) -> ImportedPerson:
    words = import_words(options.language)
    account.took("identity", under_heading("learned", words))
    front: dict[str, object] = {"name": name}
    if plan:
        front["wish"] = line_of(plan)
        account.took("plan", "wish of the persona, and the prose")
    prose = prose_of(name, [(words("heading.learned"), "\n\n".join(filter(None, (identity, plan))))], words, account)
    return ImportedPerson(name, front, prose, memories)


def _read_memories(
    rows: list[Mapping[str, object]], player: str, names: Mapping[str, str], account: Account
) -> tuple[Memory, ...]:
    found: list[Memory] = []
    places: dict[str, int] = {}
    for row in rows:
        if line_of(row.get("playerId")) != player:
            continue
        data = object_of(row.get("data"))
        kind, text = line_of(data.get("type")), sentence_of(row.get("description"))
        if kind not in TYPES or not text:
            account.leave("memories", "some without a description, or of an unknown type")
            continue
        places[line_of(row.get("_id"))] = len(found)
        cited = (places.get(line_of(one)) for one in items_of(data.get("relatedMemoryIds")))
        weight = whole_of(row.get("importance"), 0, HIGHEST)
        found.append(
            Memory(
                text,
                TYPES[kind],
                None if weight is None else weight + 1,
                about=tuple(_list_others(data, player, names)),
                evidence=tuple(place for place in cited if place is not None and place < len(found)),
            )
        )
    if found:
        account.took("memories", "memories from before the story, with what they rest on")
    return gather_memories(found, account)


def _list_others(data: Mapping[str, object], player: str, names: Mapping[str, str]) -> Iterator[str]:
    for one in (data.get("playerId"), *items_of(data.get("playerIds"))):
        other = line_of(one)
        if other != player and names.get(other):
            yield names[other]
