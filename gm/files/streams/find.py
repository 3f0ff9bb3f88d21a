"""Find single memories by the bytes of their ids, a hundred times faster than decoding all lines."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from gm.base.casefold import casefold
from gm.files.commits.snapshot import snapshot
from gm.files.commits.steps import line_at, read_exactly
from gm.files.formats.jsonl import JsonLine, lines_in, read_lines
from gm.files.formats.text import read_readable, sha256
from gm.files.layout import Layout
from gm.files.reading import readable_nodes
from gm.files.streams.lineindex import LineIndex
from gm.memory.share import is_private
from gm.model.ids import WORLD, agent_of, parse_node_id, render_node_id
from gm.model.node import Node, is_older_record

STREAM, ARCHIVE, SUMMARIES, GIFTED = "stream", "archive", "summaries", "gifted"
_PATHS = {STREAM: Layout.stream, ARCHIVE: Layout.archived, SUMMARIES: Layout.summarised, GIFTED: Layout.gifted}
OLDEST_FIRST = (ARCHIVE, SUMMARIES, STREAM)
"""Where a character's own memories lie."""
INDEXED = (STREAM, SUMMARIES)
"""Homes whose lines are in the line index."""
NEAREST = 5
NEAR_NUMBERS = 2


def path_of(layout: Layout, name: str, home: str) -> Path:
    """Return the file of a character for a home; copies and utterances lie in the stream."""
    return _PATHS.get(home, Layout.stream)(layout, name)


@dataclass(frozen=True, slots=True)
class FoundMemory:
    """A memory and its place.

    Attributes:
        node: In today's shape; without a text if only the logbook knows it.
        home: stream, archive, summaries or gifted; on pages also copies and utterances.
        path: Inside the world; empty, as are the following, where the place does not matter.
        line: From 1.
        is_older: Whether the line has the older shape.
    """

    agent: str
    node: Node
    home: str = STREAM
    path: str = ""
    line: int = 0
    is_older: bool = False

    @property
    def is_private(self) -> bool:
        """Whether it is tagged as private."""
        return is_private(self.node.tags)


def list_found(layout: Layout, agent: str, homes: Sequence[str] = OLDEST_FIRST) -> Iterator[FoundMemory]:
    """Yield an agent's memories, oldest first; unreadable lines are left out."""
    for home in homes:
        path = path_of(layout, agent, home)
        shown = layout.shown(path)
        yield from _decode_found(agent, home, shown, read_lines(path, shown)[0])


def find_memory(layout: Layout, identifier: str) -> list[FoundMemory]:
    """Return the memories with an id, usually one; ``gifted/ID`` is a seed memory."""
    home, _, plain = identifier.partition("/")
    with snapshot(layout):
        if home != GIFTED:
            return Finder(layout, OLDEST_FIRST).find(identifier)
        return list(map(name_gifted, Finder(layout, (GIFTED,)).find(plain)))


def name_gifted(found: FoundMemory) -> FoundMemory:
    """Name a seed memory ``gifted/ID``, since a lived one may have the same id."""
    return replace(found, node=replace(found.node, id=f"{GIFTED}/{found.node.id}"))


def find_archived(layout: Layout, identifiers: Iterable[str]) -> dict[str, Node]:
    """Return archived memories of any characters by folded id; absent ones are left out."""
    finder = Finder(layout, (ARCHIVE,))
    found: dict[str, Node] = {}
    for identifier in identifiers:
        if parsed := parse_node_id(casefold(identifier)):
            name = layout.archived(parsed[0]).stem
            for item in finder.find_in(name, identifier, _spell_id(identifier, name)):
                found.setdefault(casefold(item.node.id), item.node)
    return found


