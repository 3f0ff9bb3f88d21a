"""Threads: open promises and questions between characters. One event a line in ``state/threads.jsonl``."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from math import inf
from typing import Literal

from gm.base.config import kinds
from gm.model.calendar import MOMENT, SceneRef, parse_ref
from gm.model.record import Key, Record

EventKind = Literal["open", "carry", "close"]
EVENTS: tuple[EventKind, ...] = ("open", "carry", "close")
THREAD_KINDS = ("promise", "question")
OUTCOMES = ("kept", "broken", "answered", "dropped")

_ID = re.compile(r"thread-(?P<number>[0-9]{3,18})\Z")


@dataclass(frozen=True, slots=True)
class ThreadEvent:
    """A thread is opened, carried into another day, or closed.

    ``THREAD_EVENT`` describes the attributes; those that an event does not have are empty.
    """

    id: str
    at: str
    event: EventKind
    by: str
    text: str
    kind: str = ""
    to: tuple[str, ...] = ()
    due: int | None = None
    outcome: str = ""


@dataclass(frozen=True, slots=True)
class Thread:
    """A thread as its events leave it.

    Attributes:
        kind: promise or question.
        by: Id of the agent who opened it.
        to: Ids of the agents addressed; may be empty.
        opened: Scene in which it was opened.
        due: Story day by which it should be done, if named.
        touched: Scene or day of the last event.
        reason: Why it was carried last, or how it was closed.
        outcome: kept, broken, answered or dropped; empty while it is open.
    """

    id: str
    kind: str
    by: str
    to: tuple[str, ...]
    text: str
    opened: str
    due: int | None = None
    touched: str = ""
    reason: str = ""
    outcome: str = ""

    @property
    def is_open(self) -> bool:
        return not self.outcome

    @property
    def number(self) -> int:
        return number_of(self.id)

    @property
    def since(self) -> SceneRef:
        return parse_ref(self.opened) or SceneRef(0)

    def concerns(self, agent: str) -> bool:
        """Return whether an agent opened it or was addressed."""
        return agent == self.by or agent in self.to


def open_for(threads: Iterable[Thread], agent: str, today: int, present: Collection[str]) -> list[Thread]:
    """Return the open threads that concern an agent, most urgent first.

    First those due by ``today``, then those that concern one of ``present`` (agent ids); each by day due, then number.
    """

    def urgency(thread: Thread) -> tuple[int, float, int]:
        is_due = thread.due is not None and thread.due <= today
        rank = 0 if is_due else 1 if any(map(thread.concerns, present)) else 2
        return rank, inf if thread.due is None else thread.due, thread.number

    return sorted((thread for thread in threads if thread.is_open and thread.concerns(agent)), key=urgency)


def number_of(identifier: str) -> int:
    """Return the number of a thread id; 0 when it has another form."""
    match = _ID.match(identifier)
    return int(match["number"]) if match else 0


def render_thread_id(number: int) -> str:
    """Return ``thread-007``."""
    return f"thread-{number:03d}"


THREAD_EVENT = Record(
    ThreadEvent,
    "event of a thread",
    Key(
        "id",
        kinds.form("a text like thread-007", "^thread-(?!0+$)[0-9]{3,18}$"),
        "every thread has a number that was never used, three digits at least",
    ),
    Key("at", MOMENT, "the scene in which it happened, or the day: day-003/scene-04, day-003"),
    Key("event", kinds.word(*EVENTS), "open begins a thread, carry notes why it stays open, close ends it"),
    Key("by", kinds.words, "the id of the agent who said so; gm for the Game Master"),
    Key("kind", kinds.word(*THREAD_KINDS), "a promise or a question", only=("open",)),
    Key(
        "to",
        kinds.list_of(kinds.text, "a list of ids"),
        'ids of those who were addressed, such as ["vera"]; [] for nobody in particular',
        default=(),
        only=("open",),
    ),
    Key(
        "due",
        replace(kinds.or_none(kinds.whole(0)), expected="a story day or null"),
        "a whole number, such as 4 for day 4; null when no day was named",
        default=None,
        only=("open",),
    ),
    Key("outcome", kinds.word(*OUTCOMES), "how it ended", only=("close",)),
    Key("text", kinds.words, "what was promised or asked; why it is carried; how it was closed"),
    code="thread-{key}",
    hint="correct it, or delete the thread with all its lines",
    variant="event",
    noted=True,
)
"""A line of ``state/threads.jsonl``."""


def fold_events(threads: Iterable[Thread], events: Iterable[ThreadEvent]) -> tuple[Thread, ...]:
    """Apply events to threads, in order. Events of unopened or closed threads are ignored."""
    known = {thread.id: thread for thread in threads}
    for event in events:
        old = known.get(event.id)
        if event.event == "open":
            known.setdefault(
                event.id,
                Thread(event.id, event.kind, event.by, event.to, event.text, event.at, event.due, touched=event.at),
            )
        elif old is not None and old.is_open:
            known[event.id] = replace(old, touched=event.at, reason=event.text, outcome=event.outcome)
    return tuple(known.values())
