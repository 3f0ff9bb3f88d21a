"""The line index, ``state/.gm/lines.jsonl``: facts about memory files, to avoid decoding their lines again.

Its first line is its version and a checksum, its second the counts of all files; the others are the columns of each
file, which grow with it and are rarely needed. It is derived and can be deleted. Files with an unreadable line are
decoded each time, to report it.
"""

from __future__ import annotations

import binascii
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from io import BufferedReader
from pathlib import Path
from typing import Any

from gm.base.casefold import casefold
from gm.base.errors import Problem
from gm.base.regular import open_regular
from gm.files.formats import disk
from gm.files.formats.look import Look, look_at
from gm.files.formats.text import is_overlaid, is_there
from gm.files.layout import Layout
from gm.files.streams.linefacts import LineCounts, LineFacts

VERSION = 5
"""Format version; an index of another version is rebuilt."""


class LineIndex:
    """The line index of a world; opened by ``line_index``."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._counted: Mapping[str, LineCounts] | None = None
        self._known: dict[str, LineFacts] | None = None
        self._changed = False

    def count(self, name: str, path: Path) -> tuple[LineCounts, list[Problem]]:
        """Return what ``lines`` does, without columns if the file is unchanged: they take most of the time."""
        known = self._unchanged_counts(path, look_at(path))
        return self.lines(name, path) if known is None or known.broken else (known, [])

    def lines(self, name: str, path: Path) -> tuple[LineFacts, list[Problem]]:
        """Return the facts about a character's stream or summaries, and an error for each unreadable line."""
        if not is_there(path):
            return LineFacts(), []
        try:
            if not is_overlaid(path):
                file = open_regular(path)
                try:
                    return self._update_lines(name, path, file)
                finally:
                    os.close(file)
        except OSError:
            pass  # reported as a problem below
        from gm.files.streams.linescan import read_whole

        return read_whole(name, path, self._layout.shown(path))

    def in_order(self, name: str, path: Path, file: int) -> LineFacts | None:
        """Return the facts about a stream that is open for reading; None if it is not in order.

        Raises:
            OSError: It cannot be read.
        """
        known = self.unchanged(path, look_at(file))
        lines = known or self._update_lines(name, path, file)[0]
        return lines if lines.in_order else None

    def unchanged(self, path: Path, look: Look) -> LineFacts | None:
        """Return what is known of a file that looks as it did then; None if nothing certain is known. Reads no line."""
        known = self._entries().get(self._layout.shown(path)) if not is_overlaid(path) else None
        return known if known is not None and _is_unchanged(known, look) else None

    def _unchanged_counts(self, path: Path, look: Look) -> LineCounts | None:
        if self._counted is None:
            self._counted = _read_counts(self._layout.lines)
        entries = self._counted if self._known is None else self._known
        known = entries.get(self._layout.shown(path)) if not is_overlaid(path) else None
        return known if known is not None and _is_unchanged(known, look) else None

    def may_name(self, path: Path, name: str) -> bool:
        """Return whether a stream or summaries may cite or copy a character's memories; decodes no line."""
        known = self._unchanged_counts(path, look_at(path))
        start = f"{casefold(name)}-"
        return known is None or known.broken or any(f"{casefold(one)}-".startswith(start) for one in known.named)

    def highest_archived(self, name: str) -> int:
        """Return the highest number of an archived id; 0 = none. Decodes no line."""
        path = self._layout.archived(name)
        if not is_there(path):
            return 0
        look = look_at(path)
        if (unchanged := self._unchanged_counts(path, look)) is not None:
            return unchanged.highest
        from gm.files.streams.linescan import read_ids

        known = self._entries().get(self._layout.shown(path))
        highest = known.highest if known is not None else 0
        try:
            lines = read_ids(name, path, known)
        except OSError:
            return highest
        if not is_overlaid(path):
            self._keep_lines(path, look, lines)
        return lines.highest

    def save(self) -> None:
        """Write the index if it has changed; failure to write is ignored."""
        if not self._changed or self._known is None:
            return
        counts = {shown: {name: getattr(lines, name) for name in _COUNTS} for shown, lines in self._known.items()}
        columns = b"\n".join(
            column for lines in self._known.values() for column in (lines.days, lines.places, lines.artifacts)
        )
        counted = json.dumps([counts, binascii.crc32(columns)]).encode()
        with suppress(OSError):
            disk.make_private(self._layout.derived)
            disk.replace(self._layout.lines, b"[%d, %d]\n%b\n%b" % (VERSION, binascii.crc32(counted), counted, columns))
            self._changed = False

    def _update_lines(self, name: str, path: Path, file: int) -> tuple[LineFacts, list[Problem]]:
        look = look_at(file)
        known = self.unchanged(path, look)
        if known is not None and not known.broken:
            return known, []
        # imported late: usually nothing has changed
        from gm.files.streams.linescan import read_whole, scan_stream

        problems: list[Problem] = []
        lines = None if known else scan_stream(name, file, look.size, self._entries().get(self._layout.shown(path)))
        if lines is None:
            lines, problems = read_whole(name, path, self._layout.shown(path))
        if known is None:
            self._keep_lines(path, look, lines)
        return lines, problems

    def _keep_lines(self, path: Path, look: Look, lines: LineFacts) -> None:
        lines.look, lines.settled = look, look.is_settled and look_at(path) == look
        self._entries()[self._layout.shown(path)] = lines
        self._changed = True

    def _entries(self) -> dict[str, LineFacts]:
        if self._known is None:
            self._known = _read_index(self._layout.lines)
        return self._known


@contextmanager
def line_index(layout: Layout) -> Iterator[LineIndex]:
    """Open the line index of a world; save it after the block."""
    index = LineIndex(layout)
    yield index
    index.save()


_COUNTS = tuple(LineCounts.__dataclass_fields__)


def _is_unchanged(known: LineCounts, look: Look) -> bool:
    return known.settled and known.look == look


def _read_counts(path: Path) -> dict[str, LineCounts]:
    with suppress(OSError), open(path, "rb", opener=open_regular) as file:
        counts, _ = _read_head(file)
        return {shown: LineCounts(**entry) for shown, entry in counts.items()}
    return {}


def _read_index(path: Path) -> dict[str, LineFacts]:
    with suppress(OSError), open(path, "rb", opener=open_regular) as file:
        counts, checksum = _read_head(file)
        if binascii.crc32(body := file.read()) == checksum:
            rest = iter(body.split(b"\n"))
            return {
                shown: LineFacts(**entry, days=next(rest), places=next(rest), artifacts=next(rest))
                for shown, entry in counts.items()
            }
    return {}


def _read_head(file: BufferedReader) -> tuple[dict[str, dict[str, Any]], int]:
    """Read the counts of all files, and the checksum of what follows; no counts if damaged or of another version."""
    head, counted = file.readline(), file.readline().removesuffix(b"\n")
    if head != b"[%d, %d]\n" % (VERSION, binascii.crc32(counted)):
        return {}, 0
    counts, checksum = json.loads(counted)
    for entry in counts.values():
        entry["look"] = Look(*entry["look"])
    return counts, checksum