class Finder:
    """Searches the memory files of a world; each file is read once.

    Args:
        homes: The files of each character, in the order in which they are searched.
    """

    def __init__(self, layout: Layout, homes: Sequence[str] = tuple(_PATHS)) -> None:
        self._layout = layout
        self._homes = homes
        self._data: dict[Path, bytes] = {}
        self._known: dict[str, list[FoundMemory]] = {}
        self.names = [*layout.agent_names(), *([WORLD] if homes == (GIFTED,) else [])]

    def find(self, identifier: str) -> list[FoundMemory]:
        """Return the memories with an id, those of the named character first; several for a duplicate id."""
        if identifier not in self._known:
            parsed = parse_node_id(casefold(identifier))
            own = [name for name in self.names if parsed and casefold(name) == parsed[0]]
            spellings = _spell_id(identifier, *own)
            names = dict.fromkeys((*own, *self.names))
            hits = (self.find_in(name, identifier, spellings) for name in names)
            self._known[identifier] = next(filter(None, hits), [])
        return self._known[identifier]

    def find_in(self, name: str, identifier: str, spellings: Collection[bytes]) -> list[FoundMemory]:
        """Return the memories of one character with this id in any case; ``spellings`` are those of its JSON string."""
        wanted = casefold(identifier)
        return [found for found in self._find_lines(name, spellings) if casefold(found.node.id) == wanted]

    def mentioning(self, text: str) -> Iterator[FoundMemory]:
        """Yield the memories with lines that contain the text as a whole JSON string: an id, a path."""
        spellings = _spell_id(text)
        for name in self.names:
            yield from self._find_lines(name, spellings)

    def naming(self, identifier: str) -> Iterator[FoundMemory]:
        """Yield at least the memories that cite a memory or are copies of it."""
        owner, index, spellings = agent_of(identifier), LineIndex(self._layout), _spell_id(identifier)
        for name in self.names:
            for home in self._homes:
                if home not in INDEXED or index.may_name(path_of(self._layout, name, home), owner):
                    yield from self._find_lines(name, spellings, (home,))

    def near(self, identifier: str) -> list[str]:
        """Return existing ids that resemble one that does not exist, for a hint."""
        from difflib import get_close_matches

        parsed = parse_node_id(casefold(identifier))
        stem, number = parsed if parsed else (casefold(identifier).rstrip("-0123456789"), 0)
        by_fold = {casefold(name): name for name in self.names}
        close = [stem] if stem in by_fold else get_close_matches(stem, by_fold, 2, 0.5)
        found: list[str] = []
        for name in (by_fold[key] for key in close):
            last = self._last_number(name)
            same = render_node_id(name, number)
            if number and self.find(same):
                found.append(same)
            elif last:
                lowest = max(1, min(number or last, last) - NEAR_NUMBERS)
                near = (render_node_id(name, at) for at in range(lowest, last + 1)[:NEAREST])
                found += filter(self.find, near)
        return found[:NEAREST]

    def _last_number(self, name: str) -> int:
        end = b"\n".join(self._read_once(self._layout.stream(name)).rstrip().rsplit(b"\n", 3)[-3:])
        parsed = (parse_node_id(str(line.record.get("id", ""))) for line in reversed(lines_in(end)))
        return next((found[1] for found in parsed if found), 0)

    def _find_lines(self, agent: str, spellings: Collection[bytes], homes: Sequence[str] = ()) -> Iterator[FoundMemory]:
        for home in homes or self._homes:
            path = path_of(self._layout, agent, home)
            data = self._read_once(path)
            seen = set()
            for spelling in spellings:
                for begin, end in lines_with(data, spelling):
                    if begin not in seen:
                        seen.add(begin)
                        above = data.count(b"\n", 0, begin)
                        yield from _decode_found(
                            agent, home, self._layout.shown(path), lines_in(data[begin:end]), above
                        )

    def _read_once(self, path: Path) -> bytes:
        if path not in self._data:
            self._data[path] = read_readable(path)  # gm check reports an unreadable one
        return self._data[path]


def lines_with(data: bytes, text: bytes) -> Iterator[tuple[int, int]]:
    """Yield begin and end of each line that contains a text."""
    place = data.find(text)
    while place >= 0:
        end = data.find(b"\n", place)
        end = len(data) if end < 0 else end
        yield data.rfind(b"\n", 0, place) + 1, end
        place = data.find(text, end)


def read_memory_line(layout: Layout, found: FoundMemory) -> str:
    """Return a memory's line, without line end."""
    return line_at(read_exactly(layout.root / found.path), found.line)


def line_print(line: str) -> str:
    """Return the digest of a line, by which an edit knows that it is as it was read."""
    return sha256(line.encode())


def _spell_id(text: str, *owner: str) -> list[bytes]:
    texts = (text, *(f"{name}-{text.rpartition('-')[2]}" for name in owner))
    forms = [unicodedata.normalize(form, one) for one in texts for form in ("NFC", "NFD")]
    spelled = [json.dumps(form, ensure_ascii=plain) for form in (*texts, *forms) for plain in (False, True)]
    return list(dict.fromkeys(item.encode("utf-8", "surrogatepass") for item in spelled))


def _decode_found(
    agent: str, home: str, shown: str, lines: Iterable[JsonLine], above: int = 0
) -> Iterator[FoundMemory]:
    for (number, record), node in readable_nodes(lines):
        yield FoundMemory(agent, node, home, shown, above + number, is_older_record(record))
