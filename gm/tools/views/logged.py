"""Logbooks, line by line, read once as long as a file stays as it is: a year of them is some megabytes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from gm.errors import Problem
from gm.model.scene import LogEntry
from gm.store.forms.look import Look, look_of
from gm.store.layout import Layout
from gm.store.logbook import read_log, scene_name, scene_number

DAYS_KEPT = 2000
SHORT = 240


@dataclass(frozen=True, slots=True)
class Logged:
    """A scene in one line.

    Attributes:
        day: Story day.
        scene: Its number within the day as it stands in the logbook, ``3`` or ``3b``; empty when there is none.
        anchor: Where it stands on the page of its day: ``scene-03``.
        type: Its type.
        time_of_day: Time of day.
        place: Where.
        cast: Who took part.
        why: Why the Game Master chose it.
        memories: How many memories it made.
        artifacts: Paths of what was finished in it.
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
    """The logbook of a day, in brief.

    Attributes:
        day: Story day.
        scenes: Its scenes, in order.
        closed: Whether it was played to its end.
        summary: What its closing line says; empty when there is none.
        highlight: The first thing that stands out in it; empty when nothing does.
        closing_memories: How many memories its close made.
        problems: What cannot be read.
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
        """How many memories the day made."""
        return self.closing_memories + sum(scene.memories for scene in self.scenes)

    @property
    def artifacts(self) -> tuple[str, ...]:
        """What was finished."""
        return tuple(path for scene in self.scenes for path in scene.artifacts)


def logged_days(layout: Layout) -> list[LoggedDay]:
    """Read every logbook in brief, the oldest day first."""
    return [logged_day(layout, day) for day in layout.logged_days()]


def logged_day(layout: Layout, day: int) -> LoggedDay:
    """Read the logbook of a day in brief."""
    look = look_of(layout.day_log(day))
    return _kept(layout, day, look) if look else _read(layout, day)


def anchors_of(records: Iterable[Mapping[str, Any]]) -> list[str]:
    """Write the anchors of the scenes of a day; two lines of one number have two anchors."""
    found: list[str] = []
    for record in records:
        plain = anchor = scene_name(scene_number(record))
        while anchor in found:
            anchor = f"{plain}-{found.count(anchor) + len(found)}"
        found.append(anchor)
    return found


@lru_cache(maxsize=DAYS_KEPT)
def _kept(layout: Layout, day: int, _look: Look) -> LoggedDay:
    return _read(layout, day)


def _read(layout: Layout, day: int) -> LoggedDay:
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
