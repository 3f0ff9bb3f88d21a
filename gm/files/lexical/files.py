"""What the index knows of files, their lines and their scenes: the turn of a memory is the ordinal of its scene."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from gm.files.forms.jsonl import scan_lines
from gm.files.forms.look import Look, digest_of, look_at
from gm.files.forms.text import BOM, is_overlaid, read_data
from gm.files.layout import Layout
from gm.memory.recall.query import Turn
from gm.model.calendar import SceneRef, parse_ref, render_day

WORDS, SCENES = "words", "scenes"
_CREATED = re.compile(rb'"created"\s*:\s*"(day-[0-9]{3,18}/scene-[0-9]{2,18}[a-z]?)"')


class KnownFile(NamedTuple):
    """What the index knows of a file.

    Attributes:
        settled: Whether any later write would certainly have changed the look.
        scenes: Separated by spaces; for use ``scenes``.
    """

    look: Look
    settled: bool
    digest: bytes
    read: int
    lines: int = 0
    scenes: str = ""


class RawLine(NamedTuple):
    """A line: offset in bytes, content without line feed, digest."""

    start: int
    data: bytes
    digest: bytes


def known_file(file: sqlite3.Connection, path: str, use: str = WORDS) -> KnownFile | None:
    """Return what is known of a file for a use; None if never read."""
    row = file.execute(
        "SELECT size, changed, status, inode, settled, digest, read, lines, scenes FROM file "
        "WHERE path = ? AND use = ?",
        (path, use),
    ).fetchone()
    return KnownFile(Look(*row[:4]), bool(row[4]), *row[5:]) if row else None


def is_same(path: Path, known: KnownFile | None) -> bool:
    """Return whether a file is certainly unchanged, without reading it."""
    return known is not None and known.settled and not is_overlaid(path) and look_at(path) == known.look


def seen_file(path: Path, look: Look, data: bytes, *, lines: int = 0, scenes: str = "") -> KnownFile:
    """Return the entry of a file just read."""
    settled = look.is_settled and not is_overlaid(path)
    return KnownFile(look, settled, digest_of(data), len(data) if is_text(data) else 0, lines, scenes)


def note_file(file: sqlite3.Connection, path: str, known: KnownFile, use: str = WORDS) -> None:
    """Store the entry of a file."""
    file.execute(
        "INSERT OR REPLACE INTO file (path, use, size, changed, status, inode, settled, digest, read, lines, scenes) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (path, use, *known.look, *known[1:]),
    )


def read_whole(path: Path) -> bytes:
    """Read a file; empty if absent or unreadable."""
    try:
        return read_data(path)
    except OSError:
        return b""


def is_text(data: bytes) -> bool:
    """Return whether the data is UTF-8."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def raw_lines(data: bytes, start: int = 0) -> Iterator[RawLine]:
    """Yield the non-blank lines from an offset on."""
    mark = BOM.encode()
    if not start and data.startswith(mark):
        start = len(mark)
    while start < len(data):
        end = data.find(b"\n", start)
        end = len(data) if end < 0 else end
        line = data[start:end]
        if line and not line.isspace():
            yield RawLine(start, line, digest_of(line))
        start = end + 1


def count_scenes(file: sqlite3.Connection, layout: Layout) -> Turn:
    """Return a function from a scene to its ordinal in playing order, from 1; 0 = unknown."""
    found: set[SceneRef] = set()
    read: dict[str, KnownFile] = {}
    for path in _dated(layout):
        shown = layout.shown(path)
        known = known_file(file, shown, SCENES)
        if known is None or not is_same(path, known):
            look, data = look_at(path), read_whole(path)
            read[shown] = known = seen_file(path, look, data, scenes=_scenes_in(layout, path, data))
        found.update(ref for text in known.scenes.split() if (ref := parse_ref(text)) is not None)
    _note(file, read)
    ordinals = {ref: number for number, ref in enumerate(sorted(found), 1)}
    return lambda moment: ordinals.get(moment, 0)


def _note(file: sqlite3.Connection, read: Mapping[str, KnownFile]) -> None:
    """Skipped while another process writes; the files are read again then."""
    if not any(known.settled for known in read.values()):
        return
    with suppress(sqlite3.OperationalError):
        file.execute("BEGIN IMMEDIATE")
        for shown, known in read.items():
            note_file(file, shown, known, SCENES)
        file.execute("COMMIT")


def _dated(layout: Layout) -> Iterator[Path]:
    yield from (layout.day_log(day) for day in layout.logged_days())
    for name in layout.agent_names():
        yield from (layout.archived(name), layout.stream(name))


def _scenes_in(layout: Layout, path: Path, data: bytes) -> str:
    if path.parent != layout.logbook:
        return " ".join(sorted({ref.decode() for ref in _CREATED.findall(data)}))
    if not is_text(data):
        return ""
    day = render_day(int(path.stem.removeprefix("day-")))
    found = {_scene_of(day, line.record.get("scene")) for line in scan_lines(data.decode(), "").lines}
    return " ".join(sorted(found - {""}))


def _scene_of(day: str, scene: object) -> str:
    match = re.fullmatch(r"0*([1-9][0-9]{0,17})([a-z]?)", str(scene)) if not isinstance(scene, bool) else None
    return f"{day}/scene-{int(match[1]):02d}{match[2]}" if match else ""
