"""Read a file of one character's memories, with its unreadable lines as problems."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from gm.base.errors import Problem
from gm.files.forms.jsonl import Line, scan_lines
from gm.files.forms.text import read_text
from gm.files.reading.lines import id_in, read_node
from gm.files.reading.records import record_problem
from gm.model.node import Node
from gm.model.record import RecordError


@dataclass(frozen=True, slots=True)
class NodeFile:
    """A file of memories.

    Attributes:
        text: The whole file; None = absent.
        lines: Memories with line numbers, from 1.
        lost: Ids in unreadable lines; they count as used.
    """

    owner: str
    text: str | None
    lines: tuple[tuple[int, Node], ...]
    lost: tuple[str, ...]
    problems: tuple[Problem, ...]

    @property
    def nodes(self) -> tuple[Node, ...]:
        """The memories without line numbers."""
        return tuple([node for _, node in self.lines])


def read_nodes(owner: str, path: Path, shown: str) -> NodeFile:
    """Read a file of memories; absent = empty. ``shown`` is its path in problems."""
    text, problems = read_text(path, shown)
    scan = scan_lines(text.body, shown)
    problems += scan.problems
    lost = [identifier for _, line in scan.broken if (identifier := id_in(line))]
    lines: list[tuple[int, Node]] = []
    seen: dict[str, Line] = {}
    for line in scan.lines:
        try:
            node = read_node(owner, line, seen)
        except RecordError as error:
            problems.append(record_problem(shown, line.number, scan.line(line.number), error))
            lost.append(str(line.record.get("id", "")))
            continue
        seen[node.id] = line
        lines.append((line.number, node))
    return NodeFile(owner, text.content if text.exists else None, tuple(lines), tuple(lost), tuple(problems))
