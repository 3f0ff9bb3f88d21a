"""Open and settled threads, and what else waits; no memory stream is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any

from gm.api.document import as_json
from gm.api.threads import describe_threads
from gm.api.views.gallery import named_pieces
from gm.api.views.paging import turn_to
from gm.base.errors import Problem
from gm.files.commits.snapshot import snapshot
from gm.files.forms.look import cached_by_look
from gm.files.layout import Layout
from gm.files.load import load_log, load_threads
from gm.files.now import load_bulletin, load_clock, load_settings, load_written_state
from gm.model.calendar import parse_ref, render_day
from gm.model.character import Agent
from gm.model.thread import Thread
from gm.model.world import World

PAGE = 100
"""Settled threads per page."""


@dataclass(frozen=True, slots=True)
class OpenThread:
    """A promise or a question.

    Attributes:
        kind: promise or question.
        since: Scene reference of its opening.
        due: Story day.
        state: overdue, today, open or settled.
        outcome: Empty while open.
        touched: Scene reference of its last event.
        reason: Why it was carried last, or how it was closed.
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
        """Story day of its opening; 0 if unknown."""
        return _day(self.since)

    @property
    def settled_on(self) -> int:
        """Story day of its last event; 0 if unknown."""
        return _day(self.touched)


@dataclass(frozen=True, slots=True)
class Waiting:
    """Something that waits without being a thread.

    Attributes:
        kind: post, artifact or question.
        text: For an artifact, its path.
        since: Scene reference.
    """

    kind: str
    by: str
    text: str
    since: str

    @property
    def day(self) -> int:
        """Story day since which it waits; 0 if unknown."""
        return _day(self.since)


@dataclass(frozen=True, slots=True)
class Threads:
    """Open and settled threads.

    Attributes:
        open: Overdue first, then due today, then by due day.
        settled: Newest first; of this page.
        waiting: Other open ends in the last logbooks.
        page: Of ``settled``, from 1.
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
        return tuple(thread for thread in self.open if thread.state == "overdue")


def view_threads(layout: Layout, page: int = 1) -> Threads:
    """Return what is open, what waits, and a page (from 1, clamped) of what is settled."""
    with snapshot(layout):
        world, problems = load_thin_world(layout)
    threads = threads_of(layout, world)
    page, pages, items = turn_to(page, len(threads.settled), PAGE)
    return replace(threads, settled=threads.settled[items], page=page, pages=pages, problems=tuple(problems))


def view_open_threads(layout: Layout, world: World) -> Threads:
    """Return what is open and what waits, without settled threads, of which there may be thousands."""
    today = render_day(world.clock.day)
    # threads opened today prevent the last words of their scene from being listed as a waiting question
    kept = tuple(thread for thread in world.threads if thread.is_open or thread.opened.startswith(today))
    return replace(threads_of(layout, replace(world, threads=kept)), settled=())


@cached_by_look(8, attrgetter("threads"))
def known_threads(layout: Layout) -> tuple[tuple[Thread, ...], tuple[Problem, ...]]:
    """Return all threads."""
    threads, problems = load_threads(layout)
    return threads, tuple(problems)


def threads_of(layout: Layout, world: World) -> Threads:
    """Return all threads of a world on one page."""
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
