"""Correct single values of a memory; all other bytes of its file stay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gm.api.editing import editing, required_line
from gm.api.memory.add import clean_importance
from gm.base.casefold import casefold
from gm.base.errors import GmError, UsageError
from gm.files.commits.lines import line_at, read_exactly, replace_lines, replace_step
from gm.files.forms.document import set_values
from gm.files.layout import Layout
from gm.files.streams.find import ARCHIVE, FoundMemory, find_memory, line_print
from gm.model.node import NORMAL
from gm.scene.ledger import clean_tags


@dataclass(frozen=True, slots=True)
class Correction:
    """Changes to a memory; None = unchanged."""

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
) -> tuple[FoundMemory, list[str]]:
    """Change values of a memory in its line; also returns notes.

    Args:
        expected: ``line_print`` of the line as read, or a prefix; None = any.

    Raises:
        StaleError: The line is not as expected.
        UsageError: No such memory, or it cannot be corrected.
    """
    with editing(layout, "gm memory edit") as desk:
        places = find_memory(layout, identifier)
        if expected is not None and not places:
            raise StaleError(identifier, "")
        found = the_only(places, identifier)
        path = layout.root / found.path
        text = read_exactly(path)
        old = line_at(text, found.line)
        if expected is not None and not line_print(old).startswith(expected):
            raise StaleError(found.node.id, old)
        values = _corrected_values(found, correction)
        line = set_values(old, values)
        changed = replace_lines(text, {found.line: line})
        if changed != text:
            desk.commit([replace_step(layout, path, text, changed)])
    if found.node.importance != (correction.importance or found.node.importance):
        desk.notes.append(f"the accumulator of {found.agent} was left as it is; see: gm accumulators --recompute")
    return find_one(layout, identifier), desk.notes


def _corrected_values(found: FoundMemory, correction: Correction) -> dict[str, Any]:
    values: dict[str, Any] = {}
    if correction.description is not None:
        values["content" if found.is_older else "description"] = required_line(correction.description, "a memory")
    if correction.importance is not None:
        values["importance"] = clean_importance(correction.importance)
    tags = found.node.tags if correction.tags is None else clean_tags(correction.tags, found.agent)
    present = {casefold(tag) for tag in tags}
    added = [tag for tag in clean_tags(correction.add, "") if casefold(tag) not in present]
    gone = {casefold(tag) for tag in correction.remove}
    missing = [tag for tag in correction.remove if casefold(tag) not in present]
    if missing:
        raise UsageError(f"{found.node.id} has no tag {missing[0]!r}", "its tags: " + ", ".join(found.node.tags))
    wanted = [*(tag for tag in tags if casefold(tag) not in gone), *added]
    if wanted != list(found.node.tags):
        values["tags"] = wanted
    if correction.tier is not None and correction.tier != found.node.metadata.get("tier", NORMAL):
        rest = {key: value for key, value in found.node.metadata.items() if key != "tier"}
        values["metadata"] = rest if correction.tier == NORMAL else {**rest, "tier": correction.tier}
    return values


def find_one(layout: Layout, identifier: str) -> FoundMemory:
    """Return the one memory with an id that can be corrected.

    Raises:
        UsageError: None, several, or archived.
    """
    return the_only(find_memory(layout, identifier), identifier)


def the_only(found: Sequence[FoundMemory], identifier: str) -> FoundMemory:
    """Return the only memory found; as ``find_one``."""
    if not found:
        raise UsageError(f"there is no memory {identifier!r}", "see: gm memory find TEXT, or gm memory show AGENT")
    if len(found) > 1:
        places = ", ".join(f"{item.path}:{item.line}" for item in found)
        raise UsageError(f"{identifier!r} is the id of {len(found)} memories: {places}", "give one of them another id")
    if found[0].home == ARCHIVE:
        raise UsageError(f"{identifier} lies in the archive ({found[0].path}), which is kept as it is")
    return found[0]
