"""Threads (promises, questions, appointments, silences) and what else waits; threads edited by hand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

from gm.api.answers.document import part
from gm.api.editing.desk import Desk, editing, required_line
from gm.base.casefold import casefold
from gm.base.config import TIMES_OF_DAY
from gm.base.errors import UsageError, require_choice, say
from gm.base.texts import suggest
from gm.files.commits.steps import append_step
from gm.files.layout import Layout
from gm.model.calendar import SceneRef, moment_of, render_day
from gm.model.scene import ARRIVAL
from gm.model.thread import OUTCOMES, THREAD_EVENT, THREAD_ID, THREAD_KINDS, Thread, ThreadEvent, read_time
from gm.model.world import World, known_agent
from gm.scene.grounding.attendance import next_day
from gm.scene.pieces.known_pieces import find_piece
from gm.scene.pieces.waiting import find_open_question, waiting_artifacts, waiting_posts
from gm.scene.threads.changes import next_number

AUTHOR_BY_HAND = "creative-director"
SETTLED = "settled"


@dataclass(frozen=True, slots=True)
class NewThread:
    """A thread to open.

    Attributes:
        due: Story day; None = none, for an appointment the open or the coming day.
        time: Appointments: a time of day, or a clock time such as 15:00.
    """

    by: str
    text: str
    kind: str = "promise"
    to: tuple[str, ...] = ()
    due: int | None = None
    time: str = ""
    place: str = ""


@dataclass(frozen=True, slots=True)
class ThreadState:
    """A thread's present state.

    Attributes:
        state: open, today (due), overdue or settled.
        reason: Why it was carried into the next day.
    """

    id: str
    kind: str
    by: str
    to: tuple[str, ...]
    text: str
    since: str
    due: int | None
    state: str
    outcome: str | None
    touched: str
    reason: str | None
    time: str = part(omit="")
    place: str = part(omit="")
    replaces: str = part(omit="")

    @property
    def day(self) -> int:
        """The story day on which it was opened."""
        return moment_of(self.since).day

    @property
    def last_day(self) -> int:
        """The story day of its last event."""
        return moment_of(self.touched).day


@dataclass(frozen=True, slots=True)
class WaitingItem:
    """Not a thread: a post, artifact or question that waits for an answer."""

    kind: str
    id: str
    by: str
    since: str
    text: str

    @property
    def day(self) -> int:
        """The story day since which it waits."""
        return moment_of(self.since).day


@dataclass(frozen=True, slots=True)
class Threads:
    """Open threads (most urgent first), settled ones, and what else waits."""

    day: int
    open: tuple[ThreadState, ...]
    settled: tuple[ThreadState, ...]
    waiting: tuple[WaitingItem, ...]


def describe_threads(world: World, agent: str | None = None) -> Threads:
    """Return all threads, or those that concern a character.

    Args:
        agent: An id or a name; None = all.

    Raises:
        UsageError: No such character.
    """
    agent = known_agent(world.agents, agent) if agent else None
    shown = [_describe_thread(world, thread) for thread in world.threads if agent is None or thread.concerns(agent)]
    still = [item for item in shown if item.state != SETTLED]
    return Threads(
        world.clock.day,
        tuple(sorted(still, key=lambda item: (item.due is None, item.due or 0, THREAD_ID.number(item.id)))),
        tuple(item for item in shown if item.state == SETTLED),
        tuple(_list_waiting(world, agent)),
    )


def _describe_thread(world: World, thread: Thread) -> ThreadState:
    today = world.clock.day
    state = "open" if thread.is_open else SETTLED
    if thread.is_pending and thread.due is not None and thread.due <= today:
        over = thread.due < today or not world.clock.day_open
        state = "overdue" if over else "today"
    return ThreadState(
        id=thread.id,
        kind=thread.kind,
        by=thread.by,
        to=tuple(thread.to),
        text=thread.text,
        since=thread.opened,
        due=thread.due,
        state=state,
        outcome=thread.outcome or None,
        touched=thread.touched,
        reason=thread.reason or None,
        time=thread.time,
        place=thread.place,
        replaces=thread.replaces,
    )


def _list_waiting(world: World, agent: str | None) -> Iterator[WaitingItem]:
    first = min((entry.day for entry in world.log), default=world.clock.day)
    for post in waiting_posts(world, first):
        yield WaitingItem("post", post.key, post.author, render_day(post.day), post.content)
    threads = {(thread.opened, thread.by) for thread in world.threads if thread.kind == "question"}
    for entry in world.log:
        if entry.is_summary or (agent is not None and agent not in entry.participants):
            continue
        at = str(entry.ref or SceneRef(entry.day))
        starter = entry.participants[0] if entry.participants else ""
        for _, path in waiting_artifacts(world, [entry]):
            yield WaitingItem("artifact", path, find_piece(world, path).maker or starter, at, path)
        asked = find_open_question(entry)
        if asked and entry.day == world.clock.day and entry.type != ARRIVAL and (at, asked[0]) not in threads:
            yield WaitingItem("question", at, asked[0], at, asked[1])


def open_thread(layout: Layout, new: NewThread) -> tuple[ThreadEvent, list[str]]:
    """Open a thread by hand; returns the event and notes.

    Raises:
        UsageError: Unknown character, or invalid value.
    """
    with _desk(layout, "gm threads open") as desk:
        world = desk.world
        kind = require_choice(new.kind, THREAD_KINDS, "a kind of thread")
        by = known_agent(world.agents, new.by)
        to = tuple(dict.fromkeys(known_agent(world.agents, name) for name in new.to))
        if by in to:
            raise UsageError(
                say("{name} cannot promise or ask themselves something", by),
                "leave out --to if no one in particular is meant",
            )
        time, place = _read_appointment(world, new, to)
        due = _find_due_day(world, new)
        event = ThreadEvent(
            id=THREAD_ID.render(next_number(world)),
            at=render_day(world.clock.day),
            event="open",
            by=by,
            text=required_line(new.text, "a thread"),
            kind=kind,
            to=to,
            due=due,
            time=time,
            place=place,
        )
        desk.commit([append_step(layout, layout.threads, [THREAD_EVENT.render(event)])])
        return event, desk.notes


def _read_appointment(world: World, new: NewThread, to: Sequence[str]) -> tuple[str, str]:
    if new.kind != "appointment":
        if new.time or new.place:
            raise UsageError(
                say("a {kind} has neither time nor place", new.kind), "give it --kind appointment, or a day with --due"
            )
        return "", ""
    if not to:
        raise UsageError("an appointment needs others who come", "see --to")
    time = read_time(new.time)
    if new.time and not time:
        raise UsageError(
            say("{name} is not a time", repr(new.time)), f"one of {', '.join(TIMES_OF_DAY)}, or a time such as 15:00"
        )
    places = {casefold(place): place for place in world.settings.places}
    if new.place and casefold(new.place) not in places:
        raise UsageError(say("there is no place {place}", repr(new.place)), suggest(new.place, places.values()))
    return time, places.get(casefold(new.place), "")


def _find_due_day(world: World, new: NewThread) -> int | None:
    clock = world.clock
    if new.kind == "appointment" and not clock.day_open:
        first = next_day(world)
        if new.due is None:
            return first
        if new.due == clock.day:
            raise UsageError(say("day {day} is over", new.due), say("the next day that is played is day {day}", first))
    if new.due is not None and new.due < clock.day:
        raise UsageError(say("day {day} is over: it is day {today}", new.due, clock.day))
    return clock.day if new.due is None and new.kind == "appointment" else new.due


def close_thread(layout: Layout, identifier: str, outcome: str, text: str) -> tuple[ThreadEvent, list[str]]:
    """Settle an open thread by hand; returns the event and notes.

    Raises:
        UsageError: No such open thread or outcome.
    """
    with _desk(layout, "gm threads close") as desk:
        world = desk.world
        ended = require_choice(outcome, OUTCOMES, "an outcome")
        thread = next((thread for thread in world.threads if thread.id == identifier), None)
        if thread is None:
            raise UsageError(say("there is no thread {name}", repr(identifier)), "see: gm threads")
        if not thread.is_open:
            raise UsageError(f"{identifier} is {thread.outcome} already", "see: gm threads --all")
        at = render_day(world.clock.day)
        event = ThreadEvent(identifier, at, "close", AUTHOR_BY_HAND, required_line(text, "a thread"), outcome=ended)
        desk.commit([append_step(layout, layout.threads, [THREAD_EVENT.render(event)])])
        return event, desk.notes


def _desk(layout: Layout, command: str) -> AbstractContextManager[Desk]:
    message = "the threads cannot be read as they are"
    return editing(layout, command, layout.threads, layout.world, message=message)
