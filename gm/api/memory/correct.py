"""Correct single values of a memory; all other bytes of its file stay."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gm.api.editing import editing, one_line
from gm.api.memory.add import clean_importance
from gm.api.memory.kept import Kept, find_kept, find_one, line_print, the_only
from gm.base.casefold import casefold
from gm.base.errors import GmError, UsageError
from gm.files.commits.lines import line_at, read_exactly, replace_lines, replace_step
from gm.files.forms.document import set_values
from gm.files.layout import Layout
from gm.model.node import NORMAL
from gm.scene.ledger import clean_tags


@dataclass(frozen=True, slots=True)
class Correction:
    """Changes to a memory; None = unchanged.

    Attributes:
        tags: The new list, before ``add`` and ``remove``.
        tier: One of ``TIERS``.
    """

    description: str | None = None
    importance: int | None = None
    tags: tuple[str, ...] | None = None
    add: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()
    tier: str | None = None


class StaleError(GmError):
    """A memory has changed since it was read.

    Args:
        line: Its present line; empty = it is gone.
    """

    def __init__(self, identifier: str, line: str) -> None:
        what = "was changed meanwhile" if line else "is gone"
        super().__init__(f"{identifier} {what}; nothing was written", f"look at it again: gm memory show {identifier}")
        self.line = line


def correct_memory(
    layout: Layout, identifier: str, correction: Correction, expected: str | None = None
) -> tuple[Kept, list[str]]:
    """Change values of a memory in its line.

    Args:
        expected: ``line_print`` of the line as read, or a prefix; None = any.

    Returns:
        The memory as it is now, and notes.

    Raises:
        StaleError: The line is not as expected.
        UsageError: No such memory, or it cannot be corrected.
    """
    with editing(layout, "gm memory edit") as desk:
        found = find_kept(layout, identifier)
        if expected is not None and not found:
            raise StaleError(identifier, "")
        kept = the_only(found, identifier)
        path = layout.root / kept.path
        text = read_exactly(path)
        old = line_at(text, kept.line)
        if expected is not None and not line_print(old).startswith(expected):
            raise StaleError(kept.node.id, old)
        values = _corrected_values(kept, correction)
        line = set_values(old, values)
        changed = replace_lines(text, {kept.line: line})
        if changed != text:
            desk.commit([replace_step(layout, path, text, changed)])
    if kept.node.importance != (correction.importance or kept.node.importance):
        desk.notes.append(f"the accumulator of {kept.agent} was left as it is; see: gm accumulators --recompute")
    return find_one(layout, identifier), desk.notes


def _corrected_values(kept: Kept, correction: Correction) -> dict[str, Any]:
    values: dict[str, Any] = {}
    if correction.description is not None:
        values["content" if kept.is_older else "description"] = one_line(correction.description, "a memory")
    if correction.importance is not None:
        values["importance"] = clean_importance(correction.importance)
    tags = kept.node.tags if correction.tags is None else clean_tags(correction.tags, kept.agent)
    present = {casefold(tag) for tag in tags}
    added = [tag for tag in clean_tags(correction.add, "") if casefold(tag) not in present]
    gone = {casefold(tag) for tag in correction.remove}
    missing = [tag for tag in correction.remove if casefold(tag) not in present]
    if missing:
        raise UsageError(f"{kept.node.id} has no tag {missing[0]!r}", "its tags: " + ", ".join(kept.node.tags))
    wanted = [*(tag for tag in tags if casefold(tag) not in gone), *added]
    if wanted != list(kept.node.tags):
        values["tags"] = wanted
    if correction.tier is not None and correction.tier != kept.node.metadata.get("tier", NORMAL):
        rest = {key: value for key, value in kept.node.metadata.items() if key != "tier"}
        values["metadata"] = rest if correction.tier == NORMAL else {**rest, "tier": correction.tier}
    return values
