"""The archive of a character: memories removed from the stream. It is not read whole to play a day."""

from __future__ import annotations

from collections.abc import Collection

from gm.files.commits.steps import Step, move_step
from gm.files.formats.jsonl import read_lines, scan_file, scan_lines
from gm.files.formats.text import is_overlaid, read_data
from gm.files.layout import Layout
from gm.files.reading import readable_nodes
from gm.model.link import sources_of
from gm.model.node import Node

COPIED = b'"copied_from"'


def read_archive(layout: Layout, name: str) -> tuple[Node, ...]:
    """Read a whole archive; unreadable lines are skipped."""
    path = layout.archived(name)
    return tuple([node for _, node in readable_nodes(read_lines(path, layout.shown(path))[0])])


def archive_steps(layout: Layout, name: str, gone: Collection[str]) -> list[Step]:
    """Return the steps that move memories from stream and summaries to the archive."""
    steps: list[Step] = []
    for path in (layout.summarised(name), layout.stream(name)):
        scan = scan_file(path, layout.shown(path))[1]
        lines = [scan.line(line.number) for line in scan.lines if line.record.get("id") in gone]
        if lines:
            steps.append(move_step(layout, path, layout.archived(name), lines))
    return steps


def archived_sources(layout: Layout, name: str) -> frozenset[str]:
    """Return the ids of other characters' memories that the archive has copies of; decodes few lines."""
    path = layout.archived(name)
    data = read_data(path) if is_overlaid(path) or path.is_file() else b""
    if COPIED not in data:
        return frozenset()
    text = b"\n".join(line for line in data.split(b"\n") if COPIED in line).decode("utf-8", "replace")
    lines = scan_lines(text, layout.shown(path)).lines
    metadata = (line.record.get("metadata") for line in lines)
    return frozenset(source for item in metadata if isinstance(item, dict) for source in sources_of(item))
