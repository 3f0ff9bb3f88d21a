"""A whole day: its scenes, and what other files add to the logbook."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from gm.api.answers.moods import moods_by_scene
from gm.api.views.filtering import turn_to
from gm.api.views.logbook import LoggedDay, anchor_scenes, nodes_of_day, paths_made, shown_day
from gm.api.views.reading import KnownOfDay, read_scene
from gm.api.views.scenes import RegardInScene, SceneView, ThreadMark, scene_kinds
from gm.api.views.threads import known_threads
from gm.base.config import Settings
from gm.base.errors import Problem
from gm.base.texts import split_paragraphs
from gm.files.commits.snapshot import snapshot
from gm.files.layout import Layout
from gm.files.questions.traces import TraceReader
from gm.files.story.logbook import read_log
from gm.files.story.now import load_bulletin, load_now
from gm.files.streams.find import FoundMemory
from gm.files.streams.nodefile import day_of_event, read_tail
from gm.layers.privacy import PROMPTS
from gm.layers.relationships import COUNT, HISTORY, MET, RELATIONSHIPS
from gm.memory.share import MEMORIES, withheld_nodes
from gm.model.calendar import weekday
from gm.model.clock import Clock, Post
from gm.model.logged_parts import LoggedThread, PlanEnd
from gm.model.thread import Thread
from gm.model.turns import PlayedTurn

COUNTED = (COUNT, MET)
"""Relationship keys that the Game Master counts."""
PLAIN_WEEK = 7
DAYS_SHOWN = 60
"""Days on a page of them, at most, in whole weeks."""


@dataclass(frozen=True, slots=True)
class Day:
    """A day as it is read.

    Attributes:
        closed: Whether it was played to its end.
        is_open: Whether it is the current, unfinished day.
        leaving: What was last seen of each one, at its end.
        finished: Paths of what was finished alone, at its end.
        evening: Memories made at its close.
        chapter: Paragraphs of the narrator's chapter; an empty one is a break between scenes.
        traces: Whether traces exist, the only source of moods.
    """

    day: int
    weekday: str
    closed: bool
    is_open: bool
    scenes: tuple[SceneView, ...]
    summary: str
    highlights: tuple[str, ...]
    left_open: tuple[str, ...]
    leaving: tuple[PlayedTurn, ...]
    finished: tuple[str, ...]
    evening: tuple[FoundMemory, ...]
    missed: tuple[ThreadMark, ...]
    plans: tuple[tuple[str, tuple[PlanEnd, ...]], ...]
    posts: tuple[Post, ...]
    previous: int | None
    next: int | None
    traces: bool
    chapter: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def memories(self) -> tuple[FoundMemory, ...]:
        """Memories of all scenes, then those of the evening."""
        return (*(memory for scene in self.scenes for memory in scene.memories), *self.evening)

    @property
    def ends(self) -> tuple[PlanEnd, ...]:
        """Ended plan items of all characters."""
        return tuple(end for _, ends in self.plans for end in ends)

    @property
    def has_thoughts(self) -> bool:
        """Whether any turn shows a thought."""
        return any(turn.thought for scene in self.scenes for turn in scene.turns)

    @property
    def artifacts(self) -> tuple[str, ...]:
        """Paths of the pieces made on the day."""
        return paths_made(self.scenes, self.finished)


def view_day(layout: Layout, day: int, hidden: Collection[str] = ()) -> Day | None:
    """Return a day; None if it has no logbook.

    Args:
        hidden: ``thoughts``, ``reasons``, ``private``, ``relationships``, ``soul``, ``prompts``.
    """
    with snapshot(layout):
        days = layout.logged_days()
        if day not in days:
            return None
        settings, clock, problems = load_now(layout)
        log = read_log(layout, day)
        problems += log.problems
        posts, _, found = load_bulletin(layout)
        problems += found
        threads, wrong = known_threads(layout)
        problems += wrong
        known = _known_of_day(layout, settings, clock, day, threads, hidden)
    place = days.index(day)
    anchors, closing = anchor_scenes(log.scenes), log.closing
    last = read_scene(closing, known)
    return Day(
        day,
        name_of_day(settings, clock, day),
        closed=closing.is_summary,
        is_open=clock.day_open and clock.day == day,
        scenes=tuple(
            read_scene(entry, known, anchor, earlier={one.type for one in log.scenes[:number]})
            for number, (entry, anchor) in enumerate(zip(log.scenes, anchors, strict=True))
        ),
        summary=last.summary,
        highlights=tuple(filter(known.keep, closing.highlights)) if MEMORIES not in hidden else (),
        left_open=tuple(filter(known.keep, closing.open_threads)),
        leaving=last.turns,
        finished=last.artifacts,
        evening=last.memories,
        missed=tuple(known.marks(LoggedThread(name, "close", outcome="missed") for name in closing.missed)),
        plans=known.plans(closing.plans),
        posts=tuple(post for post in posts if post.day == day),
        previous=days[place - 1] if place else None,
        next=days[place + 1] if place + 1 < len(days) else None,
        traces=TraceReader(layout.traces).has_day(day),
        chapter=_chapter(closing.chapter, known),
        problems=tuple(problems),
    )


def _chapter(text: str, known: KnownOfDay) -> tuple[str, ...]:
    parts = split_paragraphs(text)
    return tuple(part if re.search(r"\w", part) else "" for part in parts) if all(map(known.keep, parts)) else ()


def name_of_day(settings: Settings, clock: Clock, day: int) -> str:
    """Return the weekday of a story day; for the current day, from the clock."""
    if day == clock.day and clock.day_of_week:
        return clock.day_of_week
    return weekday(day, settings.calendar.weekdays)


def regards_of_day(layout: Layout, day: int) -> list[tuple[str, RegardInScene]]:
    """Return a day's relationship changes with their scene references, without counters."""
    found = []
    for name in layout.agent_names():
        for record in read_tail(layout.layer(RELATIONSHIPS, name, HISTORY), day, day_of_event):
            if day_of_event(record) == day and (regard := _regard(name, record)):
                found.append((str(record["at"]), regard))
    return found


