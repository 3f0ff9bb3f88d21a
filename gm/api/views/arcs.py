"""Story arcs: each thread from its first words to its end, with every scene that took it up."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from gm.api.views.filtering import is_kept_back, turn_to
from gm.api.views.logbook import Logged, LoggedDay
from gm.api.views.threads import known_threads, thread_events
from gm.base.errors import Problem
from gm.files.commits.snapshot import snapshot
from gm.files.layout import Layout
from gm.files.story.logbook import read_log, ref_of
from gm.files.story.now import load_clock
from gm.model.calendar import SceneRef, moment_of, render_day
from gm.model.thread import GAME_MASTER, Thread, ThreadEvent
from gm.scene.grounding.mentions import content_words

PAGE = 60
"""Arcs per page."""
TAKEN_UP, CARRIED = "taken_up", "carry"
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
        """The first day and the last one on which something became of it."""
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


def view_arcs(told: ToldThreads, page: int = 1) -> Arcs:
    """Return a page (from 1, clamped) of arcs without what was said in their scenes."""
    shown = sorted(told.shown.values(), key=lambda one: (one.is_open, one.touched_at, one.number), reverse=True)
    page, pages, items = turn_to(page, len(shown), PAGE)
    return Arcs(tuple(map(told.arc, shown[items])), len(shown), page, pages, told.problems)


def view_arc(layout: Layout, told: ToldThreads, thread: str) -> Arc | None:
    """Return the arc of a thread, with what was said about it; None if there is no such thread, or it is hidden."""
    found = told.shown.get(thread)
    if found is None:
        return None
    arc = told.arc(found)
    with snapshot(layout):
        steps = tuple(_with_words(layout, found, arc.steps))
    return replace(arc, steps=steps, problems=told.problems)


def arc_names(layout: Layout, hidden: Collection[str] = ()) -> tuple[str, ...]:
    """Return the ids of all threads that have an arc."""
    return tuple(one.id for one in known_threads(layout)[0] if not is_kept_back(one.kind, hidden))


@dataclass(frozen=True, slots=True)
class ToldThreads:
    """What the files tell of all threads, for any number of arcs.

    Attributes:
        shown: Threads by id, without hidden ones.
        taken, carried: By thread, in story order.
    """

    today: int
    shown: Mapping[str, Thread]
    after: Mapping[str, Sequence[Thread]]
    events: Mapping[str, Sequence[ThreadEvent]]
    scenes: Mapping[tuple[int, str], Logged]
    taken: Mapping[str, Sequence[Logged]]
    carried: Mapping[str, Sequence[tuple[int, str]]]
    problems: tuple[Problem, ...]

    def arc(self, thread: Thread) -> Arc:
        steps = [*self._list_events(thread), *self._list_taken_up(thread), *self._list_carried(thread)]
        steps.sort(key=lambda step: (step.event != "open", step.at.day, step.at.scene == 0, step.at))
        after = tuple(self.after.get(thread.id, ()))
        return Arc(thread, tuple(steps), self.shown.get(thread.replaces), after, self.today)

    def _list_events(self, thread: Thread) -> Iterator[ArcStep]:
        for event in self.events[thread.id]:
            at = moment_of(event.at)
            yield ArcStep(
                event.event, at, at.day, event.by, event.text, event.outcome, self.scenes.get(_moment_key(at))
            )

    def _list_taken_up(self, thread: Thread) -> Iterator[ArcStep]:
        known = {_moment_key(moment_of(event.at)) for event in self.events[thread.id]}
        for scene in self.taken.get(thread.id, ()):
            if (scene.day, scene.anchor) not in known:
                yield ArcStep(TAKEN_UP, moment_of(f"{render_day(scene.day)}/{scene.anchor}"), scene.day, scene=scene)

    def _list_carried(self, thread: Thread) -> Iterator[ArcStep]:
        """Yield days of being carried; those in a row, in which nothing else became of it, as one step."""
        busy = {moment_of(event.at).day for event in self.events[thread.id]}
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


def tell_threads(layout: Layout, days: Sequence[LoggedDay], hidden: Collection[str] = ()) -> ToldThreads:
    """Return what the files tell of all threads.

    Args:
        hidden: ``private`` leaves out silences.
    """
    with snapshot(layout):
        events, problems = thread_events(layout)
        threads, _ = known_threads(layout)
        clock, _ = load_clock(layout)  # the frame reports its problems
    shown = {one.id: one for one in threads if not is_kept_back(one.kind, hidden)}
    after, taken, carried = defaultdict(list), defaultdict(list), defaultdict(list)
    for one in shown.values():
        after[one.replaces].append(one)
    for day in days:
        for scene in day.scenes:
            for name in dict.fromkeys(scene.answers):
                taken[name].append(scene)
        for name, reason in day.carried:
            carried[name].append((day.day, reason))
    return ToldThreads(
        clock.day,
        shown,
        after,
        _select_counted(events),
        {(scene.day, scene.anchor): scene for day in days for scene in day.scenes},
        taken,
        carried,
        (*problems, *(problem for day in days for problem in day.problems)),
    )


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
        said = [line for entry in entries if ref_of(entry) == step.at for line in entry.dialogue]
        near = max(said, key=lambda line: len(words & content_words(line[1])), default=("", ""))
        yield replace(step, said=near) if len(words & content_words(near[1])) >= SHARED else step
