"""A memory with two conflicting edits: the old line, the wanted one, the current one."""

from __future__ import annotations

import json
from dataclasses import dataclass

from gm.api.memory.kept import line_print
from gm.api.views.worddiff import Segment, Segments, mark_words, merge_words
from gm.faces.web.actions.forms import Fields
from gm.model.node import node_from_record
from gm.model.record import RecordError

NAMES = ("description", "importance", "tags")


@dataclass(frozen=True, slots=True)
class Row:
    """One value of the memory, in segments; changes against the old value are marked. None = unknown.

    Attributes:
        name: Its field in the form.
        wanted: As it was filled in.
        now: As it stands there now.
        was: As it was.
    """

    name: str
    wanted: Segments
    now: Segments | None
    was: Segments | None

    @property
    def agrees(self) -> bool:
        """Whether what stands there now is what was wanted."""
        return self.now is not None and _text(self.now) == _text(self.wanted)


@dataclass(frozen=True, slots=True)
class Conflict:
    """What three versions of a line say.

    Attributes:
        gone: Whether the line is there no more.
        rows: Its values.
        line: The line in the file, with what goes and what is new marked; empty when it is not known as it was.
    """

    gone: bool
    rows: tuple[Row, ...]
    line: Segments

    @property
    def agrees(self) -> bool:
        """Whether what stands there now is what was wanted."""
        return not self.gone and all(row.agrees for row in self.rows)


def show_conflict(fields: Fields, line: str) -> Conflict:
    """Compare the three versions.

    Args:
        fields: What was sent: with ``was``, the line as it was read, and ``print``, its name.
        line: The line as it stands now; empty when it is gone.
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
