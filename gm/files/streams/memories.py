"""The memories of a world as rows without text, updated at each access while a server runs. Thread-safe."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from gm.base.casefold import casefold
from gm.base.config.pages import PRIVATE_TAGS
from gm.base.errors import Problem
from gm.base.regular import read_regular
from gm.files.commits.snapshot import snapshot
from gm.files.formats.jsonl import scan_lines
from gm.files.formats.look import ABSENT, Look, digest_of, has_grown, look_at
from gm.files.formats.text import BOM, is_overlaid, read_data, read_readable, read_slice, unreadable
from gm.files.layout import Layout
from gm.files.reading import node_in
from gm.files.streams.find import ARCHIVE, GIFTED, INDEXED, STREAM, SUMMARIES, lines_with, path_of
from gm.files.streams.lineindex import LineIndex
from gm.files.streams.nodefile import LONG
from gm.files.streams.rows import COPIES, FileRows, MemoryRow, RowTexts, read_rows
from gm.files.streams.unread import UnreadStream
from gm.memory.share import find_private, grounds_of, is_private
from gm.model.node import Node, is_older_record


@dataclass(frozen=True, slots=True)
class OwnedRow:
    """The owner and row of a memory."""

    owner: str
    row: MemoryRow


@dataclass(frozen=True, slots=True)
class Held:
    """The memories of one character at one time; ``files`` are rows by home: stream, summaries, archive, gifted."""

    owner: str
    files: Mapping[str, FileRows]

    @property
    def problems(self) -> tuple[Problem, ...]:
        return tuple(problem for file in self.files.values() for problem in file.problems)

    def path_of(self, row: MemoryRow) -> str:
        """Return the file of a row; copies and utterances lie in the stream."""
        return self.files.get(row.home, self.files[STREAM]).shown

    def find(self, identifier: str) -> MemoryRow | None:
        """Find a memory by id in stream, archive, summaries, seed memories, in this order."""
        wanted = casefold(identifier)
        found = (self.files[home].by_id.get(wanted) for home in (STREAM, ARCHIVE, SUMMARIES, GIFTED))
        return next((row for row in found if row is not None), None)

    def citing(self, identifier: str) -> tuple[str, ...]:
        """Return the ids of the owner's memories that cite a memory."""
        wanted = casefold(identifier)
        return tuple(dict.fromkeys(one for file in self.files.values() for one in file.citing.get(wanted, ())))


class _File(NamedTuple):
    owner: str
    home: str
    path: Path
    shown: str


@dataclass(frozen=True, slots=True)
class _KnownFile:
    look: Look
    settled: bool
    digest: bytes
    size: int
    rows: FileRows


