"""The logbook of a day, read whole. For participants of many days, ``scenelines`` reads much less."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gm.base.errors import Problem
from gm.base.texts import is_digits
from gm.files.forms.jsonl import read_lines
from gm.files.layout import Layout
from gm.model.calendar import SceneRef, parse_ref, render_day
from gm.model.scene import LogEntry


@dataclass(frozen=True, slots=True)
class DayLog:
    """The logbook of a day. Unreadable lines are left out; ``numbers`` are the line numbers of ``entries``, from 1."""

    day: int
    entries: tuple[LogEntry, ...]
    numbers: tuple[int, ...]
    problems: tuple[Problem, ...] = ()

    @property
    def scenes(self) -> tuple[LogEntry, ...]:
        return tuple(entry for entry in self.entries if not entry.is_summary)

    @property
    def closing(self) -> Mapping[str, Any]:
        """The last closing line; empty while the day is open."""
        return next((entry.record for entry in reversed(self.entries) if entry.is_summary), {})


def read_log(layout: Layout, day: int) -> DayLog:
    """Read the logbook of a day; an absent one is empty."""
    path = layout.day_log(day)
    lines, problems = read_lines(path, layout.shown(path))
    return DayLog(
        day,
        tuple(LogEntry(day, line.record) for line in lines),
        tuple(line.number for line in lines),
        tuple(problems),
    )


def scene_number(record: Mapping[str, Any]) -> str:
    """Return the number of a scene from its record: ``3``, ``3b``; also from ``day-001/scene-03b``; else empty."""
    value = record.get("scene")
    if isinstance(value, bool) or not isinstance(value, int | str):
        return ""
    return str(value).rpartition("scene-")[2].lstrip("0")


def scene_name(number: str) -> str:
    """Return the scene part of a reference: ``scene-03``, ``scene-01b``."""
    digits = number.rstrip("abcdefghijklmnopqrstuvwxyz")
    return f"scene-{digits.zfill(2)}{number[len(digits) :]}" if is_digits(digits) else "scene"


def ref_of(entry: LogEntry) -> SceneRef | None:
    """Return the scene of a line; None when it has no valid number."""
    return parse_ref(f"{render_day(entry.day)}/{scene_name(scene_number(entry.record))}")
