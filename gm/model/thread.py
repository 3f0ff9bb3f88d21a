"""Threads: what is left open between people, and what becomes of it. One event a line in ``state/threads.jsonl``."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from math import inf
from typing import Any, Literal

from gm.model.calendar import SceneRef, parse_ref
from gm.model.event import EventError

EventKind = Literal["open", "carry", "close"]
EVENTS: tuple[EventKind, ...] = ("open", "carry", "close")
THREAD_KINDS = ("promise", "question")
OUTCOMES = ("kept", "broken", "answered", "dropped")

_ID = re.compile(r"thread-(?P<number>[0-9]{3,18})\Z")


@dataclass(frozen=True, slots=True)
class ThreadEvent:
    """One line of ``state/threads.jsonl``: a thread is opened, carried into another day, or closed.

    Attributes:
        id: ``thread-007``; the number is never used twice.
        at: ``day-003/scene-04``, or ``day-003`` for what the Game Master notes when a day is closed.
        event: open, carry or close.
        by: Id of the agent whose reply says so; ``gm`` for the Game Master.
        text: open: what was promised or asked; else why it is carried, or how it was closed.
        kind: open: promise or question.
        to: open: ids of those who were addressed and present.
        due: open: story day by which it should be done; None = no day was named.
        outcome: close: kept, broken, answered or dropped.
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
        id: ``thread-007``.
        kind: promise or question.
        by: Id of the agent who opened it.
        to: Ids of those who were addressed; empty = nobody in particular.
        text: What was promised or asked.
        opened: Scene in which it was opened.
        due: Story day by which it should be done; None = no day was named.
        touched: Where it was last opened, carried or closed.
        reason: Why it was carried last; or how it was closed.
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
        """Whether it still waits."""
        return not self.outcome

    @property
    def number(self) -> int:
        """Its number; 0 when the id has another form."""
        return number_of(self.id)

    @property
    def since(self) -> SceneRef:
        """Point in story time at which it was opened."""
        return parse_ref(self.opened) or SceneRef(0)

    def concerns(self, agent: str) -> bool:
        """Tell whether an agent opened it or was addressed by it."""
        return agent == self.by or agent in self.to


def open_for(threads: Iterable[Thread], agent: str, today: int, present: Collection[str]) -> list[Thread]:
    """Return the open threads that concern an agent, the most urgent first.

    Overdue and due today; then what those present have to do with; then by day due, the oldest first.

    Args:
        threads: All threads.
        agent: Id of the agent.
        today: The story day.
        present: Ids of the others who are there.
    """

    def urgency(thread: Thread) -> tuple[int, float, int]:
        is_due = thread.due is not None and thread.due <= today
        rank = 0 if is_due else 1 if any(map(thread.concerns, present)) else 2
        return rank, inf if thread.due is None else thread.due, thread.number

    return sorted((thread for thread in threads if thread.is_open and thread.concerns(agent)), key=urgency)


def number_of(identifier: str) -> int:
    """Read the number of a thread's id; 0 when it has another form."""
    match = _ID.match(identifier)
    return int(match["number"]) if match else 0


def render_thread_id(number: int) -> str:
    """Write ``thread-007``."""
    return f"thread-{number:03d}"


def event_record(event: ThreadEvent) -> dict[str, Any]:
    """Put an event into the keys and the order of the file format."""
    record: dict[str, Any] = {"id": event.id, "at": event.at, "event": event.event, "by": event.by}
    if event.event == "open":
        record |= {"kind": event.kind, "to": list(event.to), "due": event.due}
    if event.event == "close":
        record["outcome"] = event.outcome
    return record | {"text": event.text}


def render_event(event: ThreadEvent) -> str:
    """Write an event as its line, without the line end."""
    return json.dumps(event_record(event), ensure_ascii=False)


class ThreadError(EventError):
    """A value of a line that cannot be read as an event of a thread."""


def event_from_record(record: Mapping[str, Any]) -> ThreadEvent:
    """Read an event from the object of one line. Unknown keys are left alone.

    Raises:
        ThreadError: A key is missing, or has a value that cannot be read unambiguously.
    """
    kind = _choice(record, "event", EVENTS)
    at = _text(record, "at")
    if parse_ref(at) is None:
        raise ThreadError("at", f"at is {at!r}, expected a text like day-003/scene-04")
    identifier = _text(record, "id")
    if not number_of(identifier):
        raise ThreadError("id", f"id is {identifier!r}, expected a text like thread-007")
    opens, closes = kind == "open", kind == "close"
    return ThreadEvent(
        id=identifier,
        at=at,
        event=kind,
        by=_text(record, "by"),
        text=_text(record, "text"),
        kind=_choice(record, "kind", THREAD_KINDS) if opens else "",
        to=_names(record) if opens else (),
        due=_day(record) if opens else None,
        outcome=_choice(record, "outcome", OUTCOMES) if closes else "",
    )


def fold_events(threads: Iterable[Thread], events: Iterable[ThreadEvent]) -> tuple[Thread, ...]:
    """Take events into threads, in their order. What is said of a thread that was never opened changes nothing."""
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


def _text(record: Mapping[str, Any], key: str) -> str:
    value = record.get(key)
    if not isinstance(value, str) or not value.strip():
        raise ThreadError(key, f"{key} is {_shown(record, key)}, expected a text")
    return value


def _choice(record: Mapping[str, Any], key: str, choices: tuple[Any, ...]) -> Any:
    value = record.get(key)
    if value not in choices:
        raise ThreadError(key, f"{key} is {_shown(record, key)}, expected one of {', '.join(choices)}")
    return value


def _names(record: Mapping[str, Any]) -> tuple[str, ...]:
    value = record.get("to", [])
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ThreadError("to", f"to is {_shown(record, 'to')}, expected a list of ids")
    return tuple(value)


def _day(record: Mapping[str, Any]) -> int | None:
    value = record.get("due")
    if value is None or (type(value) is int and value >= 0):
        return value
    raise ThreadError("due", f"due is {_shown(record, 'due')}, expected a story day or null")


def _shown(record: Mapping[str, Any], key: str) -> str:
    if key not in record:
        return "missing"
    found = json.dumps(record[key], ensure_ascii=False, default=str)
    return found if len(found) <= 60 else found[:57] + "…"
