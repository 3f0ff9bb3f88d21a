"""The logbooks: that of a day read whole, or participants and types of all scenes, read fast.

The logbook of a year has a hundred megabytes: only the beginning of gm's own lines is parsed then, and unchanged files
are not read again.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from operator import is_not
from pathlib import Path
from threading import Lock
from typing import Any

from gm.base.errors import Problem
from gm.files.formats.jsonl import read_lines
from gm.files.formats.look import Look, cached_by_look, look_of
from gm.files.formats.text import BOM, is_overlaid, read_data
from gm.files.layout import Layout
from gm.model.logged import LogEntry
from gm.model.scene import SUMMARY

_TEXT = rb'"((?:[^"\\]|\\.)*)"'
_HEAD = re.compile(
    rb'\{"scene": ([0-9]+), "type": ' + _TEXT + rb'(?:, "(?:time_of_day|time|location)": ' + _TEXT + rb')*'
    rb', "participants": (\[(?:' + _TEXT + rb'(?:, )?)*\])[,}]'
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class DayLog:
    """The logbook of a day. Unreadable lines are left out; ``numbers`` are the line numbers of ``entries``, from 1."""

    day: int
    entries: tuple[LogEntry, ...]
    numbers: tuple[int, ...]
    problems: tuple[Problem, ...] = ()

    @property
    def scenes(self) -> tuple[LogEntry, ...]:
        """The lines of scenes, without the one that ends the day."""
        return tuple(entry for entry in self.entries if not entry.is_summary)

    @property
    def closing(self) -> LogEntry:
        """The line that closes the day; an empty one while it is open."""
        return next((entry for entry in reversed(self.entries) if entry.is_summary), LogEntry(self.day, {}))


def read_log(layout: Layout, day: int) -> DayLog:
    """Read the logbook of a day; an absent one is empty."""
    path = layout.day_log(day)
    lines, problems = read_lines(path, layout.shown(path))
    return DayLog(
        day, tuple(LogEntry(day, line.record) for line in lines), tuple(line.number for line in lines), tuple(problems)
    )


_read_once = cached_by_look(32, Layout.day_log)(read_log)


def read_days(layout: Layout, days: range) -> tuple[LogEntry, ...]:
    """Read the logbooks of some days; unchanged ones are read once."""
    logged = [day for day in layout.logged_days() if day in days] if days else []
    return tuple(chain.from_iterable(_read_once(layout, day).entries for day in logged))


@dataclass(frozen=True, slots=True)
class SceneLine:
    """A scene that was played.

    Attributes:
        scene: Number within the day; 0 without one.
        participants: May include names that are not agents.
    """

    day: int
    scene: int
    type: str
    participants: tuple[str, ...]


class SceneLines:
    """The scenes of a world, cached by a server and updated on each access."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._known: dict[int, tuple[Look | None, tuple[SceneLine, ...]]] = {}
        self._days: list[tuple[SceneLine, ...]] = []
        self._all: tuple[SceneLine, ...] = ()
        self._lock = Lock()

    def all(self) -> tuple[SceneLine, ...]:
        """Return the scenes of all days in order, without closing lines; unreadable lines are left out."""
        with self._lock:
            days = [self._read_scenes(day, path) for day, path in self._layout.day_logs().items()]
            if len(days) != len(self._days) or any(map(is_not, days, self._days)):
                self._days, self._all = days, tuple(chain.from_iterable(days))
            return self._all

    def of(self, day: int) -> tuple[SceneLine, ...]:
        """Return the scenes of one day; no other logbook is read."""
        with self._lock:
            return self._read_scenes(day, self._layout.day_log(day))

    def _read_scenes(self, day: int, path: Path) -> tuple[SceneLine, ...]:
        if is_overlaid(path):
            return read_scene_lines(day, read_data(path))
        look = look_of(path)
        known = self._known.get(day)
        if known is None or known[0] != look or not look:
            try:
                lines = read_scene_lines(day, read_data(path))
            except OSError:
                lines = ()  # gm check reports it
            known = (look, lines)
            self._known[day] = known
        return known[1]


def read_scene_lines(day: int, data: bytes) -> tuple[SceneLine, ...]:
    """Read the scenes of one logbook; unreadable lines are left out."""
    found = []
    for line in data.removeprefix(BOM.encode()).split(b"\n"):
        read = _scan_line(day, line) or _parse_line(day, line)
        if read is not None and read.type != SUMMARY:
            found.append(read)
    return tuple(found)


def _scan_line(day: int, line: bytes) -> SceneLine | None:
    match = _HEAD.match(line)
    if match is None:
        return None
    try:
        return SceneLine(day, int(match[1]), _decode_json(b'"%b"' % match[2]), tuple(_decode_json(match[4])))
    except ValueError:
        return None


@lru_cache(maxsize=4096)
def _decode_json(data: bytes) -> Any:
    return json.loads(data)


def _parse_line(day: int, line: bytes) -> SceneLine | None:
    if not line.strip():
        return None
    try:
        record: Any = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(record, dict):
        return None
    entry = LogEntry(day, record)
    return SceneLine(day, 0 if isinstance(entry.number, bool) else entry.number or 0, entry.type, entry.participants)
