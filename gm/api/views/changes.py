"""What a day changed in minds."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import yaml

from gm.api.history.diff.documents import read_json, read_yaml
from gm.api.views.before_after import Sides, sides_of
from gm.api.views.day import COUNTED, name_of_day, nodes_of_day, regards_of_day
from gm.api.views.logbook import logged_day
from gm.api.views.scenes import Memory, Regard, memory_of
from gm.api.views.worddiff import Changed, compare_lines, compare_words, whole
from gm.base.casefold import casefold
from gm.base.errors import Problem
from gm.files import inside
from gm.files.commits.snapshot import snapshot
from gm.files.layout import Layout
from gm.files.now import load_now
from gm.layers.relationships import RELATIONSHIPS
from gm.layers.soul import SOUL
from gm.layers.working import WORKING, Page, page_words
from gm.memory.private import PRIVATE, is_private
from gm.model.node import Node

PLACE = "position"
STATE_KEYS = ("mood", PLACE, "current_task")


@dataclass(frozen=True, slots=True)
class Edited:
    """An edited memory and its changed values."""

    memory: Memory
    changes: tuple[Changed, ...]


@dataclass(frozen=True, slots=True)
class Mind:
    """What a day changed in one mind; ``edited``, ``gone`` and ``archived`` are known only from commits.

    Attributes:
        lived: New memories of depth 0, most important first.
        reflections: New memories of depth 1 or more.
        archived: Number of memories.
        soul: Added and removed sentences.
        page: Working memory, with unchanged lines.
    """

    agent: str
    lived: tuple[Memory, ...]
    reflections: tuple[Memory, ...]
    edited: tuple[Edited, ...]
    gone: tuple[Memory, ...]
    archived: int
    state: tuple[Changed, ...]
    regards: tuple[Regard, ...]
    soul: tuple[Changed, ...]
    page: tuple[Changed, ...]

    @property
    def is_changed(self) -> bool:
        return any(getattr(self, name) for name in self.__slots__ if name != "agent")


@dataclass(frozen=True, slots=True)
class Changes:
    """What a day changed.

    Attributes:
        source: See ``before_after.Sides``.
        minds: Only those that changed.
        artifacts: Paths of finished pieces.
        previous: Nearest day with a logbook.
    """

    day: int
    weekday: str
    source: str
    minds: tuple[Mind, ...]
    artifacts: tuple[str, ...]
    scenes: int
    previous: int | None
    next: int | None
    problems: tuple[Problem, ...]


def view_changes(layout: Layout, day: int | None = None, hidden: Collection[str] = ()) -> Changes | None:
    """Return what a day changed; None if it has no logbook.

    Args:
        day: None = the last one.
        hidden: ``relationships``, ``soul``, ``private`` (private memories, edits, deletions, working memory).
    """
    with snapshot(layout):
        days = layout.logged_days()
        if day is None and days:
            day = days[-1]
        if day is None or day not in days:
            return None
        settings, clock, problems = load_now(layout)
        sides = sides_of(layout, day)
        nodes = nodes_of_day(layout, clock, day)
        if PRIVATE in hidden:
            nodes = {name: node for name, node in nodes.items() if not is_private(node.tags)}
        regards = [regard for _, regard in regards_of_day(layout, day)]
        minds = [_mind(name, sides, nodes, regards) for name in layout.agent_names()]
        logged = logged_day(layout, day)
    at = days.index(day)
    return Changes(
        day,
        name_of_day(settings, clock, day),
        sides.source,
        tuple(mind for item in minds if (mind := _without(item, hidden)).is_changed),
        logged.artifacts,
        len(logged.scenes),
        days[at - 1] if at else None,
        days[at + 1] if at + 1 < len(days) else None,
        (*problems, *logged.problems),
    )


def _mind(name: str, sides: Sides, nodes: Mapping[str, Node], regards: list[Regard]) -> Mind:
    document = sides.document.get("agents", {}).get(name, {})
    own = [memory_of(name, node) for key, node in nodes.items() if casefold(key.rpartition("-")[0]) == casefold(name)]
    state = _values(sides, inside.agent(name), read_json)
    page_before, page_after = (_page(item) for item in _both(sides, inside.layer(WORKING, name), read_yaml))
    soul_before, soul_after = (_page(item) for item in _both(sides, inside.layer(SOUL, name), read_yaml))
    told = _regards(name, _values(sides, inside.layer(RELATIONSHIPS, name), read_json))
    return Mind(
        name,
        tuple(sorted((item for item in own if not item.depth), key=lambda item: -item.importance)),
        tuple(item for item in own if item.depth),
        tuple(_edited(name, item) for item in document.get("edited", ())),
        tuple(_described(name, item) for item in document.get("deleted", ())),
        len(document.get("archived", ())),
        tuple(_became(key, str(state[key][0] or ""), str(state[key][1] or "")) for key in STATE_KEYS if key in state),
        _with_reasons(told, [item for item in regards if item.agent == name]),
        _lines(soul_before, soul_after),
        _lines(page_before, page_after, same=True),
    )


def _became(key: str, old: str, new: str) -> Changed:
    if key == PLACE:
        return Changed(key, whole(old, "del") + whole(new, "ins"))
    return Changed(key, compare_words(old, new))


def _without(mind: Mind, hidden: Collection[str]) -> Mind:
    if RELATIONSHIPS.private in hidden:
        mind = replace(mind, regards=())
    if SOUL.private in hidden:
        mind = replace(mind, soul=())
    if WORKING.private in hidden:
        mind = replace(mind, page=())
    return replace(mind, page=(), edited=(), gone=()) if PRIVATE in hidden else mind


def _described(name: str, item: Mapping[str, Any]) -> Memory:
    return Memory(
        name, item["id"], item["importance"], item["description"], item["type"], item["depth"], tuple(item["evidence"])
    )


def _edited(name: str, item: Mapping[str, Any]) -> Edited:
    changes = ((key, _shown(old), _shown(new)) for key, (old, new) in item["changes"].items())
    return Edited(_described(name, item), tuple(Changed(key, compare_words(old, new)) for key, old, new in changes))


def _shown(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _both(sides: Sides, path: str, read: Callable[[bytes], Any]) -> tuple[Any, Any]:
    """Read a file before and after; None if absent or unreadable."""
    found: list[Any] = [None, None]
    for place, data in enumerate(sides.files.get(path, (None, None))):
        with suppress(ValueError, RecursionError, yaml.YAMLError):
            found[place] = None if data is None else read(data)
    return found[0], found[1]


def _values(sides: Sides, path: str, read: Callable[[bytes], Any]) -> dict[str, tuple[Any, Any]]:
    old, new = (item if isinstance(item, dict) else {} for item in _both(sides, path, read))
    keys = dict.fromkeys((*old, *new))
    return {key: (old.get(key), new.get(key)) for key in keys if old.get(key) != new.get(key)}


def _page(value: Any) -> Mapping[str, list[str]]:
    return page_words(Page(value if isinstance(value, dict) else {}))


def _lines(old: Mapping[str, list[str]], new: Mapping[str, list[str]], *, same: bool = False) -> tuple[Changed, ...]:
    found = []
    for key in dict.fromkeys((*old, *new)):
        lines = compare_lines(old.get(key, []), new.get(key, []))
        found += [Changed(key, line) for line in lines if same or any(segment.mark for segment in line)]
    return tuple(found) if any(segment.mark for item in found for segment in item.segments) else ()


def _regards(name: str, values: Mapping[str, tuple[Any, Any]]) -> list[Regard]:
    found = []
    for other, (old, new) in values.items():
        before, after = (item if isinstance(item, dict) else {} for item in (old, new))
        keys = [key for key in dict.fromkeys((*before, *after)) if key not in COUNTED]
        changes = tuple((key, before.get(key), after.get(key)) for key in keys if before.get(key) != after.get(key))
        if changes:
            found.append(Regard(name, other, changes, ""))
    return found


def _with_reasons(told: list[Regard], history: list[Regard]) -> tuple[Regard, ...]:
    """Only the history has reasons."""
    why = {item.other: item.why for item in history}
    if told:
        return tuple(replace(item, why=why.get(item.other, "")) for item in told)
    merged: dict[str, dict[str, tuple[Any, Any]]] = {}
    for item in history:
        values = merged.setdefault(item.other, {})
        for key, old, new in item.changes:
            values[key] = (values[key][0] if key in values else old, new)
    return tuple(
        Regard(history[0].agent, other, tuple((key, old, new) for key, (old, new) in values.items()), why[other])
        for other, values in merged.items()
    )
