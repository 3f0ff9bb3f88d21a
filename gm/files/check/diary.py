"""Rules for diaries: one entry a day, in order, none in the future."""

from __future__ import annotations

from collections.abc import Iterator

from gm.base.errors import Problem
from gm.files.check.files import Files, LineFile, Often, read_line_file
from gm.files.layers.minds import read_records
from gm.layers.diary import DIARY

KEYS = ("day", "date", "mood", "location", "text", "tags")


def rules(files: Files) -> Iterator[Problem]:
    """Check all diaries."""
    for name in files.names:
        path = files.layout.layer(DIARY, name)
        if path.is_file():
            shown = files.layout.shown(path)
            yield from _diary(LineFile(shown, *read_line_file(path, shown)), files)


def _diary(file: LineFile, files: Files) -> Iterator[Problem]:
    entries, _ = read_records(DIARY.file, file.scan, file.shown)  # unreadable lines are reported with all other layers
    often = Often(file)
    today = files.day if files.world.exists else None
    lines: dict[int, int] = {}
    latest = 0
    for line, entry in entries:
        if entry.day in lines:
            message = f"a second entry of day {entry.day}; the first one stands in line {lines[entry.day]}"
            hint = "there is one entry a day: put the two together, or delete one"
            yield file.at(line, ("day",), "warning", "diary-twice", message, hint)
        elif entry.day < latest:
            message = f"day {entry.day} stands after day {latest}"
            yield file.at(line, ("day",), "info", "diary-order", message, "it is found all the same")
        if today is not None and entry.day > today:
            message = f"day {entry.day} lies after day {today}, which the clock shows"
            yield file.at(line, ("day",), "warning", "diary-future", message, "see state/world.json")
        lines.setdefault(entry.day, line.number)
        latest = max(latest, entry.day)
        for key in line.record:
            if key not in KEYS:
                often.add(key, line, (key,), "info", "diary-extra", f"{key!r} is a key of your own; it is kept")
    yield from often.problems()


RULES = (rules,)
