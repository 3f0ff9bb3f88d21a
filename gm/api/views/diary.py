"""The diary of one character."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import astuple, dataclass, replace

from gm.api.views.paging import turn_to
from gm.base.errors import Problem
from gm.files.commits.snapshot import snapshot
from gm.files.layers.minds import load_layer
from gm.files.layout import Layout
from gm.files.now import load_settings
from gm.layers.diary import DIARY, DiaryEntry
from gm.memory.private import PRIVATE, is_private
from gm.model.calendar import SceneRef, weekday
from gm.model.layers import is_on

PAGE_SIZE = 30


@dataclass(frozen=True, slots=True)
class Entry(DiaryEntry):
    """An entry and its day of the week."""

    day_of_week: str = ""

    @property
    def at(self) -> SceneRef:
        return SceneRef(self.day)

    @property
    def is_private(self) -> bool:
        return is_private(self.tags)


@dataclass(frozen=True, slots=True)
class Diary:
    """A diary, or a page of it, newest entry first.

    Attributes:
        is_on: Whether the layer is on or there are entries.
        count: Entries on all pages.
    """

    agent: str
    is_on: bool
    path: str
    entries: tuple[Entry, ...]
    count: int
    problems: tuple[Problem, ...]
    page: int = 1
    pages: int = 1


def read_diary(layout: Layout, agent: str, hidden: Collection[str] = ()) -> Diary:
    """Return the diary of a character; ``private`` in ``hidden`` drops private entries."""
    with snapshot(layout):
        settings, _ = load_settings(layout)  # the frame reports its problems
        found, problems = load_layer(layout, DIARY, agent)
    names = settings.calendar.weekdays
    told = [Entry(*astuple(entry), weekday(entry.day, names)) for entry in found]
    shown = [entry for entry in told if not (PRIVATE in hidden and entry.is_private)]
    return Diary(
        agent,
        is_on(settings.diary, bool(found)),
        layout.shown(layout.layer(DIARY, agent)),
        tuple(sorted(shown, key=lambda entry: entry.day, reverse=True)),
        len(shown),
        () if settings.diary == "off" else tuple(problems),
    )


def view_diary(layout: Layout, agent: str, page: int = 1, hidden: Collection[str] = ()) -> Diary:
    """Return a page of a diary, ``page`` from 1, clamped."""
    diary = read_diary(layout, agent, hidden)
    page, pages, items = turn_to(page, diary.count, PAGE_SIZE)
    return replace(diary, entries=diary.entries[items], page=page, pages=pages)
