"""A file of one character's memories as it stands: the memories, and what cannot be read as one."""

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
        owner: The character that the memories belong to.
        text: The whole file; None when there is none.
        lines: Its memories with the numbers of their lines, from 1.
        lost: Ids in the lines that cannot be read; they are in use all the same.
        problems: Why lines, or the file, cannot be read.
    """

    owner: str
    text: str | None
    lines: tuple[tuple[int, Node], ...]
    lost: tuple[str, ...]
    problems: tuple[Problem, ...]

    @property
    def nodes(self) -> tuple[Node, ...]:
        """Its memories."""
        return tuple([node for _, node in self.lines])


def read_nodes(owner: str, path: Path, shown: str) -> NodeFile:
    """Read a file of memories; an absent one is empty.

    Args:
        owner: The character that the memories belong to.
        path: The file.
        shown: Its path inside the world, for problems.
    """
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