def _regard(name: str, record: Mapping[str, Any]) -> RegardInScene | None:
    old, new = record.get("old"), record.get("new")
    if not isinstance(old, dict) or not isinstance(new, dict):
        return None
    changes = tuple((key, old.get(key), value) for key, value in new.items() if key not in COUNTED)
    changes = tuple(item for item in changes if item[1] != item[2] and (item[1] or item[2]))
    return RegardInScene(name, str(record.get("with", "")), changes, str(record.get("why") or "")) if changes else None


def _known_of_day(
    layout: Layout, settings: Settings, clock: Clock, day: int, threads: tuple[Thread, ...], hidden: Collection[str]
) -> KnownOfDay:
    nodes = nodes_of_day(layout, clock, day)
    secrets = withheld_nodes(nodes.values(), hidden)
    kept_back = {node.id for node in secrets}
    regards: dict[str, tuple[RegardInScene, ...]] = {}
    if RELATIONSHIPS.name not in hidden:
        for ref, regard in regards_of_day(layout, day):
            regards[ref] = (*regards.get(ref, ()), regard)
    return KnownOfDay(
        kinds=scene_kinds(layout, settings.language),
        raise_at=settings.day.raise_at,
        nodes={name: node for name, node in nodes.items() if name not in kept_back},
        threads={thread.id: thread for thread in threads},
        regards=regards,
        moods={} if PROMPTS in hidden else _moods(layout, day),
        secrets=secrets,
        hidden=hidden,
    )


def _moods(layout: Layout, day: int) -> dict[str, tuple[tuple[str, str], ...]]:
    found = moods_by_scene(TraceReader(layout.traces), day)
    return {place: tuple(sorted(moods.items())) for place, moods in found.items()}


@dataclass(frozen=True, slots=True)
class DayInBrief:
    """A day in the calendar."""

    logged: LoggedDay
    weekday: str
    is_open: bool
    met: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Week:
    """A week of a world, numbered from 1; only days with a logbook."""

    number: int
    days: tuple[DayInBrief, ...]

    @property
    def memories(self) -> int:
        """Number of memories of all its days."""
        return sum(day.logged.memories for day in self.days)


@dataclass(frozen=True, slots=True)
class WeeksView:
    """The days of a world, the newest week first; ``days`` counts those of all pages."""

    weeks: tuple[Week, ...]
    weekdays: tuple[str, ...]
    problems: tuple[Problem, ...]
    days: int
    page: int
    pages: int


def view_days(layout: Layout, hidden: Collection[str] = (), page: int = 0) -> WeeksView:
    """Return a page (from 1, clamped) of the days in brief, in whole weeks; 0 = all days."""
    with snapshot(layout):
        settings, clock, problems = load_now(layout)
        length = len(settings.calendar.weekdays) or PLAIN_WEEK
        days = layout.logged_days()
        numbers = sorted({_week_of(day, length) for day in days}, reverse=True)
        page, pages, items = turn_to(page, len(numbers), max(1, DAYS_SHOWN // length) if page else len(numbers) or 1)
        weeks: dict[int, list[DayInBrief]] = {number: [] for number in numbers[items]}
        cast = len(layout.agent_names())
        for day in days:
            if (number := _week_of(day, length)) in weeks:
                item = shown_day(layout, clock, day, hidden)
                problems += item.problems
                weeks[number].append(_brief(item, name_of_day(settings, clock, day), clock, cast))
    ordered = tuple(Week(number, tuple(found)) for number, found in weeks.items())
    return WeeksView(ordered, settings.calendar.weekdays, tuple(problems), len(days), page, pages)


def _week_of(day: int, length: int) -> int:
    return (max(day, 1) - 1) // length + 1


def _brief(logged: LoggedDay, weekday: str, clock: Clock, cast: int) -> DayInBrief:
    groups = [tuple(sorted(set(scene.cast))) for scene in logged.scenes]
    met = tuple(dict.fromkeys(group for group in groups if 1 < len(group) < max(cast, 3)))
    return DayInBrief(logged, weekday, clock.day_open and clock.day == logged.day, met)
