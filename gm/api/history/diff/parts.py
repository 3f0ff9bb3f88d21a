"""Changes in the memories of a character, and in other files."""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Annotated, Any, NamedTuple, NotRequired, TypedDict, TypeVar

from gm.api.answers.document import part, written_as
from gm.api.history.pastfiles import PastFiles
from gm.base.untyped import items_of
from gm.model.calendar import SceneRef
from gm.model.logged import LogEntry
from gm.model.node import Node, node_record
from gm.model.record import RecordError
from gm.model.thread import THREAD_EVENT, Thread, fold_events

Item = TypeVar("Item")
_NUMBERS = ("id", "created", "scene")
_NAME = re.compile(r'"(?:\w+-\d{3,}|day-\d{3,}/scene-\d+[a-z]?|gallery/[^"]*)"')


class Since(NamedTuple):
    """The state from which two others come.

    Attributes:
        clock: A day, and whether it is open; None = unknown.
        is_parted: The earlier state has days that the later one does not have.
        scenes: Those that only the later one has, also of days that were over: a merge brought them.
        is_merged: Some scenes have other names in the later one, so memories may cite other ids.
        gone: Scenes and ends of days that only the earlier one has: a rewind took them back.
    """

    clock: tuple[int, bool] | None
    is_parted: bool = False
    scenes: frozenset[SceneRef] = frozenset()
    is_merged: bool = False
    gone: frozenset[SceneRef] = frozenset()

    def is_late(self, node: Node) -> bool:
        """Return whether a memory belongs to a day that was over: if it is new, a person added it."""
        if self.clock is None or node.when == SceneRef(0) or node.when in self.scenes:
            return False
        day, is_open = self.clock
        return node.when.day < day or (node.when.day == day and not is_open)

    def is_played_apart(self, node: Node) -> bool:
        """Return whether a memory was made after the two states parted."""
        return self.is_parted and self.clock is not None and node.when != SceneRef(0) and not self.is_late(node)


def sign_memory(node: Node) -> tuple[int, str]:
    """Return what a memory is, beside its id and the names that a merge may change."""
    return node.when.day, without_names(node_record(node))


def pair_memories(old: Mapping[str, Node], new: Mapping[str, Node], since: Since) -> dict[str, str]:
    """Return the old id of each memory of the new state that the old one has, by its new id."""
    pairs = pair_items(old, new, (sign_memory, lambda node: (node.type, node.when.day, node.description)))
    return {
        key: was
        for key, was in pairs.items()
        if not since.is_played_apart(new[key]) or sign_memory(new[key]) == sign_memory(old[was])
    }


def pair_threads(old: Mapping[str, Thread], new: Mapping[str, Thread]) -> dict[str, str]:
    """Return the old id of each thread of the new state that the old one has, by its new id."""
    return pair_items(old, new, (lambda thread: (thread.by, thread.kind, thread.text),))


def pair_items(
    old: Mapping[str, Item], new: Mapping[str, Item], signs: Sequence[Callable[[Item], Hashable]]
) -> dict[str, str]:
    """Return the old key of each new item, by its new key.

    An item has another key where its old one holds something else; all others are paired by their keys.

    Args:
        signs: What tells items apart, the strictest first.
    """
    pairs: dict[str, str] = {}
    for sign in signs:
        both = _left(old.keys() & new.keys(), {*pairs, *pairs.values()})
        pairs |= {key: key for key in both if sign(old[key]) == sign(new[key])}
        places: dict[Hashable, list[str]] = {}
        for key in _left(new, pairs):
            places.setdefault(sign(new[key]), []).append(key)
        for key in _left(old, pairs.values()):
            if key in new and (found := places.get(sign(old[key]))):
                pairs[found.pop(0)] = key
    known = set(pairs.values())
    return pairs | {key: key for key in _left(new, pairs) if key in old and key not in known}


def without_names(record: Mapping[str, Any]) -> str:
    """Return a memory, or a line of a logbook, without its number and the names that a merge may change."""
    text = json.dumps({key: value for key, value in record.items() if key not in _NUMBERS}, sort_keys=True)
    return _NAME.sub('""', text)


def _left(items: Iterable[str], known: Collection[str]) -> list[str]:
    taken = set(known)
    return [key for key in items if key not in taken]


DAY, HAND = "day", "hand"
_NAMES = ("id", "created", "evidence", "metadata")
"""Keys of a memory in which a merge renames."""
Sides = tuple[PastFiles, PastFiles]
Values = Mapping[str, Sequence[Any]]
"""Differing values, as [old, new]."""


