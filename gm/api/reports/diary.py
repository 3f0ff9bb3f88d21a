"""Read and search diaries."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gm.api.answers.document import part
from gm.base.casefold import search_key
from gm.layers.diary import DIARY, DIARY_ENTRY, DiaryEntry
from gm.model.calendar import parse_days
from gm.model.world import World, known_agent

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


@dataclass(frozen=True, slots=True)
class WrittenEntry:
    """A diary entry and its author's id."""

    agent: str
    entry: DiaryEntry = part(inline=True, by=DIARY_ENTRY.write)


@dataclass(frozen=True, slots=True)
class Diaries:
    """Entries by day and agent; ``on`` = this world has diaries."""

    on: bool
    entries: tuple[WrittenEntry, ...]


def describe_diaries(
    world: World, agent: str | None = None, days: str | None = None, search: str | None = None
) -> Diaries:
    """Return diary entries.

    Args:
        search: Words that must all occur in text, mood, place or tags; ignores case, and umlauts may be spelled out.

    Raises:
        UsageError: No such character, or malformed days.
    """
    names = [known_agent(world.agents, agent)] if agent else list(world.agents)
    wanted = None if days is None else parse_days_or_date(days)
    words = search_key(search or "").split()
    found = [
        WrittenEntry(name, entry)
        for name in names
        for entry in world.agents[name].mind[DIARY]
        if _is_of(entry, wanted) and _has_words(entry, words)
    ]
    return Diaries(DIARY.name in world.layers, tuple(sorted(found, key=lambda item: (item.entry.day, item.agent))))


def parse_days_or_date(text: str) -> tuple[int, int] | str:
    """Parse a date (``2026-03-04``), or what ``parse_days`` takes.

    Raises:
        UsageError: Malformed, or it ends before it begins.
    """
    text = text.strip()
    return text if _DATE.fullmatch(text) else parse_days(text, also=", or a date such as 2026-03-04")


def _is_of(entry: DiaryEntry, days: tuple[int, int] | str | None) -> bool:
    if days is None:
        return True
    return entry.date == days if isinstance(days, str) else days[0] <= entry.day <= days[1]


def _has_words(entry: DiaryEntry, words: list[str]) -> bool:
    text = search_key(" ".join((entry.text, entry.mood, entry.location, *entry.tags)))
    return all(word in text for word in words)
