"""The diary of one character, as pages of a book."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from gm.api.views.paging import turn_to
from gm.base.errors import Problem
from gm.files.commits.snapshot import snapshot
from gm.files.layers.minds import load_layer
from gm.files.layout import Layout
from gm.files.now import load_settings
from gm.layers.diary import DIARY
from gm.memory.private import PRIVATE, is_private
from gm.model.calendar import SceneRef, weekday
from gm.model.layers import is_on

PAGE_SIZE = 30


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a diary.

    Attributes:
        day_of_week: Name of the day; empty where the world has no names.
        date: Day of the real calendar, where the world has one.
        tags: Key words.
        is_private: Whether it is tagged as private.
    """

    day: int
    day_of_week: str
    date: str
    text: str
    mood: str
    place: str
    tags: tuple[str, ...]
    is_private: bool

    @property
    def at(self) -> SceneRef:
        """The day as a moment."""
        return SceneRef(self.day)


@dataclass(frozen=True, slots=True)
class DiaryPage:
    """A page of a diary.

    Attributes:
        is_on: Whether this character writes one: the layer is on, or there are entries.
        entries: What stands on this page, the newest first.
        count: How many entries there are.
    """

    agent: str
    is_on: bool
    path: str
    entries: tuple[Entry, ...]
    page: int
    pages: int
    count: int
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class Diary:
    """A whole diary.

    Attributes:
        is_on: Whether this character writes one: the layer is on, or there are entries.
        entries: Everything that may be shown, the newest first.
    """

    is_on: bool
    entries: tuple[Entry, ...]
    problems: tuple[Problem, ...] = ()


def read_diary(layout: Layout, agent: str, hidden: Collection[str] = ()) -> Diary:
    """Return the diary of a character; with ``private`` in ``hidden``, without private entries."""
    with snapshot(layout):
        settings, _ = load_settings(layout)  # the frame tells what is wrong with them
        found, problems = load_layer(layout, DIARY, agent)
    shown = [entry for entry in found if not (PRIVATE in hidden and is_private(entry.tags))]
    names = settings.calendar.weekdays
    entries = tuple(
        Entry(
            day=entry.day,
            day_of_week=weekday(entry.day, names),
            date=entry.date,
            text=entry.text,
            mood=entry.mood,
            place=entry.location,
            tags=entry.tags,
            is_private=is_private(entry.tags),
        )
        for entry in sorted(shown, key=lambda entry: entry.day, reverse=True)
    )
    return Diary(is_on(settings.diary, bool(found)), entries, () if settings.diary == "off" else tuple(problems))


def view_diary(layout: Layout, agent: str, page: int = 1, hidden: Collection[str] = ()) -> DiaryPage:
    """Return a page of a diary.

    Args:
        page: From 1; the last one where there are not so many.
    """
    diary = read_diary(layout, agent, hidden)
    page, pages, items = turn_to(page, len(diary.entries), PAGE_SIZE)
    return DiaryPage(
        agent=agent,
        is_on=diary.is_on,
        path=layout.shown(layout.layer(DIARY, agent)),
        entries=diary.entries[items],
        page=page,
        pages=pages,
        count=len(diary.entries),
        problems=diary.problems,
    )
