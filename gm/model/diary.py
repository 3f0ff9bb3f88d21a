"""An entry of a diary: what somebody wrote down on the evening of a day (S3-14)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gm.model.calendar import parse_ref, render_day

LAYER = "diary"
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
        story day, which every world has (K5).
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
