"""What is known of a long stream without decoding it: that it is in order, its length, and where its reflections are.

Kept in ``state/.gm/outlines.json``, derived: a file that looks as it did is not read again; one that has grown is
compared by its bytes, and only the new end is decoded. Nothing is known of a stream in which anything is unusual: a
line that cannot be read, a number that does not rise, a day that falls. Such a stream is read whole.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from hashlib import blake2b
from typing import Any

from gm.model.ids import highest_number
from gm.model.node import is_beside
from gm.model.record import RecordError
from gm.regular import DOCUMENT_BYTES, read_regular
from gm.store.forms import disk
from gm.store.forms.jsonl import scan_lines
from gm.store.forms.private import make_private
from gm.store.layout import Layout
from gm.store.reading.lines import read_node

BLOCK = 1 << 20
SETTLED_NS = 2_000_000_000  # by then a further write shows in the time of a file, however coarse that is


@dataclass(slots=True)
class Outline:
    """What is known of one stream, up to a byte behind a line feed.

    Attributes:
        size: So many bytes were looked through; -1 = something in the file is unusual.
        lived: How many memories the stream has.
        beside: How many lines are kept beside it: copies of others' memories, single utterances.
        reflections: For each memory of a depth above 0: the byte where its line begins, and its place in the stream.
        highest: Number of the last line.
        day: Story day of the last line.
        print: Names the bytes.
        look: Size, times and place on the disk of the file.
        settled: Whether a later write would certainly have made it look different.
    """

    size: int = 0
    lived: int = 0
    beside: int = 0
    reflections: list[list[int]] = field(default_factory=list)
    highest: int = 0
    day: int = 0
    print: str = ""
    look: list[int] = field(default_factory=list)
    settled: bool = False

    @property
    def is_usual(self) -> bool:
        """Whether the stream is in order, and every line of it can be read."""
        return self.size >= 0


def outline_of(layout: Layout, name: str, file: int) -> Outline:
    """Tell what is known of a stream, and keep it.

    Args:
        layout: The world.
        name: Whose stream it is.
        file: Handle of the stream, open for reading.

    Raises:
        OSError: It cannot be read.
    """
    shown = layout.shown(layout.stream(name))
    notes = _read_notes(layout)
    known = _outline(notes.get(shown))
    look = _look(file)
    if known is not None and known.settled and known.look == look:
        return known
    newest = max(look[1], look[2])
    settled = time.time_ns() - newest > SETTLED_NS
    outline = _brought_up(name, file, look[0], known)
    outline.look, outline.settled = look, settled and _look(file) == look
    notes[shown] = asdict(outline)
    with suppress(OSError):  # where nothing can be written, it is looked through again
        make_private(layout.derived)
        disk.replace(layout.outlines, json.dumps(notes).encode())
    return outline


def _brought_up(name: str, file: int, size: int, known: Outline | None) -> Outline:
    """Look through a file, or what was added to it."""
    outline, digest = Outline(), blake2b(digest_size=16)
    if known is not None and known.is_usual and known.size <= size:
        for data in _blocks(file, 0, known.size):
            digest.update(data)
        if digest.hexdigest() == known.print:
            outline = known
        else:
            digest = blake2b(digest_size=16)
    rest = b""
    for data in _blocks(file, outline.size, size):
        digest.update(data)
        whole, feed, rest = (rest + data).rpartition(b"\n")
        if not _add(outline, name, whole + feed):
            return Outline(size=-1)
    if rest or outline.size != size:  # the last line has no end, or the file was cut meanwhile
        return Outline(size=-1)
    outline.print = digest.hexdigest()
    return outline


def _blocks(file: int, begin: int, end: int) -> Iterator[bytes]:
    while begin < end:
        data = os.pread(file, min(BLOCK, end - begin), begin)
        if not data:
            return
        yield data
        begin += len(data)


def _add(outline: Outline, name: str, data: bytes) -> bool:
    """Count whole lines that follow what is known; False where one is unusual."""
    try:
        scan = scan_lines(data.decode("utf-8"), "")
    except UnicodeDecodeError:
        return False
    if scan.problems or scan.blank or (not data.isascii() and "\ufeff" in scan.text):
        return False
    begin = outline.size
    for line, raw in zip(scan.lines, data.split(b"\n"), strict=False):
        try:
            node = read_node(name, line, {})
        except RecordError:
            return False
        number, day = highest_number(name, (node.id,)), node.when.day
        if number <= outline.highest or day < outline.day:
            return False
        outline.highest, outline.day = number, day
        if is_beside(node.metadata):
            outline.beside += 1
        else:
            if node.depth > 0:
                outline.reflections.append([begin, outline.lived])
            outline.lived += 1
        begin += len(raw) + 1
    outline.size += len(data)
    return begin == outline.size


def _look(file: int) -> list[int]:
    found = os.fstat(file)
    return [found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino]


def _read_notes(layout: Layout) -> dict[str, Any]:
    """Read the derived file; empty when it is absent or anything else."""
    with suppress(OSError, ValueError, RecursionError):
        notes = json.loads(read_regular(layout.outlines, DOCUMENT_BYTES))
        if isinstance(notes, dict):
            return notes
    return {}


def _outline(note: object) -> Outline | None:
    """Read what was kept of a file; None where it is nothing of the kind."""
    if not isinstance(note, dict) or note.keys() != Outline.__dataclass_fields__.keys():
        return None
    outline = Outline(**note)
    numbers = (outline.size, outline.lived, outline.beside, outline.highest, outline.day)
    fits = all(type(number) is int for number in numbers) and type(outline.settled) is bool
    fits = fits and type(outline.reflections) is list and all(_is_place(place) for place in outline.reflections)
    return outline if fits else None


def _is_place(place: object) -> bool:
    return type(place) is list and len(place) == 2 and type(place[0]) is type(place[1]) is int
