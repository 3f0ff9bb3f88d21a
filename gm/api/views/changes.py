"""What a day changed in minds, by the small files of the world before and after it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Literal

from gm.api.history.diff.difference import AgentDifference, compare_states
from gm.api.history.diff.parts import MemoryChange, Values, values_between
from gm.api.history.git import find_repository
from gm.api.history.pastfiles import PastFiles
from gm.api.history.states import exact_state, files_state
from gm.api.views.day import COUNTED, name_of_day, regards_of_day
from gm.api.views.logbook import logged_day, nodes_of_day
from gm.api.views.scenes import RegardInScene
from gm.api.views.worddiff import WordChange, compare_sentences, compare_words, mark_whole
from gm.base.casefold import casefold
from gm.base.errors import GmError, Problem
from gm.files import relative_paths
from gm.files.commits.changes import FileChange, content_at, read_day_entries
from gm.files.commits.snapshot import snapshot
from gm.files.formats.text import read_data
from gm.files.layout import Layout
from gm.files.story.now import load_clock, load_now
from gm.files.streams.find import FoundMemory
from gm.layers import LAYERS
from gm.layers.declare import YAML
from gm.layers.now import NOW
from gm.layers.relationships import RELATIONSHIPS
from gm.layers.working import WORKING, Page, page_words
from gm.memory.share import MEMORIES, PRIVATE, is_withheld
from gm.model.calendar import SceneRef
from gm.model.ids import agent_of
from gm.model.node import Node

_NOTES = (WORKING, NOW)
FOLDERS = (relative_paths.AGENTS, *map(relative_paths.layer_folder, LAYERS))
PLACE = "position"
STATE_KEYS = ("mood", PLACE, "current_task")


@dataclass(frozen=True, slots=True)
class DayFiles:
    """The small files before and after a day, those that differ.

    Attributes:
        source: ``commits`` (complete, with manual edits), ``record`` (gm's own writes) or ``dated`` (dated items only).
    """

    source: Literal["commits", "record", "dated"]
    before: PastFiles
    after: PastFiles
    agents: Mapping[str, AgentDifference]

    def mappings(self, path: str) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return a JSON document before and after."""
        return self.before.mapping(path), self.after.mapping(path)


@dataclass(frozen=True, slots=True)
class Edited:
    """An edited memory and its changed values."""

    memory: FoundMemory
    changes: tuple[WordChange, ...]


@dataclass(frozen=True, slots=True)
class MindChanges:
    """What a day changed in one mind; ``edited``, ``gone`` and ``archived`` are known only from commits.

    Attributes:
        pages: Added and removed lines of layers that are pages, by name; of working memory, all lines.
    """

    agent: str
    lived: tuple[FoundMemory, ...]
    reflections: tuple[FoundMemory, ...]
    edited: tuple[Edited, ...]
    gone: tuple[FoundMemory, ...]
    archived: int
    state: tuple[WordChange, ...]
    regards: tuple[RegardInScene, ...]
    pages: Mapping[str, tuple[WordChange, ...]]

    @property
    def is_changed(self) -> bool:
        """Whether anything changed."""
        rest = (getattr(self, name) for name in self.__slots__ if name not in ("agent", "pages"))
        return any((*rest, *self.pages.values()))


@dataclass(frozen=True, slots=True)
class Changes:
    """What a day changed."""

    day: int
    weekday: str
    source: str
    minds: tuple[MindChanges, ...]
    artifacts: tuple[str, ...]
    scenes: int
    previous: int | None
    next: int | None
    problems: tuple[Problem, ...]


def view_changes(layout: Layout, day: int | None = None, hidden: Collection[str] = ()) -> Changes | None:
    """Return what a day changed; None if it has no logbook.

    Args:
        day: None = the last one.
        hidden: as in ``publish.private``; ``private`` includes edits, deletions, working memory and the page now.
    """
    with snapshot(layout):
        days = layout.logged_days()
        if day is None and days:
            day = days[-1]
        if day is None or day not in days:
            return None
        settings, clock, problems = load_now(layout)
        sides = compare_day_files(layout, day)
        nodes = nodes_of_day(layout, clock, day)
        nodes = {name: node for name, node in nodes.items() if not is_withheld(node, hidden)}
        regards = [regard for _, regard in regards_of_day(layout, day)]
        minds = [_mind(name, sides, nodes, regards) for name in layout.agent_names()]
        logged = logged_day(layout, day)
    at = days.index(day)
    return Changes(
        day,
        name_of_day(settings, clock, day),
        sides.source,
        tuple(
            mind for item in minds if item.agent not in hidden and (mind := _leave_out_hidden(item, hidden)).is_changed
        ),
        logged.artifacts,
        len(logged.scenes),
        days[at - 1] if at else None,
        days[at + 1] if at + 1 < len(days) else None,
        (*problems, *logged.problems),
    )


def compare_day_files(layout: Layout, day: int) -> DayFiles:
    """Return what a day changed in the small files of a world."""
    return _by_commits(layout, day) or _by_record(layout, day)


def _by_commits(layout: Layout, day: int) -> DayFiles | None:
    with suppress(GmError):
        repository = find_repository(layout.root)
        old = exact_state(repository, layout, SceneRef(day - 1))
        new = exact_state(repository, layout, SceneRef(day)) if old else None
        if old and not new and load_clock(layout)[0].day == day:
            new = files_state(layout)
        if old and new:
            agents = compare_states(old, new).agents
            paths = [path for path in {**old.prints, **new.prints} if path.startswith(FOLDERS)]
            differ = [path for path in paths if old.prints.get(path) != new.prints.get(path)]
            return DayFiles("commits", PastFiles(old.read(differ)), PastFiles(new.read(differ)), agents)
    return None


def _by_record(layout: Layout, day: int) -> DayFiles:
    changes: dict[str, list[FileChange]] = {}
    for entry in read_day_entries(layout, day):
        for change in entry.files:
            if change.path.startswith(FOLDERS) and not change.path.endswith(".history.jsonl"):
                changes.setdefault(change.path, []).append(change)
    files = {
        path: ends for path, items in changes.items() if (ends := _read_both_ends(layout, path, items)) is not None
    }
    before, after = ({path: ends[side] for path, ends in files.items()} for side in (0, 1))
    return DayFiles("record" if changes else "dated", PastFiles(before), PastFiles(after), {})


def _read_both_ends(
    layout: Layout, path: str, changes: Sequence[FileChange]
) -> tuple[bytes | None, bytes | None] | None:
    now = _read_current(layout, path)
    known, after = content_at(changes, changes[-1].after, [now])
    found, before = content_at(changes, changes[0].before, [after, now])
    if found and not known:
        known, after = content_at(changes, changes[-1].after, [before])
    return (before, after) if known and found and before != after else None


def _read_current(layout: Layout, path: str) -> bytes | None:
    try:
        return read_data(layout.root / path)
    except OSError:
        return None


def _mind(name: str, sides: DayFiles, nodes: Mapping[str, Node], regards: list[RegardInScene]) -> MindChanges:
    found = sides.agents.get(name)
    memories = found.memories if found else {}
    own = [FoundMemory(name, node) for key, node in nodes.items() if casefold(agent_of(key)) == casefold(name)]
    state = values_between(*sides.mappings(relative_paths.agent(name)))
    changed = _regards(name, values_between(*sides.mappings(relative_paths.layer(RELATIONSHIPS, name))))
    return MindChanges(
        name,
        tuple(sorted((item for item in own if not item.node.depth), key=lambda item: -item.node.importance)),
        tuple(item for item in own if item.node.depth),
        tuple(_describe_edit(name, item) for item in memories.get("edited", ())),
        tuple(FoundMemory(name, item.node) for item in memories.get("deleted", ())),
        len(memories.get("archived", ())),
        tuple(
            _describe_change(key, str(state[key][0] or ""), str(state[key][1] or ""))
            for key in STATE_KEYS
            if key in state
        ),
        _with_reasons(changed, [item for item in regards if item.agent == name]),
        {
            layer.name: _compare_by_key(
                *map(_compare_pages_words, sides.mappings(relative_paths.layer(layer, name))), same=layer is WORKING
            )
            for layer in LAYERS
            if layer.file.ending == YAML
        },
    )


def _describe_change(key: str, old: str, new: str) -> WordChange:
    if key == PLACE:
        return WordChange(key, mark_whole(old, "del") + mark_whole(new, "ins"))
    return WordChange(key, compare_words(old, new))


def _leave_out_hidden(mind: MindChanges, hidden: Collection[str]) -> MindChanges:
    names = {layer.name for layer in LAYERS if layer.name in hidden or (layer in _NOTES and PRIVATE in hidden)}
    pages = {name: () if name in names else lines for name, lines in mind.pages.items()}
    mind = replace(mind, pages=pages, regards=() if RELATIONSHIPS.name in names else mind.regards)
    return replace(mind, edited=(), gone=()) if {PRIVATE, MEMORIES} & set(hidden) else mind


def _describe_edit(name: str, item: MemoryChange) -> Edited:
    changes = ((key, _join_value(old), _join_value(new)) for key, (old, new) in (item.changes or {}).items())
    return Edited(FoundMemory(name, item.node), tuple(WordChange(key, compare_words(*both)) for key, *both in changes))


def _join_value(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _compare_pages_words(values: Mapping[str, Any]) -> Mapping[str, list[str]]:
    return page_words(Page(values))


def _compare_by_key(
    old: Mapping[str, list[str]], new: Mapping[str, list[str]], *, same: bool = False
) -> tuple[WordChange, ...]:
    found = []
    for key in dict.fromkeys((*old, *new)):
        lines = compare_sentences(old.get(key, []), new.get(key, []))
        found += [WordChange(key, line) for line in lines if same or any(segment.mark for segment in line)]
    return tuple(found) if any(segment.mark for item in found for segment in item.segments) else ()


def _regards(name: str, values: Values) -> list[RegardInScene]:
    found = []
    for other, (old, new) in values.items():
        before, after = (item if isinstance(item, dict) else {} for item in (old, new))
        keys = [key for key in dict.fromkeys((*before, *after)) if key not in COUNTED]
        changes = tuple((key, before.get(key), after.get(key)) for key in keys if before.get(key) != after.get(key))
        if changes:
            found.append(RegardInScene(name, other, changes, ""))
    return found


def _with_reasons(changed: list[RegardInScene], history: list[RegardInScene]) -> tuple[RegardInScene, ...]:
    why = {item.other: item.why for item in history}
    if changed:
        return tuple(replace(item, why=why.get(item.other, "")) for item in changed)
    merged: dict[str, dict[str, tuple[Any, Any]]] = {}
    for item in history:
        values = merged.setdefault(item.other, {})
        for key, old, new in item.changes:
            values[key] = (values[key][0] if key in values else old, new)
    return tuple(
        RegardInScene(history[0].agent, other, tuple((key, old, new) for key, (old, new) in values.items()), why[other])
        for other, values in merged.items()
    )
