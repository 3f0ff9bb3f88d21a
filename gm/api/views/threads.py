"""Open and settled threads, and what else waits; no memory stream is read."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from operator import attrgetter

from gm.api.editing.threads import Threads, ThreadState, WaitingItem, describe_threads
from gm.api.views.filtering import is_kept_back, turn_to
from gm.api.views.gallery import named_pieces
from gm.base.errors import Problem
from gm.files.commits.snapshot import snapshot
from gm.files.formats.look import cached_by_look
from gm.files.layout import Layout
from gm.files.load import load_log
from gm.files.story.now import load_bulletin, load_now, load_whole_state
from gm.files.story.threads import load_thread_events
from gm.model.calendar import render_day, time_rank
from gm.model.thread import Thread, ThreadEvent, fold_events, time_of_day
from gm.model.world import Agent, World

PAGE = 100
"""Settled threads per page."""


@dataclass(frozen=True, slots=True)
class ThreadsView(Threads):
    """Open threads, those settled of this page, newest first, and other open ends in the last logbooks."""

    page: int = 1
    pages: int = 1
    problems: tuple[Problem, ...] = ()

    @property
    def overdue(self) -> tuple[ThreadState, ...]:
        """Open threads whose day has passed."""
        return tuple(thread for thread in self.open if thread.state == "overdue")

    @property
    def agreed(self) -> tuple[ThreadState, ...]:
        """Open appointments, the next first."""
        found = (thread for thread in self.open if thread.kind == "appointment")
        return tuple(sorted(found, key=lambda item: (item.due or 0, time_rank(time_of_day(item.time)), item.time)))


def view_threads(layout: Layout, page: int = 1, hidden: Collection[str] = ()) -> ThreadsView:
    """Return what is open, what waits, and a page (from 1, clamped) of what is settled.

    Args:
        hidden: ``private`` leaves out what characters have promised to keep to themselves.
    """
    with snapshot(layout):
        world, problems = load_thin_world(layout)
    threads = threads_of(layout, shown_threads(world, hidden))
    page, pages, items = turn_to(page, len(threads.settled), PAGE)
    return replace(threads, settled=threads.settled[items], page=page, pages=pages, problems=tuple(problems))


def shown_threads(world: World, hidden: Collection[str]) -> World:
    """Return a world without the threads that are kept back."""
    if not hidden:
        return world
    return replace(world, threads=tuple(one for one in world.threads if not is_kept_back(one.kind, hidden)))


def view_open_threads(layout: Layout, world: World, hidden: Collection[str] = ()) -> ThreadsView:
    """Return what is open and what waits, without settled threads: there may be thousands."""
    world = shown_threads(world, hidden)
    today = render_day(world.clock.day)
    # threads opened today prevent the last words of their scene from being listed as a waiting question
    kept = tuple(thread for thread in world.threads if thread.is_open or thread.opened.startswith(today))
    return replace(threads_of(layout, replace(world, threads=kept)), settled=())


@cached_by_look(8, attrgetter("threads"))
def thread_events(layout: Layout) -> tuple[tuple[ThreadEvent, ...], tuple[Problem, ...]]:
    """Return the events of all threads, cached until their file changes."""
    events, problems = load_thread_events(layout)
    return events, tuple(problems)


@cached_by_look(8, attrgetter("threads"))
def known_threads(layout: Layout) -> tuple[tuple[Thread, ...], tuple[Problem, ...]]:
    """Return all threads, cached until their file changes."""
    events, problems = thread_events(layout)
    return fold_events((), events), problems


def threads_of(layout: Layout, world: World) -> ThreadsView:
    """Return all threads of a world on one page."""
    found = describe_threads(world)
    order = {"overdue": 0, "today": 1}
    still = sorted(found.open, key=lambda item: (order.get(item.state, 2), item.due is None, item.due or 0))
    settled = sorted(found.settled, key=lambda item: (item.last_day, item.touched, item.id), reverse=True)
    waiting = tuple(_with_maker(layout, item) for item in found.waiting)
    return ThreadsView(world.clock.day, tuple(still), tuple(settled), waiting)


def load_thin_world(layout: Layout) -> tuple[World, list[Problem]]:
    """Read a world without its memories."""
    settings, clock, problems = load_now(layout)
    posts, decisions, found = load_bulletin(layout)
    problems += found
    agents = {}
    for name in layout.agent_names():
        state, found = load_whole_state(layout, name)
        problems += found
        agents[name] = Agent(name, state)
    log, found = load_log(layout, clock.day)
    problems += found
    threads, wrong = known_threads(layout)
    problems += wrong
    return World(settings, clock, posts, agents, log, {}, decisions, threads), problems


def _with_maker(layout: Layout, item: WaitingItem) -> WaitingItem:
    if item.kind != "artifact":
        return item
    return replace(item, by=named_pieces(layout, [item.text])[item.text].maker or item.by)
