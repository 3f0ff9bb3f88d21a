"""Logbooks, line by line, read once as long as a file stays as it is: a year of them is some megabytes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from gm.errors import Problem
from gm.model.scene import LogEntry
from gm.store.jsonl import read_lines
from gm.store.layout import Layout
from gm.store.text import is_overlaid

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
    path = layout.day_log(day)
    look = look_of(path)
    return _kept(path, layout.shown(path), day, look) if look else _read(path, layout.shown(path), day)


def anchor_of(scene: str) -> str:
    """Write the anchor of a scene: ``scene-03``, ``scene-01b``."""
    digits = scene.rstrip("abcdefghijklmnopqrstuvwxyz")
    return f"scene-{digits.zfill(2)}{scene[len(digits) :]}" if digits.isascii() and digits.isdigit() else "scene"


def anchors_of(records: Iterable[Mapping[str, Any]]) -> list[str]:
    """Write the anchors of the scenes of a day; two lines of one number have two anchors."""
    found: list[str] = []
    for record in records:
        plain = anchor = anchor_of(scene_number(record))
        while anchor in found:
            anchor = f"{plain}-{found.count(anchor) + len(found)}"
        found.append(anchor)
    return found


def scene_number(record: Mapping[str, Any]) -> str:
    """Read the number of a scene from its line: ``3``, ``3b``; also where it is written ``day-001/scene-03b``."""
    value = record.get("scene")
    if isinstance(value, bool) or not isinstance(value, int | str):
        return ""
    return str(value).rpartition("scene-")[2].lstrip("0")


def look_of(path: Path) -> tuple[int, ...]:
    """Tell size, time and place on the disk of a file; empty where those do not say what is read."""
    if is_overlaid(path):
        return ()
    try:
        status = os.stat(path)
    except OSError:
        return ()
    return status.st_size, status.st_mtime_ns, status.st_ino


@lru_cache(maxsize=DAYS_KEPT)
def _kept(path: Path, shown: str, day: int, _look: tuple[int, ...]) -> LoggedDay:
    return _read(path, shown, day)


def _read(path: Path, shown: str, day: int) -> LoggedDay:
    lines, problems = read_lines(path, shown)
    entries = [LogEntry(day, line.record) for line in lines]
    scenes = [entry for entry in entries if not entry.is_summary]
    closing: Mapping[str, Any] = next((entry.record for entry in reversed(entries) if entry.is_summary), {})
    return LoggedDay(
        day,
        tuple(map(_brief, scenes, anchors_of(entry.record for entry in scenes))),
        bool(closing),
        str(closing.get("summary", "")),
        _first(closing.get("highlights")),
        _count(closing.get("memories")),
        tuple(problems),
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
