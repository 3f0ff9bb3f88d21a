"""The logbook as a table with one line per scene."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from gm.api.views.filtering import turn_to
from gm.base.errors import Problem
from gm.files.commits.snapshot import snapshot
from gm.files.forms.look import cached_by_look
from gm.files.layout import Layout
from gm.files.logbook import read_log, scene_name, scene_number
from gm.model.scene import LogEntry

DAYS_KEPT = 2000
SHORT = 240


@dataclass(frozen=True, slots=True)
class Logged:
    """A scene in one line.

    Attributes:
        scene: ``3`` or ``3b``, or empty.
        anchor: Unique within its day, e.g. ``scene-03``.
        artifacts: Paths of finished pieces.
    """

    day: int
    scene: str
    anchor: str
    type: str
    time_of_day: str
    place: str
    cast: tuple[str, ...]
    why: str
    memories: int
    artifacts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LoggedDay:
    """The logbook of a day in brief.

    Attributes:
        closed: Whether it was played to its end.
        highlight: The first one, shortened.
        closing_memories: Number of memories made at its close.
    """

    day: int
    scenes: tuple[Logged, ...]
    closed: bool
    summary: str
    highlight: str = ""
    closing_memories: int = 0
    problems: tuple[Problem, ...] = ()

    @property
    def memories(self) -> int:
        return self.closing_memories + sum(scene.memories for scene in self.scenes)

    @property
    def artifacts(self) -> tuple[str, ...]:
        return tuple(path for scene in self.scenes for path in scene.artifacts)


def logged_days(layout: Layout) -> list[LoggedDay]:
    """Return all logbooks in brief, oldest first."""
    return [logged_day(layout, day) for day in layout.logged_days()]


def anchors_of(records: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return unique anchors of a day's scenes, even for equal numbers."""
    found: list[str] = []
    for record in records:
        plain = anchor = scene_name(scene_number(record))
        while anchor in found:
            anchor = f"{plain}-{found.count(anchor) + len(found)}"
        found.append(anchor)
    return found


@cached_by_look(DAYS_KEPT, Layout.day_log)
def logged_day(layout: Layout, day: int) -> LoggedDay:
    """Return the logbook of a day in brief."""
    log = read_log(layout, day)
    return LoggedDay(
        day,
        tuple(map(_brief, log.scenes, anchors_of(entry.record for entry in log.scenes))),
        bool(log.closing),
        str(log.closing.get("summary", "")),
        _first(log.closing.get("highlights")),
        _count(log.closing.get("memories")),
        log.problems,
    )


def _brief(entry: LogEntry, anchor: str) -> Logged:
    record = entry.record
    return Logged(
        entry.day,
        scene_number(record),
        anchor,
        entry.type,
        entry.time_of_day,
        entry.place,
        entry.participants,
        str(record.get("why") or ""),
        _count(record.get("memories")),
        entry.artifacts,
    )


def _count(value: object) -> int:
    return len(value) if isinstance(value, list) else 0


def _first(value: object) -> str:
    return _short(str(value[0])) if isinstance(value, list) and value else ""


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= SHORT else text[: SHORT - 1].rstrip() + "…"


PAGE = 200
"""Scenes per page."""


@dataclass(frozen=True, slots=True)
class Logbook:
    """A page of the logbook, newest line first; ``types``, ``cast`` and ``days`` are of the whole logbook."""

    lines: tuple[Logged, ...]
    found: int
    page: int
    pages: int
    types: tuple[str, ...]
    cast: tuple[str, ...]
    days: tuple[int, ...]
    problems: tuple[Problem, ...]


def view_logbook(
    layout: Layout,
    page: int = 1,
    *,
    kind: str = "",
    agent: str = "",
    day: int | None = None,
    hidden: Collection[str] = (),
) -> Logbook:
    """Return a page (from 1, clamped) of the logbook; a compound scene type matches by any of its parts."""
    with snapshot(layout):
        logged = logged_days(layout)
    lines = [line for item in reversed(logged) for line in reversed(item.scenes)]
    found = [
        line
        for line in lines
        if (not kind or kind in _types(line)) and (not agent or agent in line.cast) and (day is None or line.day == day)
    ]
    page, pages, items = turn_to(page, len(found), PAGE)
    shown = found[items]
    return Logbook(
        tuple(replace(line, why="") for line in shown) if "reasons" in hidden else tuple(shown),
        len(found),
        page,
        pages,
        tuple(sorted({name for line in lines for name in _types(line)})),
        tuple(sorted({name for line in lines for name in line.cast})),
        tuple(item.day for item in reversed(logged)),
        tuple(problem for item in logged for problem in item.problems),
    )


def _types(line: Logged) -> tuple[str, ...]:
    return tuple(line.type.split("+"))