def describe_node(node: Node) -> dict[str, Any]:
    """Return a memory as differences show it."""
    return {key: value for key, value in node_record(node).items() if key != "metadata"}


class ThreadShown(TypedDict):
    """A thread that was opened or closed."""

    id: str
    kind: str
    by: str
    to: Sequence[str]
    text: str
    outcome: str | None
    reason: Annotated[str | None, "why it was carried into the next day"]
    due: NotRequired[Annotated[int, "the day by which it should happen"]]
    time: NotRequired[str]
    place: NotRequired[str]
    replaces: NotRequired[str]


@dataclass(frozen=True, slots=True)
class MemoryChange:
    """A memory that differs.

    Attributes:
        by: ``day`` or ``hand``; empty if it only went to the archive or back.
    """

    node: Node = part(by=describe_node, inline=True)
    by: str = part(omit="")
    changes: Values | None = part(omit=None)


@dataclass(frozen=True, slots=True)
class ThreadChanges:
    """Opened and closed threads."""

    opened: tuple[Thread, ...] = part(by=written_as(ThreadShown))
    closed: tuple[Thread, ...] = part(by=written_as(ThreadShown))


@dataclass(frozen=True, slots=True)
class BoardChanges:
    """Posts, and team decisions."""

    added: tuple[Any, ...] = ()
    removed: tuple[Any, ...] = ()
    decided: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class BriefScene:
    """A logbook line in brief; ``scene`` as it stands there, ``changes`` of an edited line."""

    day: int
    scene: Any
    type: str
    participants: tuple[str, ...]
    location: str
    summary: str
    why: str
    changes: Values | None = part(omit=None)


def compare_memories(sides: Sides, stream: str, archive: str, since: Since) -> dict[str, list[MemoryChange]]:
    """Compare two states of a stream and its archive, by their paths.

    Args:
        since: New memories of earlier days were added by hand.

    Returns:
        ``new``, ``edited``, ``deleted``, ``moved``, ``archived``, ``restored``: oldest first.
    """
    (old, new), (old_archive, new_archive) = ([files.nodes(path) for files in sides] for path in (stream, archive))
    before, after = {**old_archive, **old}, {**new_archive, **new}
    pairs = pair_memories(before, after, since)
    kept = set(pairs.values())
    return {
        "new": [
            MemoryChange(node, HAND if since.is_late(node) else DAY) for key, node in after.items() if key not in pairs
        ],
        "edited": [
            MemoryChange(after[key], HAND, changes)
            for key in after
            if key in pairs and (changes := _changes_beside_names(before[pairs[key]], after[key], since))
        ],
        "deleted": [
            MemoryChange(node, DAY if since.is_played_apart(node) or node.when in since.gone else HAND)
            for key, node in before.items()
            if key not in kept
        ],
        "moved": [MemoryChange(new[key], HAND) for key in find_moved(list(old), list(new))],
        "archived": [MemoryChange(node) for key, node in new_archive.items() if key in old and key not in new],
        "restored": [MemoryChange(node) for key, node in new.items() if key in old_archive and key not in old],
    }


def changes_of(old: Node, new: Node) -> dict[str, list[Any]]:
    """Return the differing values of two versions of a memory, as [old, new]."""
    return values_between(node_record(old), node_record(new))


def _changes_beside_names(old: Node, new: Node, since: Since) -> dict[str, list[Any]]:
    changes = changes_of(old, new)
    is_renamed = old.id != new.id or (
        (since.is_merged or since.is_played_apart(new)) and sign_memory(old) == sign_memory(new)
    )
    return {key: changes[key] for key in changes if key not in _NAMES} if is_renamed else changes


def find_moved(old: Sequence[str], new: Sequence[str]) -> list[str]:
    """Return the smallest set of memories that must have moved, in their new order."""
    places = {key: place for place, key in enumerate(old)}
    common = [key for key in new if key in places]
    order = [places[key] for key in common]
    if all(before < after for before, after in pairwise(order)):
        return []
    stay = _longest_rise(order)
    return [key for key, place in zip(common, order, strict=True) if place not in stay]


def _longest_rise(order: Sequence[int]) -> set[int]:
    tails: list[int] = []
    ends: list[int] = []
    before: list[int | None] = []
    for at, number in enumerate(order):
        place = bisect_left(tails, number)
        before.append(ends[place - 1] if place else None)
        tails[place : place + 1] = [number]
        ends[place : place + 1] = [at]
    kept = set()
    here = ends[-1] if ends else None
    while here is not None:
        kept.add(order[here])
        here = before[here]
    return kept


