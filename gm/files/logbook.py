"""The logbook of a day, read whole: its scenes, its closing line, and where each of them happened.

Where only who was in which scene is asked, of a whole year perhaps, ``scenelines`` reads much less.
"""

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
    """What the logbook says of a day.

    Attributes:
        day: Story day.
        entries: Its lines in order, the closing one too; those that cannot be read are left out.
        numbers: Where in the file each of them stands, from 1.
        problems: What cannot be read.
    """

    day: int
    entries: tuple[LogEntry, ...]
    numbers: tuple[int, ...]
    problems: tuple[Problem, ...] = ()

    @property
    def scenes(self) -> tuple[LogEntry, ...]:
        """The scenes, without the closing line."""
        return tuple(entry for entry in self.entries if not entry.is_summary)

    @property
    def closing(self) -> Mapping[str, Any]:
        """The closing line, the last one where there are several; empty while the day is open."""
        return next((entry.record for entry in reversed(self.entries) if entry.is_summary), {})


def read_log(layout: Layout, day: int) -> DayLog:
    """Read the logbook of a day; one that is not there has no lines."""
    path = layout.day_log(day)
    lines, problems = read_lines(path, layout.shown(path))
    return DayLog(
        day,
        tuple(LogEntry(day, line.record) for line in lines),
        tuple(line.number for line in lines),
        tuple(problems),
    )


def scene_number(record: Mapping[str, Any]) -> str:
    """Read the number of a scene from its line: ``3``, ``3b``; also where it is written ``day-001/scene-03b``."""
    value = record.get("scene")
    if isinstance(value, bool) or not isinstance(value, int | str):
        return ""
    return str(value).rpartition("scene-")[2].lstrip("0")


def scene_name(number: str) -> str:
    """Write the scene of a number as references do, without its day: ``scene-03``, ``scene-01b``."""
    digits = number.rstrip("abcdefghijklmnopqrstuvwxyz")
    return f"scene-{digits.zfill(2)}{number[len(digits) :]}" if is_digits(digits) else "scene"


def ref_of(entry: LogEntry) -> SceneRef | None:
    """Return which scene a line is about; None where it has no number that one can go by."""
    return parse_ref(f"{render_day(entry.day)}/{scene_name(scene_number(entry.record))}")
