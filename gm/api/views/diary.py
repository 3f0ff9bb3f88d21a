"""The diary of one character."""

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
from gm.model.mind import is_on

PAGE_SIZE = 30


@dataclass(frozen=True, slots=True)
class Entry:
    """A diary entry; ``date`` is empty in a world without a real calendar."""

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
        return SceneRef(self.day)


@dataclass(frozen=True, slots=True)
class DiaryPage:
    """A page of a diary; ``count`` includes all pages."""

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
    """A whole diary, newest entry first.

    Attributes:
        is_on: Whether the layer is on or there are entries.
    """

    is_on: bool
    entries: tuple[Entry, ...]
    problems: tuple[Problem, ...] = ()


def read_diary(layout: Layout, agent: str, hidden: Collection[str] = ()) -> Diary:
    """Return the diary of a character; ``private`` in ``hidden`` drops private entries."""
    with snapshot(layout):
        settings, _ = load_settings(layout)  # the frame reports its problems
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
    """Return a page of a diary, ``page`` from 1, clamped."""
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
