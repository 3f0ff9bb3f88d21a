"""Rewind points of a world, kept rewinds, and the worlds beside it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from gm.api.history.git import GitError, find_repository
from gm.api.history.rewind.apply_rewind import RestorableFiles, changed_since, list_kept, whereabouts
from gm.api.history.rewind.branches import list_branches
from gm.api.history.rewind.moments import list_reachable
from gm.api.history.states import NOW
from gm.api.views.logbook import LoggedDay, logged_day
from gm.api.views.worlds import find_worlds
from gm.base.errors import GmError
from gm.files.commits.changes import recorded_days
from gm.files.commits.snapshot import snapshot
from gm.files.layout import Layout
from gm.files.story.now import load_now
from gm.model.calendar import parse_ref, render_day

PAGE = 20
"""Days per page."""
KEPT = 5
"""Rewinds that are shown."""


@dataclass(frozen=True, slots=True)
class OtherWorld:
    """Another world to compare with."""

    path: str
    title: str
    branch: str
    at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """The moments of a world, newest first, and what lies beside it.

    Attributes:
        days: Each with the name of the moment after it; empty while it is open.
        ways: The names of moments to which something leads back.
        no_git: Why git does not serve; empty = it does.
        commits: ``git.commit``: ``never``, ``day`` or ``scene``.
        recorded: First day of the world's own record; 0 = none.
        kept: What rewinds took away, newest first, and whether it can be brought back as things are.
    """

    here: str
    days: tuple[tuple[str, LoggedDay], ...]
    ways: frozenset[str]
    page: int
    pages: int
    no_git: str
    commits: str
    recorded: int
    kept: tuple[tuple[RestorableFiles, bool], ...]
    worlds: tuple[OtherWorld, ...]


def view_history(layout: Layout, page: int = 1) -> History:
    """Return a page of the history; pages count from 1."""
    with snapshot(layout):
        settings, clock, _ = load_now(layout)
        logged = layout.logged_days()[::-1]
        days = [logged_day(layout, day) for day in logged[(page - 1) * PAGE : page * PAGE]]
        here, recorded = whereabouts(layout), recorded_days(layout)
        names = [scene.moment for day in days for scene in day.scenes]
        names += [render_day(day.day) for day in days if not (clock.day_open and day.day == clock.day)]
        names += [render_day(0)] if page * PAGE >= len(logged) else []
        ways = list_reachable(layout, {ref for ref in map(parse_ref, names) if ref})
        kept = [(item, not changed_since(layout, item)) for item in list_kept(layout)[: -KEPT - 1 : -1]]
    open_day = clock.day if clock.day_open else None
    return History(
        here=here,
        days=tuple(("" if day.day == open_day else render_day(day.day), day) for day in days),
        ways=frozenset(map(str, ways)),
        page=page,
        pages=max(1, -(-len(logged) // PAGE)),
        no_git=_no_git(layout),
        commits=settings.git.commit,
        recorded=recorded[0] if recorded else 0,
        kept=tuple(kept),
        worlds=tuple(other_worlds(layout)),
    )


def _no_git(layout: Layout) -> str:
    try:
        repository = find_repository(layout.root)
        return "" if repository.commit("HEAD") else "the repository has no commit yet"
    except GitError as error:
        return error.message


def other_worlds(layout: Layout) -> Iterator[OtherWorld]:
    """Yield the worlds in the folder around this one, and its work trees elsewhere."""
    found = {world.layout.root: world.frame for world in find_worlds(layout.root.parent)}
    trees: dict[Path, str] = {}
    with suppress(GmError):
        trees = {Path(item.world).resolve(): item.branch or "" for item in list_branches(layout).branches}
    for root in sorted({*found, *trees} - {layout.root.resolve()}):
        frame = found.get(root)
        yield OtherWorld(str(root), frame.title if frame else "", trees.get(root, ""), whereabouts(Layout(root)))


def comparable_states(layout: Layout) -> tuple[str, ...]:
    """Return the names for ``describe_comparison``: the current files, closed days, other worlds."""
    days = map(render_day, reversed(layout.logged_days()))
    return (NOW, *days, *(world.path for world in other_worlds(layout)))
