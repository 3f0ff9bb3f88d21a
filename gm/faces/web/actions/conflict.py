"""A memory with two conflicting edits: the old, the wanted and the current version."""

from __future__ import annotations

import json
from dataclasses import dataclass

from gm.api.views.worddiff import Segment, Segments, mark_words, merge_words
from gm.faces.web.actions.forms import Fields
from gm.files.streams.find import line_print
from gm.model.node import node_from_record
from gm.model.record import RecordError

NAMES = ("description", "importance", "tags")


@dataclass(frozen=True, slots=True)
class Row:
    """One field of the memory, in segments with changes against the old value marked; None = unknown."""

    name: str
    wanted: Segments
    now: Segments | None
    was: Segments | None

    @property
    def agrees(self) -> bool:
        return self.now is not None and _text(self.now) == _text(self.wanted)


@dataclass(frozen=True, slots=True)
class Conflict:
    """The three versions of a memory.

    Attributes:
        gone: Whether its line is no longer there.
        line: The current line with changes marked; empty when the old one is unknown.
    """

    gone: bool
    rows: tuple[Row, ...]
    line: Segments

    @property
    def agrees(self) -> bool:
        """Whether the current values are the wanted ones."""
        return not self.gone and all(row.agrees for row in self.rows)


def show_conflict(fields: Fields, line: str) -> Conflict:
    """Compare the three versions.

    Args:
        fields: The submitted form, with ``was``, the line as it was read, and ``print``, its fingerprint.
        line: The current line; empty when it is gone.
    """
    sent = fields.get("was", "")
    old = sent if sent and line_print(sent) == fields.get("print") else ""
    was, now = _values(old), _values(line)
    rows = tuple(_row(name, fields.get(name, ""), now.get(name), was.get(name)) for name in NAMES)
    return Conflict(not line, rows, merge_words(old, line) if old and line else ())


def _row(name: str, wanted: str, now: str | None, was: str | None) -> Row:
    return Row(
        name, _marked(was, wanted), None if now is None else _marked(was, now), None if was is None else (Segment(was),)
    )


def _marked(before: str | None, after: str) -> Segments:
    return (Segment(after),) if before is None else mark_words(before, after)[1]


def _text(segments: Segments) -> str:
    return "".join(segment.text for segment in segments)


def _values(line: str) -> dict[str, str]:
    try:
        node = node_from_record(json.loads(line))
    except (ValueError, RecordError, RecursionError):
        return {}
    return {"description": node.description, "importance": str(node.importance), "tags": ", ".join(node.tags)}
