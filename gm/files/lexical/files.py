"""What the index knows of files, their lines and their scenes: the turn of a memory is the ordinal of its scene."""

from __future__ import annotations

import re
import sqlite3
from bisect import bisect_left
from codecs import getincrementaldecoder
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from hashlib import blake2b
from itertools import chain
from pathlib import Path
from struct import Struct, iter_unpack
from typing import NamedTuple

from gm.files.formats.jsonl import scan_lines
from gm.files.formats.look import Look, digest_of, look_at
from gm.files.formats.text import BOM, is_overlaid, read_blocks, read_readable
from gm.files.layout import Layout
from gm.files.lexical.schema import fitting
from gm.memory.recall.query import Turn
from gm.model.calendar import SceneRef
from gm.model.logged import LogEntry

WORDS, SCENES = "words", "scenes"
TOLD = 20_000
_SCENE = Struct(">QQ1s")
"""Day, number and letter of a scene, as bytes that sort as scenes do."""
_CREATED = re.compile(rb'"created"\s*:\s*"day-([0-9]{3,18})/scene-([0-9]{2,18})([a-z]?)"')


class KnownFile(NamedTuple):
    """What the index knows of a file.

    Attributes:
        settled: Whether any later write would certainly have changed the look.
        lost: Lines that are not memories.
        scenes: One after another, in order; for use ``scenes``.
    """

    look: Look
    settled: bool
    digest: bytes
    read: int
    lines: int = 0
    lost: int = 0
    scenes: bytes = b""


class RawLine(NamedTuple):
    """A line: offset in bytes, content without line feed, digest."""

    start: int
    data: bytes
    digest: bytes


def known_file(file: sqlite3.Connection, path: str, use: str = WORDS) -> KnownFile | None:
    """Return what is known of a file for a use; None if never read."""
    row = file.execute(
        "SELECT size, changed, status, inode, settled, digest, read, lines, lost, scenes FROM file "
        "WHERE path = ? AND use = ?",
        (path, use),
    ).fetchone()
    return KnownFile(Look(*row[:4]), bool(row[4]), *row[5:]) if row else None


def is_same_file(path: Path, known: KnownFile | None) -> bool:
    """Return whether a file is certainly unchanged, without reading it."""
    return known is not None and known.settled and not is_overlaid(path) and look_at(path) == known.look


def make_known_file(path: Path, look: Look, read: Reading, lines: int, lost: int) -> KnownFile:
    """Return the entry of a file whose lines were read."""
    settled = look.is_settled and not is_overlaid(path)
    return KnownFile(look, settled, read.digest.digest(), read.size if read.is_text else 0, lines, lost)


def note_file(file: sqlite3.Connection, path: str, known: KnownFile, use: str = WORDS) -> None:
    """Store the entry of a file."""
    file.execute(
        "INSERT OR REPLACE INTO file "
        "(path, use, size, changed, status, inode, settled, digest, read, lines, lost, scenes) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (path, use, *known.look, *known[1:]),
    )


