"""Rules for threads: order of events, existing characters, consistent days."""

from __future__ import annotations

from collections.abc import Iterator

from gm.base.errors import Problem
from gm.files.check.files import Files, LineFile, Often
from gm.files.forms.jsonl import Line
from gm.files.reading.records import read_events
from gm.model.calendar import SceneRef, parse_ref
from gm.model.thread import THREAD_EVENT, ThreadEvent

NOBODY = ("gm", "creative-director")
_KEYS = ("id", "at", "event", "by", "text", "kind", "to", "due", "outcome")


def rules(file: LineFile, files: Files) -> Iterator[Problem]:
    """Check the file of threads."""
    events, problems = read_events(file.scan, file.shown, THREAD_EVENT)
    yield from problems
    read = {line.number for line, _ in events}
    lost = {str(line.record.get("id")) for line in file.scan.lines if line.number not in read}
    yield from _course(file, events, lost)
    yield from _people(file, events, files)
    yield from _time(file, events, files)
    yield from _keys(file, events)


def _course(file: LineFile, events: list[tuple[Line, ThreadEvent]], lost: set[str]) -> Iterator[Problem]:
    """A thread is opened, carried any number of times, and closed once."""
    opened: set[str] = set()
    closed: dict[str, int] = {}
    for line, event in events:
        if event.event == "open":
            opened.add(event.id)
        elif event.id not in opened:
            if event.id not in lost:
                message = f"{event.id} is {_done(event)} and was not opened before; this line has no effect"
                hint = "the line that opens a thread stands above all others about it; or delete this line too"
                yield file.at(line, ("id",), "warning", "thread-unopened", message, hint)
        elif event.id in closed:
            message = f"{event.id} is {_done(event)}; it was closed in line {closed[event.id]}, which is what counts"
            yield file.at(line, ("event",), "warning", "thread-closed", message, "delete one of the two lines")
        elif event.event == "close":
            closed[event.id] = line.number


def _done(event: ThreadEvent) -> str:
    return "carried" if event.event == "carry" else "closed"


def _people(file: LineFile, events: list[tuple[Line, ThreadEvent]], files: Files) -> Iterator[Problem]:
    often = Often(file)
    for line, event in events:
        known = (*files.names, *(() if event.event == "open" else NOBODY))
        hint = "write the id of an agent, as the file in state/agents/ is called"
        if event.by not in known:
            message = f"by is {event.by!r}, which is no agent"
            often.add(("by", event.by), line, ("by",), "warning", "thread-agent", message, hint)
        for index, name in enumerate(event.to):
            if name not in files.names:
                message = f"to names {name!r}, which is no agent"
                often.add(("to", name), line, ("to", index), "warning", "thread-agent", message, hint)
    yield from often.problems()


def _time(file: LineFile, events: list[tuple[Line, ThreadEvent]], files: Files) -> Iterator[Problem]:
    """No event is after the clock's day, before an earlier line, or due before its opening."""
    today = files.day if files.world.exists else None
    latest = SceneRef(0)
    for line, event in events:
        at = parse_ref(event.at) or latest
        if today is not None and at.day > today:
            message = f"at is {event.at}, which lies after day {today}, which the clock shows"
            yield file.at(line, ("at",), "warning", "thread-future", message, "see state/world.json")
            continue
        if at.day < latest.day:
            message = f"at is {event.at} and stands after day {latest.day}"
            yield file.at(line, ("at",), "warning", "thread-order", message, "the file runs in the order of story time")
        if event.due is not None and event.due < at.day:
            message = f"due is {event.due}, which was over when the thread was opened on day {at.day}"
            yield file.at(line, ("due",), "warning", "thread-due", message, "write a later day, or null")
        latest = max(latest, at)


def _keys(file: LineFile, events: list[tuple[Line, ThreadEvent]]) -> Iterator[Problem]:
    often = Often(file)
    for line, _ in events:
        for key in line.record:
            if key not in _KEYS:
                often.add(key, line, (key,), "info", "thread-extra", f"{key!r} is a key of your own; it is kept")
    yield from often.problems()