class Memories:
    """The memories of one world, for as long as pages are served.

    Args:
        left_out: The folded ids of memories that are hidden.
        reads_all: Whether streams are read whole when they are first needed, as all their pages are made.
    """

    def __init__(self, layout: Layout, left_out: Iterable[str] = (), *, reads_all: bool = False) -> None:
        self.layout = layout
        self._left_out = frozenset(left_out)
        self._reads_all = reads_all or bool(self._left_out)
        self._fewer: dict[Path, tuple[FileRows, FileRows]] = {}
        self._known: dict[Path, _KnownFile] = {}
        self._mentions: dict[tuple[Path, str], tuple[Look, bool, Mapping[str, tuple[str, ...]]]] = {}
        self._locks: dict[Path, Lock] = {}
        self._guard = Lock()

    @contextmanager
    def shared_lock(self) -> Iterator[None]:
        """Hold the shared lock while a page is rendered: it shows one state of the world."""
        with snapshot(self.layout):
            yield

    def of(self, name: str, unread: Collection[str] = ()) -> Held:
        """Return the memories of a character as they are now; only files that changed are read.

        Args:
            unread: Characters whose stream is left out.
        """
        return Held(
            name,
            {
                file.home: FileRows(name, file.shown, [], (), 0, RowTexts([]))
                if file.home == STREAM and name in unread
                else self._without_hidden(file.path, self._rows_of(file))
                for file in self._files_of(name)
            },
        )

    def unread(self, names: Iterable[str] | None = None) -> dict[str, UnreadStream]:
        """Return the streams that are looked through in their bytes sooner than they are read, by character.

        Empty where all together are short, memories are hidden, or all are to be read.

        Args:
            names: Characters whose streams are wanted; None = all.
        """
        wanted = self.layout.agent_names() if names is None else names
        paths = {name: self.layout.stream(name) for name in wanted if not self._reads_all}
        looks = {name: look_at(path) for name, path in paths.items()}
        if sum(look.size for look in looks.values()) < LONG:
            return {}  # the index need not be read
        index, found = LineIndex(self.layout), dict[str, UnreadStream]()
        for name, path in paths.items():
            known = self._known.get(path)
            facts = None if known and known.rows.is_ready else index.unchanged(path, looks[name])
            if facts is not None and facts.in_order:
                found[name] = UnreadStream(name, path, self.layout.shown(path), facts)
        return found if sum(stream.size for stream in found.values()) >= LONG else {}

    def warm(self, pause: Callable[[], object] = lambda: None) -> None:
        """Read all new files and prepare them for searching; ``pause`` is called before each step, without a lock."""
        for name in self.layout.agent_names():
            for file in self._files_of(name):
                pause()
                self._read_ahead(file, pause)
            with self.shared_lock():
                held = self.of(name)
            for rows in held.files.values():
                rows.make_ready(pause)

    def node(self, spot: OwnedRow) -> Node | None:
        """Read one memory; None if it was changed this very moment."""
        return self.nodes([spot])[0]

    def nodes(self, spots: Iterable[OwnedRow]) -> list[Node | None]:
        """Read memories; None in place of each whose line has changed."""
        return [node_in(line) for line in self.lines(spots)]

    def lines(self, spots: Iterable[OwnedRow]) -> list[str]:
        """Read lines of memories without line ends; "" if the line has changed."""
        paths: dict[tuple[str, str], Path] = {}
        lines = []
        for owner, row in ((spot.owner, spot.row) for spot in spots):
            if (owner, row.home) not in paths:
                paths[owner, row.home] = path_of(self.layout, owner, row.home)
            lines.append(_read_line(paths[owner, row.home], row))
        return lines

    def citing_elsewhere(self, name: str, others: Collection[str]) -> Mapping[str, tuple[str, ...]]:
        """Return the ids of others' memories that cite a character's memories, by folded cited id."""
        found: dict[str, tuple[str, ...]] = {}
        index = LineIndex(self.layout)
        for other in sorted(others):
            for file in self._files_of(other):
                for cited, ids in self._find_mentioned(
                    file.path, name, index if file.home in INDEXED else None
                ).items():
                    found[cited] = (*found.get(cited, ()), *ids)
        return found

    def find_private(self, minds: Collection[str] = ()) -> frozenset[str]:
        """Return the folded ids of private memories and of all that rests on one, of all characters.

        Args:
            minds: Characters all of whose memories are private.
        """
        owned = [
            OwnedRow(name, row)
            for name in self.layout.agent_names()
            for file in self.of(name).files.values()
            for row in file.rows
        ]
        if not minds and not any(is_private(spot.row.tags) for spot in owned):
            return frozenset()
        copies = self.nodes([spot for spot in owned if spot.row.home == COPIES])
        lived = (
            (spot.row.id, PRIVATE_TAGS if spot.owner in minds else spot.row.tags, spot.row.evidence) for spot in owned
        )
        return find_private(chain(lived, map(grounds_of, filter(None, copies))))

    def _files_of(self, name: str) -> list[_File]:
        paths = [(home, path_of(self.layout, name, home)) for home in (STREAM, SUMMARIES, ARCHIVE, GIFTED)]
        return [_File(name, home, path, self.layout.shown(path)) for home, path in paths]

    def _without_hidden(self, path: Path, rows: FileRows) -> FileRows:
        if not self._left_out:
            return rows
        known = self._fewer.get(path)
        if known is None or known[0] is not rows:
            known = self._fewer[path] = rows, rows.without(self._left_out)
        return known[1]

    def _lock(self, path: Path) -> Lock:
        with self._guard:
            return self._locks.setdefault(path, Lock())

    def _rows_of(self, file: _File) -> FileRows:
        path = file.path
        if is_overlaid(path):
            return read_rows(file.owner, file.home, file.shown, read_data(path))
        with self._lock(path):
            known = self._known.get(path)
            look = look_at(path)
            if known is None or not known.settled or known.look != look:
                known = self._known[path] = _read_file(file, look, known)
            return known.rows

    def _read_ahead(self, file: _File, pause: Callable[[], object]) -> None:
        """Read a file in steps, without a lock: a request reads it itself meanwhile; the first to finish keeps it."""
        if file.path not in self._known:
            read = _read_file(file, look_at(file.path), None, pause)  # of an older look, it is read again
            with self._lock(file.path):
                self._known.setdefault(file.path, read)

    def _find_mentioned(self, path: Path, name: str, index: LineIndex | None) -> Mapping[str, tuple[str, ...]]:
        if is_overlaid(path):
            return _mentions_in(read_data(path), name, self._left_out)
        with self._lock(path):
            look = look_at(path)
            known = self._mentions.get((path, name))
            if known is None or not known[1] or known[0] != look:
                is_without = look.size == ABSENT or (index and not index.may_name(path, name))
                # an unreadable one is reported on its owner's page
                found = {} if is_without else _mentions_in(read_readable(path), name, self._left_out)
                known = look, look.is_settled, found
                self._mentions[path, name] = known
            return known[2]


def _read_file(
    file: _File, look: Look, known: _KnownFile | None, pause: Callable[[], object] = lambda: None
) -> _KnownFile:
    owner, home, path, shown = file
    settled = look.is_settled
    try:
        data = b"" if look.size == ABSENT else read_regular(path)
    except OSError as error:
        return _KnownFile(look, False, b"", 0, FileRows(owner, shown, [], (unreadable(error, shown),), 0, RowTexts([])))
    whole = digest_of(data)
    if known is not None and known.digest == whole:
        return _KnownFile(look, settled, whole, len(data), known.rows)
    if known is not None and has_grown(data, known.size, known.digest):
        rows = known.rows.grown(read_rows(owner, home, shown, data, (known.rows, known.size), pause))
    else:
        rows = read_rows(owner, home, shown, data, pause=pause)
    return _KnownFile(look, settled, whole, len(data), rows)


def _mentions_in(data: bytes, name: str, left_out: frozenset[str]) -> dict[str, tuple[str, ...]]:
    beginning = f'"{name}-'.encode()
    found: dict[str, list[str]] = {}
    for begin, end in lines_with(data, beginning):
        node = node_in(data[begin:end].decode("utf-8", "replace"))
        if node is not None and casefold(node.id) not in left_out:
            for cited in node.evidence:
                if cited.startswith(f"{name}-"):
                    found.setdefault(casefold(cited), []).append(node.id)
    return {cited: tuple(dict.fromkeys(ids)) for cited, ids in found.items()}


def is_older_line(line: str) -> bool:
    """Return whether a line has the old record format."""
    return any(is_older_record(read.record) for read in scan_lines(line.removeprefix(BOM), "").lines)


def _read_line(path: Path, row: MemoryRow) -> str:
    data = read_slice(path, row.start, row.size)
    return data.decode("utf-8", "replace").removesuffix("\r") if b"\n" not in data else ""
