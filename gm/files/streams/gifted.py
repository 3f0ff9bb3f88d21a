"""Read and rewrite files of seed memories, ``state/gifted/<name>.jsonl``."""

from __future__ import annotations

from collections.abc import Sequence

from gm.base.texts import counted
from gm.files.commits.steps import Create, Step, replace_lines, replace_step
from gm.files.formats.look import cached_by_look
from gm.files.layout import Layout
from gm.files.streams.nodefile import NodeFile, read_nodes
from gm.memory.seed_memories import Renewal, count_not_given
from gm.model.ids import WORLD
from gm.model.node import render_node

GIVE = "run: gm gift"


@cached_by_look(64, Layout.gifted)
def read_gifted(layout: Layout, owner: str) -> NodeFile:
    """Read the seed memories of a character, or of all."""
    path = layout.gifted(owner)
    return read_nodes(owner, path, layout.shown(path))


def lessons_not_given(layout: Layout, lessons: Sequence[str]) -> tuple[int, str]:
    """Return how many lessons of ``seeds.lessons`` are not seed memories yet, and a message; 0, "" for none."""
    count = count_not_given(lessons, read_gifted(layout, WORLD).nodes) if lessons else 0
    said = counted(count, "lesson of seeds.lessons has", "lessons of seeds.lessons have")
    return count, f"{said} not been given to the characters yet" if count else ""


def renewal_steps(layout: Layout, file: NodeFile, renewal: Renewal) -> list[Step]:
    """Return the step that updates a file; unchanged lines keep their bytes."""
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
