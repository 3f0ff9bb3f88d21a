"""Read and rewrite files of gifted memories, ``state/gifted/<name>.jsonl``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gm.errors import Problem
from gm.memory.seed_memories import WORLD, Renewal, count_not_given
from gm.model.node import Node, NodeError, render_node
from gm.store.commits.lines import replace_lines, replace_step
from gm.store.commits.steps import Create, Step
from gm.store.forms.jsonl import Line, scan_lines
from gm.store.forms.text import read_text
from gm.store.layout import Layout
from gm.store.reading.lines import node_problem, read_node

GIVE = "run: gm gift"


@dataclass(frozen=True, slots=True)
class GiftedFile:
    """A file of gifted memories as it stands.

    Attributes:
        owner: Whose it is.
        text: The whole file; None when there is none.
        lines: Its memories with the numbers of their lines.
        problems: What cannot be read.
    """

    owner: str
    text: str | None
    lines: tuple[tuple[int, Node], ...]
    problems: tuple[Problem, ...]

    @property
    def nodes(self) -> tuple[Node, ...]:
        """Its memories."""
        return tuple(node for _, node in self.lines)


def read_gifted(layout: Layout, owner: str) -> GiftedFile:
    """Read what somebody knows from the start; an absent file is empty."""
    path = layout.gifted(owner)
    shown = layout.shown(path)
    text, problems = read_text(path, shown)
    scan = scan_lines(text.body, shown)
    problems += scan.problems
    lines: list[tuple[int, Node]] = []
    seen: dict[str, Line] = {}
    for line in scan.lines:
        try:
            node = read_node(owner, line, seen)
        except NodeError as error:
            problems.append(node_problem(shown, line.number, scan.line(line.number), error))
            continue
        seen[node.id] = line
        lines.append((line.number, node))
    return GiftedFile(owner, text.content if text.exists else None, tuple(lines), tuple(problems))


def lessons_not_given(layout: Layout, lessons: Sequence[str]) -> tuple[int, str]:
    """Count the lessons of ``seeds.lessons`` that are no seed memories yet, and say so; 0 and nothing when all are."""
    count = count_not_given(lessons, read_gifted(layout, WORLD).nodes) if lessons else 0
    said = "1 lesson of seeds.lessons has" if count == 1 else f"{count} lessons of seeds.lessons have"
    return count, f"{said} not been given to the characters yet" if count else ""


def renewal_steps(layout: Layout, file: GiftedFile, renewal: Renewal) -> list[Step]:
    """Make the step that brings a file up to date; every line that does not change stays as it is, to the byte."""
    if not renewal.is_needed:
        return []
    path = layout.gifted(file.owner)
    added = [render_node(node) for node in renewal.added]
    if file.text is None:
        return [Create(layout.shown(path), "".join(f"{line}\n" for line in added))]
    text = replace_lines(file.text, {number: render_node(node) for number, node in renewal.changed.items()})
    rows = text.split("\n")
    gone = set(renewal.dropped)
    text = "\n".join(row for number, row in enumerate(rows, 1) if number not in gone)
    end = "\r\n" if "\r\n" in file.text else "\n"
    if added and text and not text.endswith("\n"):
        text += end
    return [replace_step(layout, path, file.text, text + "".join(line + end for line in added))]
