"""Threads: open promises, questions, appointments and silences between characters.

One event a line in ``state/threads.jsonl``.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from math import inf
from typing import Literal, get_args

from gm.base.casefold import casefold
from gm.base.config import TIMES_OF_DAY, kinds
from gm.model.calendar import MOMENT, SceneRef, moment_of
from gm.model.ids import IdForm
from gm.model.record import Key, Record

EventKind = Literal["open", "carry", "close"]
EVENTS: tuple[EventKind, ...] = get_args(EventKind)
ThreadKind = Literal["promise", "question", "appointment", "silence"]
THREAD_KINDS: tuple[ThreadKind, ...] = get_args(ThreadKind)
ReplyOutcome = Literal["kept", "broken", "answered", "dropped"]
Outcome = Literal[ReplyOutcome, "missed", "replaced"]
"""The last two are the Game Master's: no reply closes a thread as missed or replaced."""
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
MISSED: Outcome = "missed"
"""Outcome of an appointment that came to nothing."""
GAME_MASTER = "gm"
"""``by`` of what the Game Master carries or closes."""

THREAD_ID = IdForm("thread", 3, 18)
_CLOCK = re.compile(r"(?P<hour>[01]?[0-9]|2[0-3])[:.](?P<minute>[0-5][0-9])\Z")
_LIKE_CLOCK = re.compile(r"[0-9]+[:.][0-9]+\Z")
HOURS: Mapping[str, int] = {"morning": 0, "noon": 12, "afternoon": 14, "evening": 18}
"""The hour at which each time of day begins."""


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
    kind: Literal["", ThreadKind] = ""
    to: tuple[str, ...] = ()
    due: int | None = None
    time: str = ""
    place: str = ""
    replaces: str = ""
    outcome: Literal["", Outcome] = ""


@dataclass(frozen=True, slots=True)
class Thread:
    """A thread as its events leave it. ``THREAD_EVENT`` describes what was said when it was opened.

    Attributes:
        touched: Scene or day of the last event.
        reason: Why it was carried last, or how it was closed.
        outcome: Empty while it is open.
        agreed: Ids of those who closed it once more, without knowing that it was closed.
    """

    id: str
    kind: Literal["", ThreadKind]
    by: str
    to: tuple[str, ...]
    text: str
    opened: str
    due: int | None = None
    time: str = ""
    place: str = ""
    replaces: str = ""
    touched: str = ""
    reason: str = ""
    outcome: Literal["", Outcome] = ""
    closed_by: str = ""
    agreed: tuple[str, ...] = ()

    @property
    def is_open(self) -> bool:
        """Whether it has no outcome yet."""
        return not self.outcome

    @property
    def is_pending(self) -> bool:
        """Whether it is open, and something is still to be done about it: a silence is only kept."""
        return self.is_open and self.kind != "silence"

    @property
    def number(self) -> int:
        """The number in its id, from 1."""
        return THREAD_ID.number(self.id)

    @property
    def since(self) -> SceneRef:
        """The scene or day that opened it."""
        return moment_of(self.opened)

    @property
    def touched_at(self) -> SceneRef:
        """The scene or day of its last event."""
        return moment_of(self.touched)

    @property
    def people(self) -> tuple[str, ...]:
        """Who opened it, then those addressed."""
        return (self.by, *self.to)

    @property
    def time_of_day(self) -> str:
        """One of ``TIMES_OF_DAY``; empty when no time was named."""
        return time_of_day(self.time)

    def concerns(self, agent: str) -> bool:
        """Return whether a character, by its id, takes part in it."""
        return agent in self.people


def read_time(said: str) -> str:
    """Return a time in the form of threads: a time of day, or 15:00; empty when it is neither."""
    text = casefold(said)
    if clock := _CLOCK.match(text):
        return f"{int(clock['hour']):02d}:{clock['minute']}"
    return text if text in TIMES_OF_DAY else ""


def is_impossible_clock(said: str) -> bool:
    """Return whether a text has the form of a clock time, but is none, such as 25:00."""
    return bool(_LIKE_CLOCK.match(casefold(said))) and not read_time(said)


