"""Story arcs: each thread from its first words to its end, with every scene that took it up."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from pathlib import Path

from gm.api.views.filtering import is_kept_back, turn_to
from gm.api.views.logbook import Logged, LoggedDay, shown_day
from gm.api.views.threads import known_threads, thread_events
from gm.base.errors import Problem
from gm.files.commits.snapshot import snapshot
from gm.files.formats.text import read_data
from gm.files.layout import Layout
from gm.files.story.logbook import read_log
from gm.files.story.now import load_clock
from gm.model.calendar import SceneRef, moment_of, render_day
from gm.model.thread import GAME_MASTER, THREAD_ID, Thread, ThreadEvent
from gm.scene.grounding.mentions import content_words

PAGE = 60
"""Arcs per page."""
TAKEN_UP, CARRIED = "taken_up", "carry"
_NAMED = re.compile(rb'"(%b-[0-9]+)"' % THREAD_ID.word.encode())
"""The id of a thread in a line of JSON."""
SHARED = 2
"""Content words that a line shares with a thread, at least, to count as said about it."""


@dataclass(frozen=True, slots=True)
class ArcStep:
    """One step of an arc.

    Attributes:
        event: open, taken_up, carry or close.
        last: The last of several days of being carried; else the day of ``at``.
        by: Who said so; gm for the Game Master.
        scene: The scene in which it happened; None for a day as a whole, or without a logbook.
        said: The line of the scene that comes nearest to the thread: agent and text.
    """

    event: str
    at: SceneRef
    last: int
    by: str = ""
    text: str = ""
    outcome: str = ""
    scene: Logged | None = None
    said: tuple[str, str] = ("", "")


@dataclass(frozen=True, slots=True)
class Arc:
    """One thread from its opening to its end.

    Attributes:
        before: The thread in whose place it was opened.
        after: The threads that were opened in its place.
    """

    thread: Thread
    steps: tuple[ArcStep, ...]
    before: Thread | None = None
    after: tuple[Thread, ...] = ()
    today: int = 0
    problems: tuple[Problem, ...] = ()

    @property
    def scenes(self) -> int:
        """The number of scenes in which it was opened, taken up or settled."""
        return len({step.at for step in self.steps if step.at.scene})

    @property
    def days(self) -> tuple[int, int]:
        """The first day, and the last one on which it changed."""
        return self.steps[0].at.day, self.steps[-1].last

    @property
    def is_logged(self) -> bool:
        """Whether a logbook tells of any of its scenes."""
        return any(step.scene for step in self.steps)


@dataclass(frozen=True, slots=True)
class Arcs:
    """A page of all arcs: open ones first, then the latest settled ones."""

    arcs: tuple[Arc, ...]
    count: int
    page: int
    pages: int
    problems: tuple[Problem, ...] = ()


def view_arcs(stories: ThreadArcs, page: int = 1) -> Arcs:
    """Return a page (from 1, clamped) of arcs without what was said in their scenes."""
    shown = sorted(stories.shown.values(), key=lambda one: (one.is_open, one.touched_at, one.number), reverse=True)
    page, pages, items = turn_to(page, len(shown), PAGE)
    arcs, problems = stories.arcs(shown[items])
    return Arcs(tuple(arcs), len(shown), page, pages, problems)


def view_arc(layout: Layout, stories: ThreadArcs, thread: str) -> Arc | None:
    """Return the arc of a thread, with what was said about it; None if there is no such thread, or it is hidden."""
    found = stories.shown.get(thread)
    if found is None:
        return None
    (arc,), problems = stories.arcs([found])
    with snapshot(layout):
        steps = tuple(_with_words(layout, found, arc.steps))
    return replace(arc, steps=steps, problems=problems)


def arc_names(layout: Layout, hidden: Collection[str] = ()) -> tuple[str, ...]:
    """Return the ids of all threads that have an arc."""
    return tuple(one.id for one in known_threads(layout)[0] if not is_kept_back(one.kind, hidden))


@dataclass(frozen=True, slots=True)
class ThreadArcs:
    """What the files tell of all threads, for any number of arcs.

    Attributes:
        shown: Threads by id, without hidden ones.
        log: Returns what logbooks tell of some threads.
    """

    today: int
    shown: Mapping[str, Thread]
    after: Mapping[str, Sequence[Thread]]
    events: Mapping[str, Sequence[ThreadEvent]]
    problems: tuple[Problem, ...]
    log: Callable[[Iterable[Thread]], _LoggedThreads]

    def arcs(self, threads: Sequence[Thread]) -> tuple[list[Arc], tuple[Problem, ...]]:
        """Return the arcs of threads, and the problems of what they were read from."""
        log = self.log(threads)
        arcs = [
            Arc(
                thread,
                tuple(log.steps(thread, self.events[thread.id])),
                self.shown.get(thread.replaces),
                tuple(self.after.get(thread.id, ())),
                self.today,
            )
            for thread in threads
        ]
        return arcs, (*self.problems, *log.problems)


class _LoggedThreads:
    """What logbooks tell of threads, in story order."""

    def __init__(self, days: Sequence[LoggedDay]) -> None:
        self.problems = tuple(problem for day in days for problem in day.problems)
        self.scenes = {(scene.day, scene.anchor): scene for day in days for scene in day.scenes}
        self.taken: defaultdict[str, list[Logged]] = defaultdict(list)
        self.carried: defaultdict[str, list[tuple[int, str]]] = defaultdict(list)
        for day in days:
            for scene in day.scenes:
                for name in dict.fromkeys(scene.answers):
                    self.taken[name].append(scene)
            for name, reason in day.carried:
                self.carried[name].append((day.day, reason))

    def steps(self, thread: Thread, events: Sequence[ThreadEvent]) -> list[ArcStep]:
        steps = [
            *self._list_events(events),
            *self._list_taken_up(thread, events),
            *self._list_carried(thread, events),
        ]
        return sorted(steps, key=lambda step: (step.event != "open", step.at.day, step.at.scene == 0, step.at))

    def _list_events(self, events: Iterable[ThreadEvent]) -> Iterator[ArcStep]:
        for event in events:
            at = moment_of(event.at)
            yield ArcStep(
                event.event, at, at.day, event.by, event.text, event.outcome, self.scenes.get(_moment_key(at))
            )

    def _list_taken_up(self, thread: Thread, events: Iterable[ThreadEvent]) -> Iterator[ArcStep]:
        known = {_moment_key(moment_of(event.at)) for event in events}
        for scene in self.taken.get(thread.id, ()):
            if (scene.day, scene.anchor) not in known:
                yield ArcStep(TAKEN_UP, moment_of(f"{render_day(scene.day)}/{scene.anchor}"), scene.day, scene=scene)

    def _list_carried(self, thread: Thread, events: Iterable[ThreadEvent]) -> Iterator[ArcStep]:
        """Yield days of being carried; those in a row, in which nothing else became of it, as one step."""
        busy = {moment_of(event.at).day for event in events}
        busy |= {scene.day for scene in self.taken.get(thread.id, ())}
        run: ArcStep | None = None
        for day, reason in self.carried.get(thread.id, ()):
            if day == thread.since.day:
                continue  # it says no more than that it was opened
            if run and (run.last + 1 != day or day in busy):
                yield run
                run = None
            run = ArcStep(CARRIED, run.at if run else SceneRef(day), day, GAME_MASTER, reason)
        if run:
            yield run


def tell_threads(layout: Layout, hidden: Collection[str] = (), days: Sequence[LoggedDay] | None = None) -> ThreadArcs:
    """Return what the files tell of all threads.

    Args:
        hidden: ``private`` leaves out silences.
        days: All logbooks; None = those are read that tell of the threads whose arcs are made.
    """
    with snapshot(layout):
        events, problems = thread_events(layout)
        threads, _ = known_threads(layout)
        clock, _ = load_clock(layout)  # the frame reports its problems
    shown = {one.id: one for one in threads if not is_kept_back(one.kind, hidden)}
    after = defaultdict(list)
    for one in shown.values():
        after[one.replaces].append(one)
    counted = _select_counted(events)
    known = None if days is None else _LoggedThreads(days)

    def log(threads: Iterable[Thread]) -> _LoggedThreads:
        if known is not None:
            return known
        names = {thread.id for thread in threads}
        own = {moment_of(event.at).day for name in names for event in counted[name]}
        return _LoggedThreads(_days_naming(layout, names, own, hidden))

    return ThreadArcs(clock.day, shown, after, counted, problems, log)


def _days_naming(
    layout: Layout, names: Collection[str], also: Collection[int], hidden: Collection[str]
) -> list[LoggedDay]:
    """Return the days whose logbooks name some threads, and further ones; no line of others is decoded."""
    sought = {name.encode() for name in names}
    with snapshot(layout):
        clock, _ = load_clock(layout)
        return [
            shown_day(layout, clock, day, hidden)
            for day, path in layout.day_logs().items()
            if day in also or _may_name(path, sought)
        ]


def _may_name(path: Path, sought: Set[bytes]) -> bool:
    try:
        data = read_data(path)
    except OSError:
        return True  # the reader of the day reports it
    return not sought.isdisjoint(_NAMED.findall(data)) or (b"\\" in data and b"\\u" in data)


def _select_counted(events: Iterable[ThreadEvent]) -> Mapping[str, Sequence[ThreadEvent]]:
    """Leave out events before a thread is opened or after it is closed, as ``fold_events`` does."""
    found: dict[str, list[ThreadEvent]] = {}
    for event in events:
        own = found.get(event.id)
        if own is None and event.event == "open":
            found[event.id] = [event]
        elif own is not None and event.event != "open" and own[-1].event != "close":
            own.append(event)
    return found


def _moment_key(at: SceneRef) -> tuple[int, str]:
    return at.day, str(at).partition("/")[2]


def _with_words(layout: Layout, thread: Thread, steps: Iterable[ArcStep]) -> Iterator[ArcStep]:
    words = content_words(thread.text)
    for step in steps:
        entries = read_log(layout, step.at.day).scenes if step.event == TAKEN_UP else ()
        said = [line for entry in entries if entry.ref == step.at for line in entry.dialogue]
        near = max(said, key=lambda line: len(words & content_words(line[1])), default=("", ""))
        yield replace(step, said=near) if len(words & content_words(near[1])) >= SHARED else step
