"""Find single memories by the bytes of their ids, a hundred times faster than decoding all lines."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from gm.base.casefold import casefold
from gm.files.commits.changes import read_day_entries
from gm.files.forms.text import BOM, read_data
from gm.files.layout import Layout
from gm.model.ids import parse_node_id
from gm.model.node import Node, node_from_record
from gm.model.record import RecordError

STREAM, ARCHIVE, GIFTED, SUMMARY = "stream", "archive", "gifted", "summaries"
NEAREST = 5
NEAR_NUMBERS = 2


@dataclass(frozen=True, slots=True)
class Found:
    """A memory and its location.

    Attributes:
        home: stream, archive, gifted or summaries.
        path: Relative to the world.
        line: From 1.
    """

    owner: str
    home: str
    path: str
    line: int
    node: Node


class Finder:
    """Searches the memory files of a world; each file is read once."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._data: dict[Path, bytes] = {}
        self._known: dict[str, list[Found]] = {}
        self.names = layout.agent_names()

    def find(self, identifier: str) -> list[Found]:
        """Return the memories with an id, streams before archives; several for a duplicate id."""
        if identifier not in self._known:
            self._known[identifier] = list(self._find(identifier))
        return self._known[identifier]

    def mentioning(self, text: str) -> Iterator[Found]:
        """Yield the memories with lines that contain the text as a whole JSON string: an id, a path."""
        spellings = _quoted(text)
        for name in self.names:
            for home, path in self._homes(name):
                yield from self._hits(name, home, path, spellings)

    def near(self, identifier: str) -> list[str]:
        """Return similar ids for one that does not exist."""
        parsed = parse_node_id(casefold(identifier))
        stem, number = parsed if parsed else (casefold(identifier).rstrip("-0123456789"), 0)
        by_fold = {casefold(name): name for name in self.names}
        close = [stem] if stem in by_fold else get_close_matches(stem, by_fold, 2, 0.5)
        found: list[str] = []
        for name in (by_fold[key] for key in close):
            last = self._last(name)
            same = f"{name}-{number:03d}"
            if number and self.find(same):
                found.append(same)
            elif last:
                lowest = max(1, min(number or last, last) - NEAR_NUMBERS)
                found += [near for at in range(lowest, last + 1)[:NEAREST] if self.find(near := f"{name}-{at:03d}")]
        return found[:NEAREST]

    def _last(self, name: str) -> int:
        for line in reversed(self._read(self._layout.stream(name)).rstrip().rsplit(b"\n", 3)[-3:]):
            record = _decode(line)
            parsed = parse_node_id(str(record.get("id", ""))) if record else None
            if parsed:
                return parsed[1]
        return 0

    def _find(self, identifier: str) -> Iterator[Found]:
        wanted = casefold(identifier)
        parsed = parse_node_id(wanted)
        own = [name for name in self.names if parsed and casefold(name) == parsed[0]]
        spellings = _quoted(identifier)
        if parsed and own:
            spellings += [
                item for item in _quoted(f"{own[0]}-{identifier[len(parsed[0]) + 1 :]}") if item not in spellings
            ]
        for name in (*own, *(name for name in self.names if name not in own)):
            found = False
            for home, path in self._homes(name):
                for item in self._hits(name, home, path, spellings):
                    if casefold(item.node.id) == wanted:
                        found = True
                        yield item
            if found:
                return

    def _homes(self, name: str) -> Iterator[tuple[str, Path]]:
        layout = self._layout
        yield STREAM, layout.stream(name)
        yield ARCHIVE, layout.archived(name)
        yield SUMMARY, layout.summarised(name)
        yield GIFTED, layout.gifted(name)

    def _hits(self, owner: str, home: str, path: Path, spellings: list[bytes]) -> Iterator[Found]:
        data = self._read(path)
        seen = set()
        for spelling in spellings:
            place = data.find(spelling)
            while place >= 0:
                begin = data.rfind(b"\n", 0, place) + 1
                end = data.find(b"\n", place)
                end = len(data) if end < 0 else end
                if begin not in seen:
                    seen.add(begin)
                    node = _read_node(data[begin:end])
                    if node is not None:
                        number = data.count(b"\n", 0, begin) + 1
                        yield Found(owner, home, self._layout.shown(path), number, node)
                place = data.find(spelling, end)

    def _read(self, path: Path) -> bytes:
        if path not in self._data:
            try:
                self._data[path] = read_data(path)
            except OSError:
                self._data[path] = b""  # absent, or unreadable: reported by gm check
        return self._data[path]


def original_node(layout: Layout, path: str, node: Node) -> Node | None:
    """Return a memory as the commit of its scene wrote it, before any edit; ``path`` is the stream inside the world.

    None if the user wrote it, or if the record of changes (local, may be deleted) does not have it.
    """
    for entry in read_day_entries(layout, node.when.day):
        for change in entry.files:
            if entry.moment == node.created and change.path == path and change.appends:
                for line in change.now.split(b"\n"):
                    with suppress(ValueError, RecursionError):  # RecordError is a ValueError
                        born = node_from_record(json.loads(line))
                        if casefold(born.id) == casefold(node.id):
                            return born
    return None


def _quoted(text: str) -> list[bytes]:
    forms = dict.fromkeys((text, unicodedata.normalize("NFC", text), unicodedata.normalize("NFD", text)))
    spelled = [json.dumps(form, ensure_ascii=plain) for form in forms for plain in (False, True)]
    return list(dict.fromkeys(item.encode("utf-8", "surrogatepass") for item in spelled))


def _decode(line: bytes) -> dict[str, Any] | None:
    try:
        record = json.loads(line.decode("utf-8").removeprefix(BOM))
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


def _read_node(line: bytes) -> Node | None:
    record = _decode(line)
    try:
        return node_from_record(record) if record else None
    except RecordError:
        return None
