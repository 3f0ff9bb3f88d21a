"""What is open between people, what was settled, and what waits besides. No stream is read for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from gm.api.document import as_json
from gm.api.threads import describe_threads
from gm.api.views.gallery import named_pieces
from gm.api.views.paging import turn_to
from gm.base.errors import Problem
from gm.files.commits.snapshot import snapshot
from gm.files.forms.look import Look, look_of
from gm.files.layout import Layout
from gm.files.load import load_log, load_threads
from gm.files.now import load_bulletin, load_clock, load_settings, load_written_state
from gm.model.calendar import parse_ref, render_day
from gm.model.character import Agent
from gm.model.thread import Thread
from gm.model.world import World

PAGE = 100
"""So many settled threads stand on one page."""


@dataclass(frozen=True, slots=True)
class OpenThread:
    """Something that was promised or asked.

    Attributes:
        kind: promise or question.
        by: Who promised or asked.
        to: To whom.
        text: What.
        since: Where it was opened, as in ``created``.
        due: Story day; None = no day was named.
        state: overdue, today, open or settled.
        outcome: How it was settled; empty while it is open.
        touched: Where anything last happened to it.
        reason: Why it was carried last, or how it was closed; may be empty.
    """

    id: str
    kind: str
    by: str
    to: tuple[str, ...]
    text: str
    since: str
    due: int | None
    state: str
    outcome: str
    touched: str
    reason: str

    @property
    def day(self) -> int:
        """The story day on which it was opened; 0 when it does not say."""
        return _day(self.since)

    @property
    def settled_on(self) -> int:
        """The story day on which anything last happened to it; 0 when it does not say."""
        return _day(self.touched)


@dataclass(frozen=True, slots=True)
class Waiting:
    """Something that waits without being a thread.

    Attributes:
        kind: post, artifact or question.
        by: Who wrote, made or asked.
        text: What; the path of an artifact.
        since: Since when, as in ``created``.
    """

    kind: str
    by: str
    text: str
    since: str

    @property
    def day(self) -> int:
        """The story day since which it waits; 0 when it does not say."""
        return _day(self.since)


@dataclass(frozen=True, slots=True)
class Threads:
    """What is left between people.

    Attributes:
        open: What is open, overdue first, then by the day it is due.
        settled: What is settled, the newest first; a page of it.
        waiting: What waits besides, in the last days' logbooks.
        page: Number of the page of what is settled, from 1.
        pages: How many such pages there are, at least 1.
    """

    day: int
    open: tuple[OpenThread, ...]
    settled: tuple[OpenThread, ...]
    waiting: tuple[Waiting, ...]
    page: int = 1
    pages: int = 1
    problems: tuple[Problem, ...] = ()

    @property
    def overdue(self) -> tuple[OpenThread, ...]:
        """What should be done by now."""
        return tuple(thread for thread in self.open if thread.state == "overdue")


def view_threads(layout: Layout, page: int = 1) -> Threads:
    """Return what is open, what waits, and a page of what is settled.

    Args:
        page: Page of what is settled, from 1; the last one where there are not so many.
    """
    with snapshot(layout):
        world, problems = load_thin_world(layout)
    threads = threads_of(layout, world)
    page, pages, items = turn_to(page, len(threads.settled), PAGE)
    return replace(threads, settled=threads.settled[items], page=page, pages=pages, problems=tuple(problems))


def view_open_threads(layout: Layout, world: World) -> Threads:
    """Return what is open and what waits; settled threads, of which there may be thousands, are left out."""
    today = render_day(world.clock.day)
    # a question of today, answered or not, tells that the last words of its scene are no question that waits
    kept = tuple(thread for thread in world.threads if thread.is_open or thread.opened.startswith(today))
    return replace(threads_of(layout, replace(world, threads=kept)), settled=())


def known_threads(layout: Layout) -> tuple[tuple[Thread, ...], tuple[Problem, ...]]:
    """Return all threads, cached while their file does not change."""
    look = look_of(layout.threads)
    return _kept(layout, look) if look else _read(layout)


@lru_cache(maxsize=8)
def _kept(layout: Layout, _look: Look) -> tuple[tuple[Thread, ...], tuple[Problem, ...]]:
    return _read(layout)


def _read(layout: Layout) -> tuple[tuple[Thread, ...], tuple[Problem, ...]]:
    threads, problems = load_threads(layout)
    return threads, tuple(problems)


def threads_of(layout: Layout, world: World) -> Threads:
    """Tell what a world leaves between people, all of it on one page."""
    document = as_json(describe_threads(world))
    still = [_thread(item) for item in document["open"]]
    order = {"overdue": 0, "today": 1}
    still.sort(key=lambda item: (order.get(item.state, 2), item.due is None, item.due or 0))
    settled = [_thread(item) for item in document["settled"]]
    settled.sort(key=lambda item: (item.settled_on, item.touched, item.id), reverse=True)
    waiting = tuple(_waiting(layout, item) for item in document["waiting"])
    return Threads(world.clock.day, tuple(still), tuple(settled), waiting)


def load_thin_world(layout: Layout) -> tuple[World, list[Problem]]:
    """Read a world without its memories."""
    settings, problems = load_settings(layout)
    clock, found = load_clock(layout)
    problems += found
    posts, decisions, found = load_bulletin(layout)
    problems += found
    agents = {}
    for name in layout.agent_names():
        state, found = load_written_state(layout, name)
        problems += found
        agents[name] = Agent(name, state)
    log, found = load_log(layout, clock.day)
    problems += found
    threads, wrong = known_threads(layout)
    problems += wrong
    return World(settings, clock, posts, agents, log, {}, decisions, threads), problems


def _thread(item: Mapping[str, Any]) -> OpenThread:
    return OpenThread(
        item["id"],
        item["kind"],
        item["by"],
        tuple(item["to"]),
        item["text"],
        item["since"],
        item["due"],
        item["state"],
        item["outcome"] or "",
        item["touched"],
        item["reason"] or "",
    )


def _waiting(layout: Layout, item: Mapping[str, Any]) -> Waiting:
    by, text = item["by"], item["text"]
    if item["kind"] == "artifact":
        by = _maker(layout, text) or by
    return Waiting(item["kind"], by, text, item["since"])


def _maker(layout: Layout, path: str) -> str:
    return named_pieces(layout, [path])[path].maker


def _day(reference: str) -> int:
    ref = parse_ref(reference)
    return ref.day if ref else 0
