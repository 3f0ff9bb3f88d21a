"""The logbook as a table: every scene of every day in one line, and why it was chosen."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from gm.errors import Problem
from gm.store.commits.snapshot import snapshot
from gm.store.layout import Layout
from gm.tools.views.logged import Logged, logged_days
from gm.tools.views.paging import page_count

PAGE = 200
"""So many scenes stand on one page."""


@dataclass(frozen=True, slots=True)
class Logbook:
    """Lines of the logbook.

    Attributes:
        lines: Those of this page, the newest first.
        found: How many there are on all pages.
        page: Number of this page, from 1.
        pages: How many pages there are, at least 1.
        types: Types of scenes that occur in the whole logbook.
        cast: Who occurs in it.
        days: Days that have one, the newest first.
        problems: What cannot be read.
    """

    lines: tuple[Logged, ...]
    found: int
    page: int
    pages: int
    types: tuple[str, ...]
    cast: tuple[str, ...]
    days: tuple[int, ...]
    problems: tuple[Problem, ...]


def view_logbook(
    layout: Layout,
    *,
    page: int = 1,
    kind: str = "",
    agent: str = "",
    day: int | None = None,
    hidden: Collection[str] = (),
) -> Logbook | None:
    """Read a page of the logbook; None when there is no such page.

    Args:
        layout: The world.
        page: From 1.
        kind: Only scenes of this type; a compound one counts as each of its parts.
        agent: Only scenes with this character.
        day: Only this day.
        hidden: What is left out: ``reasons``.
    """
    with snapshot(layout):
        logged = logged_days(layout)
    lines = [line for item in reversed(logged) for line in reversed(item.scenes)]
    found = [
        line
        for line in lines
        if (not kind or kind in _types(line)) and (not agent or agent in line.cast) and (day is None or line.day == day)
    ]
    pages = page_count(len(found), PAGE)
    if not 1 <= page <= pages:
        return None
    shown = found[(page - 1) * PAGE : page * PAGE]
    return Logbook(
        tuple(replace(line, why="") for line in shown) if "reasons" in hidden else tuple(shown),
        len(found),
        page,
        pages,
        tuple(sorted({name for line in lines for name in _types(line)})),
        tuple(sorted({name for line in lines for name in line.cast})),
        tuple(item.day for item in reversed(logged)),
        tuple(problem for item in logged for problem in item.problems),
    )


def pages_of_logbook(layout: Layout) -> int:
    """Tell how many pages the whole logbook has."""
    scenes = sum(len(item.scenes) for item in logged_days(layout))
    return page_count(scenes, PAGE)


def _types(line: Logged) -> tuple[str, ...]:
    return tuple(line.type.split("+"))
