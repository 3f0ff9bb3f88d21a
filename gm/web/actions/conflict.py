"""A memory that was changed by two: what it was, what was wanted, what stands there now."""

from __future__ import annotations

import json
from dataclasses import dataclass

from gm.model.node import NodeError, node_from_record
from gm.tools.memory import line_print
from gm.tools.views.changed import Piece, mark_words
from gm.web.actions.action import Fields

NAMES = ("description", "importance", "tags")


@dataclass(frozen=True, slots=True)
class Row:
    """One value of the memory: as it was, as somebody wanted it, as it stands there now. None = not known."""

    name: str
    was: str | None
    wanted: str
    now: str | None


@dataclass(frozen=True, slots=True)
class Conflict:
    """What three versions of a line say.

    Attributes:
        gone: Whether the line is there no more.
        rows: Its values.
        was: The line as it was, in pieces; those marked are gone now. Empty when it is not known any more.
        now: The line as it stands, in pieces; those marked are new.
    """

    gone: bool
    rows: tuple[Row, ...]
    was: tuple[Piece, ...]
    now: tuple[Piece, ...]

    @property
    def agrees(self) -> bool:
        """Whether what stands there now is what was wanted."""
        return not self.gone and all(row.wanted == row.now for row in self.rows)


def show_conflict(fields: Fields, line: str) -> Conflict:
    """Hold the three against each other.

    Args:
        fields: What was sent: with ``was``, the line as it was read, and ``print``, its name.
        line: The line as it stands now; empty when it is gone.
    """
    sent = fields.get("was", "")
    old = sent if sent and line_print(sent) == fields.get("print") else ""
    was, now = _values(old), _values(line)
    rows = tuple(Row(name, was.get(name), fields.get(name, ""), now.get(name)) for name in NAMES)
    before, after = mark_words(old, line)
    return Conflict(not line, rows, before, after)


def _values(line: str) -> dict[str, str]:
    try:
        node = node_from_record(json.loads(line))
    except (ValueError, NodeError, RecursionError):
        return {}
    return {"description": node.description, "importance": str(node.importance), "tags": ", ".join(node.tags)}
