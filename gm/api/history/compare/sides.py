"""One side of a comparison, read from the files of a state: scenes, memories, and curves from day to day."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import fmean
from typing import Any

from gm.api.answers.moods import moods_of_day
from gm.api.history.git import GitError
from gm.api.history.pastfiles import PastFiles
from gm.api.history.states import State, files_state, find_state
from gm.base.config.kinds import is_number
from gm.base.errors import NoWorldError
from gm.files import relative_paths
from gm.files.layout import Layout, is_world
from gm.files.questions.traces import TraceReader
from gm.files.story.logbook import ref_of
from gm.layers.diary import DIARY, DIARY_ENTRY
from gm.layers.relationships import HISTORY, RELATIONSHIPS, TRUST
from gm.model.calendar import SceneRef, parse_ref
from gm.model.node import Node
from gm.model.record import RecordError
from gm.model.scene import SUMMARY, LogEntry

Record = Mapping[str, Any]


@dataclass(slots=True)
class Side:
    """One state of a world.

    Attributes:
        layout: None unless the state is a folder.
        scenes: Logbook lines, without summaries of days.
        nodes: Memories by agent, archived ones included, in file order.
    """

    state: State
    layout: Layout | None
    files: PastFiles
    scenes: dict[SceneRef, Record] = field(default_factory=dict)
    nodes: dict[str, list[Node]] = field(default_factory=dict)
    ended: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Curves:
    """A character's values by day; None = unknown.

    Attributes:
        importance: Mean of the day's memories.
        mood: The last one of the day.
    """

    importance: Sequence[float | None]
    memories: Sequence[int | None]
    mood: Sequence[str | None]
    trust: Mapping[str, Sequence[float | None]]


def find_side(name: str, world: Callable[[], Layout]) -> Side:
    """Return the state named by a folder, else by a commit, a branch or a day of the world.

    Raises:
        UsageError: There is no such folder, commit or day.
        GitError: A commit is named, but there is no repository.
    """
    folder = Path(name)
    layout: Layout | None = None
    if folder.is_dir() and is_world(folder):
        layout = Layout(folder.resolve())
        state = replace(files_state(layout), name=name)
    else:
        try:
            where = world()
        except NoWorldError as error:
            raise NoWorldError(f"{name} is not a world, and {error.message}", error.hint) from error
        try:
            state = find_state(where, name)
        except GitError as error:
            message = f"{name} is not a folder of a world, and for a commit {error.message}"
            raise GitError(message, error.hint, error.status) from error
        if state.kind == "files":
            layout = where
    side = Side(state, layout, PastFiles(state.read(state.prints)))
    _read_streams(side)
    _read_logbooks(side)
    return side


def _read_streams(side: Side) -> None:
    for name in sorted({name for path in side.files.contents if (name := relative_paths.owner_of_memories(path))}):
        archived, stream = (
            side.files.nodes(path).values() for path in (relative_paths.archive(name), relative_paths.stream(name))
        )
        known = {node.id for node in archived}
        side.nodes[name] = [*archived, *(node for node in stream if node.id not in known)]


def _read_logbooks(side: Side) -> None:
    for path in sorted(side.files.contents):
        day = relative_paths.day_of_logbook(path)
        if day is None:
            continue
        for at, record in enumerate(side.files.records(path), 1):
            if record.get("type") == SUMMARY:
                side.ended.append(day)
            else:
                side.scenes.setdefault(ref_of(LogEntry(day, record)) or SceneRef(day, at), record)


def curves_of(side: Side, days: Sequence[int]) -> dict[str, Curves]:
    """Return the curves of each character, by id.

    Moods come from the diary, else from traces if available; on the last day, from the agent file.
    """
    files = (
        path.removeprefix(relative_paths.AGENTS)
        for path in side.files.contents
        if path.startswith(relative_paths.AGENTS)
    )
    agents = {file.removesuffix(".json") for file in files if file.endswith(".json") and "/" not in file}
    names = sorted(agents | side.nodes.keys())
    moods = _moods(side, names)
    return {
        name: Curves(
            importance=[_mean_importance(side, name, day) for day in days],
            memories=[sum(node.when.day == day for node in side.nodes.get(name, ())) for day in days],
            mood=[moods[name].get(day) for day in days],
            trust=_trust(side, name, days),
        )
        for name in names
    }


def _mean_importance(side: Side, name: str, day: int) -> float | None:
    found = [node.importance for node in side.nodes.get(name, ()) if node.when.day == day]
    return round(fmean(found), 2) if found else None


def _moods(side: Side, names: Iterable[str]) -> dict[str, dict[int, str]]:
    moods: dict[str, dict[int, str]] = {name: {} for name in names}
    if side.layout is not None:
        traces = TraceReader(side.layout.traces)
        for day in traces.days():
            for name, mood in moods_of_day(traces, day).items():
                if name in moods:
                    moods[name][day] = mood
    for name, found in moods.items():
        for record in side.files.records(relative_paths.layer(DIARY, name)):
            try:
                entry = DIARY_ENTRY.read(record)
            except RecordError:
                continue  # gm check reports it
            if entry.mood:
                found[entry.day] = entry.mood
        now, last = side.files.mapping(relative_paths.agent(name)).get("mood"), side.state.day
        if isinstance(now, str) and now and last is not None and not side.state.partial:
            found[last[0]] = now
    return moods


def _trust(side: Side, name: str, days: Sequence[int]) -> dict[str, list[float | None]]:
    now = {
        other: _as_number(entry.get(TRUST)) if isinstance(entry, dict) else None
        for other, entry in side.files.mapping(relative_paths.layer(RELATIONSHIPS, name)).items()
    }
    changes: dict[str, list[tuple[int, float | None, float | None]]] = defaultdict(list)
    for record in side.files.records(relative_paths.layer(RELATIONSHIPS, name, HISTORY)):
        ref, old, new = parse_ref(str(record.get("at", ""))), record.get("old"), record.get("new")
        if ref and isinstance(old, dict) and isinstance(new, dict) and TRUST in new:
            changes[str(record.get("with", ""))].append((ref.day, _as_number(old.get(TRUST)), _as_number(new[TRUST])))
    return {
        other: [_value_at(changes[other], now.get(other), day) for day in days] for other in sorted({*now, *changes})
    }


def _value_at(changes: Sequence[tuple[int, float | None, float | None]], now: float | None, day: int) -> float | None:
    before = [new for at, _, new in changes if at <= day]
    if before:
        return before[-1]
    return changes[0][1] if changes else now


def _as_number(value: object) -> float | None:
    return float(value) if is_number(value) else None