def time_of_day(time: str) -> str:
    """Return the time of day of a clock time such as 15:00; other texts stay as they are."""
    if not time or time in TIMES_OF_DAY:
        return time
    hour = int(time.partition(":")[0])
    return [word for word, begin in HOURS.items() if hour >= begin][-1]


def select_open(
    threads: Iterable[Thread], agent: str, today: int, present: Collection[str], also: Collection[str] = ()
) -> list[Thread]:
    """Return the open threads that concern an agent, and closed ones whose ids are in ``also``, most urgent first.

    First those due by ``today``, then those that concern one of ``present``; each by day due, then number.
    """

    def urgency(thread: Thread) -> tuple[int, float, int]:
        is_due = thread.due is not None and thread.due <= today
        rank = 0 if is_due else 1 if any(map(thread.concerns, present)) else 2
        return rank, inf if thread.due is None else thread.due, thread.number

    found = (thread for thread in threads if thread.is_open or thread.id in also)
    return sorted((thread for thread in found if thread.concerns(agent)), key=urgency)


THREAD_EVENT = Record(
    ThreadEvent,
    "event of a thread",
    Key("id", THREAD_ID.kind, "every thread has a number that was never used, three digits at least"),
    Key("at", MOMENT, "the scene in which it happened, or the day: day-003/scene-04, day-003"),
    Key("event", kinds.word(*EVENTS), "open begins a thread, carry notes why it stays open, close ends it"),
    Key("by", kinds.words, "the id of the agent who said so; gm for the Game Master"),
    Key(
        "kind",
        kinds.word(*THREAD_KINDS),
        "a promise, a question, an appointment, or a silence: a promise to keep something to oneself",
        only=("open",),
    ),
    Key(
        "to",
        kinds.list_of(kinds.text, "a list of ids"),
        'ids of those who were addressed, such as ["vera"], or world.outside of a question; [] for nobody',
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
    Key(
        "time",
        kinds.form(
            "morning, noon, afternoon, evening, or a time like 15:00",
            f"^({'|'.join(TIMES_OF_DAY)}|([01][0-9]|2[0-3]):[0-5][0-9])?$",
        ),
        "when on that day: a time of day, or a clock time such as 15:00",
        default="",
        only=("open",),
        brief=True,
    ),
    Key("place", kinds.text, "where: a place of gm.yaml", default="", only=("open",), brief=True),
    Key(
        "replaces",
        kinds.text,
        "the id of the thread in whose place it was opened",
        default="",
        only=("open",),
        brief=True,
    ),
    Key("outcome", kinds.word(*OUTCOMES), "how it ended", only=("close",)),
    Key("text", kinds.words, "what was promised, asked or arranged; why it is carried; how it was closed"),
    code="thread-{key}",
    hint="correct it, or delete the thread with all its lines",
    variant="event",
    noted=True,
)
"""A line of ``state/threads.jsonl``."""


def fold_events(threads: Iterable[Thread], events: Iterable[ThreadEvent]) -> tuple[Thread, ...]:
    """Apply events to threads, in order; those of unopened threads are ignored, of closed ones all but who agrees."""
    known = {thread.id: thread for thread in threads}
    for event in events:
        old = known.get(event.id)
        if event.event == "open":
            known.setdefault(event.id, _opened(event))
        elif old is not None and old.is_open:
            known[event.id] = _touch(old, event)
        elif old is not None and event.event == "close":
            known[event.id] = replace(old, agreed=(*old.agreed, event.by))
    return tuple(known.values())


def _touch(old: Thread, event: ThreadEvent) -> Thread:
    """Return a thread after an event; ``dataclasses.replace`` would take three times as long."""
    closed_by = event.by if event.outcome else ""
    opened = (old.id, old.kind, old.by, old.to, old.text, old.opened, old.due, old.time, old.place, old.replaces)
    return Thread(*opened, event.at, event.text, event.outcome, closed_by)


def _opened(event: ThreadEvent) -> Thread:
    said = (event.due, event.time, event.place, event.replaces)
    return Thread(event.id, event.kind, event.by, event.to, event.text, event.at, *said, touched=event.at)
