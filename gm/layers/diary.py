"""The diary of a character: what it wrote down on the evening of each day."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gm.layers.declare import LINES, File, Layer, Lines, Shown, View
from gm.memory.private import is_private
from gm.model.calendar import parse_ref, render_day
from gm.model.fold import shorten

SHORT, LONG = 120, 700
TEXTS = ("mood", "location", "text", "date")


class DiaryError(ValueError):
    """Something in a line that cannot be read; ``key`` names it."""

    def __init__(self, key: str, message: str) -> None:
        super().__init__(message)
        self.key = key


@dataclass(frozen=True, slots=True)
class DiaryEntry:
    """One line of ``state/diary/<name>.jsonl``; there is one a day.

    Attributes:
        day: Story day; the key ``day-003`` in the file.
        text: What was written.
        mood: The mood it was written in.
        location: Where.
        date: Day of the real calendar (``2026-03-04``), where ``calendar.start`` says which one day 1 is.
        tags: Key words.

    Source:
        Document 003, diary: one entry a date, mood and location, searchable by word over all dates. Our key is the
        story day, which every world has.
    """

    day: int
    text: str
    mood: str = ""
    location: str = ""
    date: str = ""
    tags: tuple[str, ...] = ()


def entry_from_record(record: Mapping[str, Any]) -> DiaryEntry:
    """Read a line tolerantly: only ``day`` and ``text`` must be there, unknown keys are left alone.

    Raises:
        DiaryError: A value cannot be read unambiguously.
    """
    day = record.get("day")
    if isinstance(day, int) and not isinstance(day, bool) and day >= 0:
        day = render_day(day)  # written by hand
    ref = parse_ref(day) if isinstance(day, str) else None
    if ref is None or ref.scene:
        raise DiaryError("day", f"day is {_shown(day)}, expected a day such as 'day-003'")
    values: dict[str, str] = {}
    for key in TEXTS:
        value = record.get(key)
        if value is not None and not isinstance(value, str):
            raise DiaryError(key, f"{key} is {_shown(value)}, expected a text")
        values[key] = value or ""
    if not values["text"].strip():
        raise DiaryError("text", "text is missing")
    tags = record.get("tags")
    return DiaryEntry(
        ref.day, tags=tuple(item for item in tags if isinstance(item, str)) if isinstance(tags, list) else (), **values
    )


def entry_record(entry: DiaryEntry) -> dict[str, Any]:
    """Put an entry into the form of its line."""
    return {
        "day": render_day(entry.day),
        **({"date": entry.date} if entry.date else {}),
        "mood": entry.mood,
        "location": entry.location,
        "text": entry.text,
        "tags": list(entry.tags),
    }


def render_entry(entry: DiaryEntry) -> str:
    """Write the line of an entry."""
    return json.dumps(entry_record(entry), ensure_ascii=False)


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "…"


Diary = tuple[DiaryEntry, ...]


def _show(shown: Shown, diary: Diary) -> dict[str, Any] | None:
    """Show the last entry before today, in the scene in which the day is planned."""
    scene = shown.scene
    earlier = [entry for entry in diary if scene and scene.type.plan and entry.day < scene.ref.day]
    if not scene or not earlier:
        return None
    entry = max(earlier, key=lambda entry: entry.day)
    return {
        "day": entry.day,
        "yesterday": entry.day == scene.ref.day - 1,
        "mood": shorten(entry.mood, SHORT),
        "text": shorten(entry.text, LONG),
    }


def _write(_data: Mapping[str, Any], entry: DiaryEntry) -> list[Lines]:
    return [Lines([render_entry(entry)])]


DIARY: Layer[Diary, DiaryEntry] = Layer(
    name="diary",
    empty=(),
    file=File(
        "diary",
        LINES,
        tuple,
        _write,
        record=entry_from_record,
        code="diary",
        hints={
            "day": "which story day it is about, such as day-003 for day 3",
            "text": "what was written; an entry without words is none: delete the line",
            None: "write it in quotes",
        },
    ),
    advance=lambda diary, entry: (*diary, entry),
    view=View("last_night", _show, None),
    sample=(DiaryEntry(0, "Text.", "calm"),),
    private="diary",
    page="diary",
    commands=("gm diary {agent}",),
    told=lambda record: str(record.get("text", record.get("entry", record.get("content", record)))),
    open=lambda diary: tuple(entry for entry in diary if not is_private(entry.tags)),
    without={"mcp": "the memory tools are those of the documents, and none of them is for the diary"},
)
"""Written in the evening, in a question of its own (``scene.evening``), and so by no reply of a scene."""
