"""The logbook as a table with one line per scene."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gm.api.views.filtering import turn_to
from gm.api.views.titles import scene_title
from gm.base.errors import Problem
from gm.base.texts import clip_line, is_digits
from gm.files.formats.look import cached_by_look
from gm.files.layout import Layout
from gm.files.story.logbook import read_log
from gm.files.story.now import load_clock
from gm.files.streams.lineindex import line_index
from gm.files.streams.nodefile import read_last_memories
from gm.layers.privacy import REASONS
from gm.memory.share import MEMORIES, PRIVATE, quotes, withheld_nodes
from gm.model.calendar import SceneRef
from gm.model.clock import Clock
from gm.model.logged import LogEntry, scene_name
from gm.model.node import Node

if TYPE_CHECKING:
    from gm.api.views.scenes import SceneView

DAYS_KEPT = 2000
SHORT = 240
PAGE = 200
"""Scenes per page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Logged:
    """A scene in one line.

    Attributes:
        scene: ``3`` or ``3b``, or empty.
        anchor: Unique within its day, e.g. ``scene-03``.
        title: What tells it apart; empty where only its type does.
        open_title: The same without the Game Master's reasons.
        answers: What it took up: ids of threads, and keys of briefs, events and pieces.
    """

    day: int
    scene: str
    anchor: str
    title: str
    open_title: str
    type: str
    time_of_day: str
    place: str
    cast: tuple[str, ...]
    why: str
    memories: int
    artifacts: tuple[str, ...]
    answers: tuple[str, ...] = ()

    @property
    def moment(self) -> str:
        """The name of the moment after it (``day-003/scene-02``); empty where the logbook numbers it unusually."""
        return str(SceneRef(self.day, int(self.scene))) if is_digits(self.scene) else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedDay:
    """The logbook of a day in brief.

    Attributes:
        highlight: The first one, shortened.
        finished: Paths of what was finished alone, at its end.
    """

    day: int
    scenes: tuple[Logged, ...]
    closed: bool
    summary: str
    highlight: str = ""
    closing_memories: int = 0
    finished: tuple[str, ...] = ()
    carried: tuple[tuple[str, str], ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def memories(self) -> int:
        """Number of memories of the day."""
        return self.closing_memories + sum(scene.memories for scene in self.scenes)

    @property
    def artifacts(self) -> tuple[str, ...]:
        """Paths of the pieces made on the day."""
        return paths_made(self.scenes, self.finished)


def paths_made(scenes: Iterable[Logged | SceneView], finished: Iterable[str]) -> tuple[str, ...]:
    """Return the paths of what was made in scenes, and then of what was finished alone."""
    return (*(path for scene in scenes for path in scene.artifacts), *finished)


def anchor_scenes(entries: Iterable[LogEntry]) -> list[str]:
    """Return unique anchors of a day's scenes, even for equal numbers."""
    found: list[str] = []
    for entry in entries:
        plain = anchor = scene_name(entry.label)
        while anchor in found:
            anchor = f"{plain}-{found.count(anchor) + len(found)}"
        found.append(anchor)
    return found


@cached_by_look(DAYS_KEPT, Layout.day_log)
def logged_day(layout: Layout, day: int) -> LoggedDay:
    """Return the logbook of a day in brief."""
    log = read_log(layout, day)
    closing = log.closing
    return LoggedDay(
        day=day,
        scenes=tuple(map(_brief, log.scenes, anchor_scenes(log.scenes))),
        closed=closing.is_summary,
        summary=closing.summary,
        highlight=clip_line(next(iter(closing.highlights), ""), SHORT),
        closing_memories=len(closing.memories),
        finished=closing.artifacts,
        carried=closing.carried,
        problems=log.problems,
    )


def _brief(entry: LogEntry, anchor: str) -> Logged:
    title = scene_title(entry)
    return Logged(
        day=entry.day,
        scene=entry.label,
        anchor=anchor,
        title=title,
        open_title=scene_title(entry, with_reasons=False) if entry.why else title,
        type=entry.type,
        time_of_day=entry.time_of_day,
        place=entry.place,
        cast=entry.participants,
        why=entry.why,
        memories=len(entry.memories),
        artifacts=entry.artifacts,
        answers=entry.answers,
    )


def nodes_of_day(layout: Layout, clock: Clock, day: int) -> dict[str, Node]:
    """Return a day's memories by id; for the current day, only the ends of the streams are read."""
    names = layout.agent_names()
    if day >= clock.day:
        return {node.id: node for name in names for node in read_last_memories(layout.stream(name), day)}
    from gm.files.streams.linescan import read_day_memories

    found: dict[str, Node] = {}
    with line_index(layout) as index:
        for name in names:
            lines, _ = index.lines(name, layout.stream(name))
            found |= {node.id: node for node in read_day_memories(name, layout.stream(name), lines, day)}
    return found


def shown_day(layout: Layout, clock: Clock, day: int, hidden: Collection[str] = ()) -> LoggedDay:
    """Return the logbook of a day in brief, without what is kept back."""
    logged = logged_day(layout, day)
    if REASONS in hidden:
        scenes = tuple(replace(scene, title=scene.open_title, why="") for scene in logged.scenes)
        logged = replace(logged, scenes=scenes)
    if not {PRIVATE, MEMORIES} & set(hidden):
        return logged
    secrets = withheld_nodes(nodes_of_day(layout, clock, day).values(), hidden)
    scenes = tuple(replace(scene, title="") if quotes(scene.title, secrets) else scene for scene in logged.scenes)
    is_kept_back = MEMORIES in hidden or quotes(logged.highlight, secrets)
    return replace(logged, scenes=scenes, highlight="" if is_kept_back else logged.highlight)


def shown_days(layout: Layout, hidden: Collection[str] = ()) -> list[LoggedDay]:
    """Return all logbooks in brief as they may be shown, oldest first."""
    return list(newest_days(layout, hidden))[::-1]


def newest_days(layout: Layout, hidden: Collection[str] = ()) -> Iterator[LoggedDay]:
    """Yield the logbooks in brief as they may be shown, the newest first; each is read when it is wanted."""
    clock, _ = load_clock(layout)
    return (shown_day(layout, clock, day, hidden) for day in reversed(layout.logged_days()))


@dataclass(frozen=True, slots=True)
class Logbook:
    """A page of the logbook, newest line first.

    Attributes:
        found: All matches, or those found so far.
        pages: One more than ``page`` where older days have not been read.
        types, cast: Of the days that were read.
        is_whole: Whether all days were read.
    """

    lines: tuple[Logged, ...]
    found: int
    page: int
    pages: int
    types: tuple[str, ...]
    cast: tuple[str, ...]
    is_whole: bool
    problems: tuple[Problem, ...]


def view_logbook(
    newest: Iterable[LoggedDay],
    page: int = 1,
    *,
    kind: str = "",
    agent: str = "",
    day: int | None = None,
    reads_all: bool = True,
) -> Logbook:
    """Return a page (from 1, clamped) of the logbook; a compound scene type matches by any of its parts.

    Args:
        newest: As ``newest_days`` yields them.
        reads_all: Whether to read on when the page is full.
    """
    logged, lines, found, is_whole = list[LoggedDay](), list[Logged](), list[Logged](), True
    for item in newest:
        logged.append(item)
        lines += reversed(item.scenes)
        found += [
            line
            for line in reversed(item.scenes)
            if (not kind or kind in _types(line))
            and (not agent or agent in line.cast)
            and (day is None or line.day == day)
        ]
        if not reads_all and len(found) > page * PAGE:
            is_whole = False
            break
    page, pages, items = turn_to(page, len(found), PAGE)
    return Logbook(
        tuple(found[items]),
        len(found),
        page,
        pages if is_whole else page + 1,
        tuple(sorted({name for line in lines for name in _types(line)})),
        tuple(sorted({name for line in lines for name in line.cast})),
        is_whole,
        tuple(problem for item in reversed(logged) for problem in item.problems),
    )


def _types(line: Logged) -> tuple[str, ...]:
    return tuple(line.type.split("+"))
