"""A world as others may see it: the minds that are kept back are empty; what their characters do and say stays."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

from gm.base.untyped import items_of, objects_in, texts_in
from gm.files.commits.snapshot import snapshot
from gm.files.formats.text import is_there, overlaid, read_readable
from gm.files.layout import Layout
from gm.files.story.now import load_persona, load_written_state
from gm.files.streams.find import ARCHIVE, GIFTED, STREAM, SUMMARIES, path_of
from gm.files.streams.memories import Memories, OwnedRow
from gm.layers import LAYERS
from gm.layers.declare import LINES
from gm.layers.privacy import minds_in, private_words
from gm.layers.relationships import HISTORY
from gm.memory.share import PRIVATE, quotes
from gm.model.ids import agent_of
from gm.model.logged import PRIVACY, Privacy
from gm.model.node import Node
from gm.model.scene import REFLECTION, SUMMARY
from gm.model.turns import INNER


@contextmanager
def without_minds(layout: Layout, hidden: Collection[str]) -> Iterator[frozenset[str]]:
    """Hold a moment of a world in which the minds that ``hidden`` names are empty.

    Args:
        hidden: Words of ``publish.private`` and ids of characters.

    Yields:
        The same, with the folded ids of all memories that are private or rest on what is kept back.
    """
    minds = minds_in(hidden)
    with snapshot(layout):
        memories = Memories(layout)
        secret = memories.find_private(minds) if PRIVATE in hidden else frozenset()
        rows = (OwnedRow(name, row) for name in minds for file in memories.of(name).files.values() for row in file.rows)
        nodes = tuple(filter(None, memories.nodes(rows)))
        with overlaid(dict(_read_without(layout, minds, nodes))):
            yield frozenset(hidden) | secret


def _read_without(layout: Layout, minds: Collection[str], nodes: Collection[Node]) -> Iterator[tuple[Path, bytes]]:
    for name in minds:
        emptied = [(path_of(layout, name, home), b"") for home in (STREAM, SUMMARIES, ARCHIVE, GIFTED)]
        for layer in LAYERS:
            emptied.append((layout.layer(layer, name), b"" if layer.file.ending == LINES else b"{}"))
            emptied.append((layout.layer(layer, name, HISTORY), b""))
        yield from ((path, data) for path, data in emptied if is_there(path))
        state, _ = load_written_state(layout, name)
        kept = {key: getattr(state, key) for key in ("name", "position", "current_task", "mood")}
        yield layout.agent(name), json.dumps({key: value for key, value in kept.items() if value}).encode()
        if persona := load_persona(layout, name)[0]:
            front = {
                key: value
                for key, value in persona.front.items()
                if key not in (*private_words(), "friends", "quarrels")
            }
            head = yaml.safe_dump(front, allow_unicode=True, sort_keys=False)
            yield layout.persona(name), f"---\n{head}---\n\n{persona.prose}\n".encode()
    for path in layout.day_logs().values() if minds else ():
        lines = (_redact_line(line, minds, nodes) for line in read_readable(path).splitlines())
        yield path, b"".join(line + b"\n" for line in lines)


def _redact_line(line: bytes, minds: Collection[str], nodes: Collection[Node]) -> bytes:
    try:
        record = json.loads(line)
    except ValueError:
        return line  # no page shows it
    return json.dumps(_redact(record, minds, nodes), ensure_ascii=False).encode() if isinstance(record, dict) else line


def _redact(record: Mapping[str, Any], minds: Collection[str], nodes: Collection[Node]) -> dict[str, Any]:
    privacy = PRIVACY | {layer.reply.record: Privacy.OWNED for layer in LAYERS if layer.reply}
    cast = texts_in(record.get("participants"))
    has_reasons = record.get("type") != SUMMARY and set(minds).isdisjoint(cast)
    is_inner = REFLECTION in str(record.get("type")) and set(cast) <= set(minds)
    found: dict[str, Any] = {}
    for key, value in record.items():
        match privacy.get(key, Privacy.OPEN):
            case Privacy.REASON if not has_reasons:
                continue
            case Privacy.BY_ID if isinstance(value, dict):
                shown: Any = {name: part for name, part in value.items() if name not in minds}
            case Privacy.OWNED:
                shown = [item for item in items_of(value) if _owner_of(item) not in minds]
            case Privacy.TURNS:
                shown = [_redact_turn(turn, minds) for turn in objects_in(value)]
            case Privacy.TELLING if isinstance(value, list):
                shown = [one for one in value if not quotes(str(one), nodes)]
            case Privacy.TELLING if is_inner or quotes(str(value), nodes):
                shown = ""
            case _:
                shown = value
        found[key] = shown
    return found


def _redact_turn(turn: Mapping[str, Any], minds: Collection[str]) -> dict[str, Any]:
    return {key: value for key, value in turn.items() if key not in INNER or turn.get("agent") not in minds}


def _owner_of(item: object) -> str:
    if isinstance(item, dict):
        return str(item.get("agent") or agent_of(str(item.get("id", ""))))
    return agent_of(item) if isinstance(item, str) else ""