def values_between(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Return the differing values of two documents, as [old, new]; absent = None."""
    keys = dict.fromkeys((*old, *new))
    return {key: [old.get(key), new.get(key)] for key in keys if old.get(key) != new.get(key)}


def changed_values(sides: Sides, path: str) -> dict[str, list[Any]]:
    """Return the differing values of a file; {} if it is unreadable."""
    values = [files.document(path) for files in sides]
    if any(value is None and path in files.contents for value, files in zip(values, sides, strict=True)):
        return {}  # reported
    return values_between(*map(_as_mapping, values))


def added_records(sides: Sides, path: str) -> list[dict[str, Any]]:
    """Return the records that only the new state of a file has."""
    old, new = (files.records(path) for files in sides)
    return [record for record in new if record not in old]


def compare_threads(sides: Sides, path: str) -> ThreadChanges:
    """Return the opened and the closed threads."""
    old, new = (_fold_threads(files.records(path)) for files in sides)
    pairs = pair_threads(old, new)
    done = ((key, thread) for key, thread in new.items() if not thread.is_open)
    return ThreadChanges(
        tuple(thread for key, thread in new.items() if key not in pairs),
        tuple(thread for key, thread in done if key not in pairs or old[pairs[key]].is_open),
    )


def compare_board(sides: Sides, path: str) -> BoardChanges:
    """Return added and removed posts, and new team decisions."""
    old, new = boards = [_as_mapping(files.document(path)) for files in sides]
    if any(not board and path in files.contents for board, files in zip(boards, sides, strict=True)):
        return BoardChanges()
    before, after = items_of(old.get("posts")), items_of(new.get("posts"))
    return BoardChanges(
        tuple(post for post in after if post not in before),
        tuple(post for post in before if post not in after),
        tuple(item for item in items_of(new.get("team_decisions")) if item not in items_of(old.get("team_decisions"))),
    )


def compare_log(sides: Sides, path: str) -> tuple[list[BriefScene], list[SceneRef], int, set[SceneRef]]:
    """Return a logbook's added and edited scenes, new and renumbered ones, a count of lines that changed, what went."""
    from gm.files.relative_paths import day_of_logbook  # loads the layers of minds, which a story does without

    day = day_of_logbook(path) or 0
    old, new = (files.records(path) for files in sides)
    before, after = (Counter(map(without_names, records)) for records in (old, new))
    was = {record.get("scene"): record for record in old if without_names(record) not in after}
    scenes = [
        replace(brief_scene(LogEntry(day, record)), changes=_edits_of(was.get(record.get("scene"), {}), record))
        for record in new
        if without_names(record) not in before
    ]
    moved = [record.get("scene") for record in new if record not in old]
    went, stayed = ({record.get("scene") or 0 for record in records} for records in (old, new))
    gone = {SceneRef(day, item) for item in went - stayed if isinstance(item, int)}
    return scenes, [SceneRef(day, item) for item in moved if isinstance(item, int)], (before - after).total(), gone


def find_souls(sides: Sides, path: str) -> set[str]:
    """Return the characters whose souls a day changed, by the new lines of its logbook."""
    old, new = (files.records(path) for files in sides)
    lines = (LogEntry(0, record) for record in new if record not in old)
    return {soul.agent for line in lines for soul in line.souls}


def diff_lines(sides: Sides, path: str) -> dict[str, list[str]]:
    """Return the lines that only the ``old`` text has, and those that only the ``new`` one has."""
    old, new = ((files.contents.get(path) or b"").decode("utf-8", "replace").splitlines() for files in sides)
    return {"old": [one for one in old if one not in new], "new": [one for one in new if one not in old]}


def _edits_of(old: Mapping[str, Any], new: Mapping[str, Any]) -> Values | None:
    """Return the differing values of a line, or None if it is another scene: most of it differs."""
    changes = values_between(old, new)
    return changes if 2 * len(changes) < len(new) else None


def brief_scene(entry: LogEntry) -> BriefScene:
    """Return a logbook line in brief."""
    number, cast = entry.record.get("scene"), entry.participants
    return BriefScene(entry.day, number, entry.type, cast, entry.place, entry.summary, entry.why)


def _fold_threads(records: Sequence[Mapping[str, Any]]) -> dict[str, Thread]:
    events = []
    for record in records:
        with suppress(RecordError):  # gm check reports it
            events.append(THREAD_EVENT.read(record))
    return {thread.id: thread for thread in fold_events((), events)}


def _as_mapping(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {} if value is None else {"": value}