def is_text(data: bytes) -> bool:
    """Return whether the data is UTF-8."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


class Reading:
    """A file that is read twice in blocks: it is compared with its known state, then its lines are read.

    Args:
        tell: Called with the number of lines taken, every ``TOLD`` lines.

    Attributes:
        is_text: Whether it is UTF-8.
        start: Offset of the lines to take: the end of what is known, if the file still begins with that, else 0.
        digest: Of ``start`` bytes, then also of the lines taken.
        size: Likewise.
    """

    def __init__(self, path: Path, known: KnownFile | None, tell: Callable[[int], None] = lambda _: None) -> None:
        self._path = path
        self._tell = tell
        self.is_text = True
        self.start = self.size = 0
        self.digest = blake2b(digest_size=16)
        with suppress(OSError):
            self._compare_with(known)

    def _compare_with(self, known: KnownFile | None) -> None:
        digest, decoder = self.digest.copy(), getincrementaldecoder("utf-8")()
        size, wanted = 0, known.read if known is not None else 0
        ended = False
        try:
            for data in read_blocks(self._path):
                decoder.decode(data)
                if size < wanted <= size + len(data):
                    begin = data[: wanted - size]
                    digest.update(begin)
                    ended, size = begin.endswith(b"\n"), size + len(data)
                elif size < wanted:
                    digest.update(data)
                    size += len(data)
                else:
                    size += len(data)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            self.is_text = False
            return
        if known is not None and 0 < wanted <= size and digest.digest() == known.digest and (ended or size == wanted):
            self.digest, self.start, self.size = digest, wanted, wanted

    def lines(self) -> Iterator[RawLine]:
        """Yield the non-blank lines from ``start`` on; none if the file is absent or unreadable."""
        for number, line in enumerate(self._read_lines(), 1):
            yield line
            if not number % TOLD:
                self._tell(number)

    def _read_lines(self) -> Iterator[RawLine]:
        begin, rest = self.start, b""
        with suppress(OSError):
            for data in read_blocks(self._path, self.start):
                self.digest.update(data)
                self.size += len(data)
                *whole, rest = (rest + data).split(b"\n")
                for line in whole:
                    yield from _raw_line(begin, line)
                    begin += len(line) + 1
        yield from _raw_line(begin, rest)


def _raw_line(begin: int, line: bytes) -> Iterator[RawLine]:
    mark = BOM.encode()
    if not begin and line.startswith(mark):
        begin, line = len(mark), line.removeprefix(mark)
    if line and not line.isspace():
        yield RawLine(begin, line, digest_of(line))


@fitting
def count_scenes(file: sqlite3.Connection, layout: Layout) -> Turn:
    """Return a function from a scene to its ordinal in playing order, from 1; 0 = unknown."""
    found: set[bytes] = set()
    read: dict[str, KnownFile] = {}
    for path in _dated_paths(layout):
        shown = layout.shown(path)
        known = known_file(file, shown, SCENES)
        if known is None or not is_same_file(path, known):
            look = look_at(path)
            settled = look.is_settled and not is_overlaid(path)
            read[shown] = known = KnownFile(look, settled, b"", 0, scenes=_scenes_in(layout, path))
        if known.scenes:
            found.add(known.scenes)
    _note_files(file, read)
    scenes = _join_scenes(found)
    places = range(len(scenes) // _SCENE.size)

    def scene_at(place: int) -> bytes:
        return scenes[place * _SCENE.size : (place + 1) * _SCENE.size]

    def turn_of(moment: SceneRef) -> int:
        wanted = _SCENE.pack(moment.day, moment.scene, moment.suffix.encode())
        place = bisect_left(places, wanted, key=scene_at)
        return place + 1 if scene_at(place) == wanted else 0

    return turn_of


def _join_scenes(found: Collection[bytes]) -> bytes:
    """Return the scenes of several files, each once and in order."""
    if len(found) <= 1:
        return b"".join(found)
    files = ([scene for (scene,) in iter_unpack(f"{_SCENE.size}s", scenes)] for scenes in found)
    return b"".join(dict.fromkeys(sorted(chain.from_iterable(files))))


def _note_files(file: sqlite3.Connection, read: Mapping[str, KnownFile]) -> None:
    """Skipped while another process writes; the files are read again then."""
    if not any(known.settled for known in read.values()):
        return
    with suppress(sqlite3.OperationalError):
        file.execute("BEGIN IMMEDIATE")
        for shown, known in read.items():
            note_file(file, shown, known, SCENES)
        file.execute("COMMIT")


def _dated_paths(layout: Layout) -> Iterator[Path]:
    yield from (layout.day_log(day) for day in layout.logged_days())
    for name in layout.agent_names():
        yield from (layout.archived(name), layout.stream(name))


def _scenes_in(layout: Layout, path: Path) -> bytes:
    if path.parent != layout.logbook:
        found = {(int(day), int(scene), suffix) for day, scene, suffix in _read_created(path)}
    else:
        data = read_readable(path)
        day = int(path.stem.removeprefix("day-"))
        lines = scan_lines(data.decode(), "").lines if is_text(data) else ()
        refs = {LogEntry(day, line.record).ref for line in lines}
        found = {(ref.day, ref.scene, ref.suffix.encode()) for ref in refs if ref is not None and ref.scene}
    return b"".join(_SCENE.pack(*scene) for scene in sorted(found))


def _read_created(path: Path) -> set[tuple[bytes, bytes, bytes]]:
    found, rest = set[tuple[bytes, bytes, bytes]](), b""
    with suppress(OSError):
        for data in read_blocks(path):
            whole, _, rest = (rest + data).rpartition(b"\n")
            found.update(_CREATED.findall(whole))
    return found.union(_CREATED.findall(rest))
