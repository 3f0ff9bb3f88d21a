"""Rules for threads: order of events, existing characters, consistent days."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from gm.base.errors import Problem
from gm.files.check.declared import by_record, contents_of, placed
from gm.files.check.files import Files, LineFile
from gm.files.forms.jsonl import Line
from gm.files.reading.records import OPEN, place_in_lines, read_events
from gm.layers.rules import Contents, Finding, course
from gm.model.calendar import SceneRef, parse_ref
from gm.model.thread import THREAD_EVENT, ThreadEvent

NOBODY = ("gm", "creative-director")
_UNOPENED = (
    "{id} is {event} and was not opened before; this line has no effect",
    "the line that opens a thread stands above all others about it; or delete this line too",
)
_CLOSED = "{id} is {event}; it was closed in line {line}, which is what counts"
_TOLD = {"carry": "carried", "close": "closed"}


def rules(file: LineFile, files: Files) -> Iterator[Problem]:
    """Check the file of threads."""
    events, problems = read_events(file.scan, file.shown, THREAD_EVENT)
    yield from problems
    contents = contents_of(files, {line.number: line.record for line, _ in events})
    lost = {str(line.record.get("id")) for line in file.scan.lines if line.number not in contents.data}
    found = [
        *by_record(THREAD_EVENT, contents),
        *course(contents.data, "thread", ("carry",), _UNOPENED, _CLOSED, lost, _TOLD.__getitem__),
        *_people(events, files.names),
        *_time(events, contents),
    ]
    yield from placed(found, file.shown, partial(place_in_lines, file.scan))


def _people(events: list[tuple[Line, ThreadEvent]], names: Sequence[str]) -> Iterator[Finding]:
    hint = "write the id of an agent, as the file in state/agents/ is called"
    for line, event in events:
        if event.by not in (*names, *(() if event.event == OPEN else NOBODY)):
            message = f"by is {event.by!r}, which is no agent"
            yield Finding((line.number, "by"), "thread-agent", message, hint, counted=("by", event.by))
        for index, name in enumerate(event.to):
            if name not in names:
                message = f"to names {name!r}, which is no agent"
                yield Finding((line.number, "to", index), "thread-agent", message, hint, counted=("to", name))


def _time(events: list[tuple[Line, ThreadEvent]], contents: Contents) -> Iterator[Finding]:
    """No event is before an earlier line, or due before its opening; those after the clock's day do not count."""
    latest = SceneRef(0)
    for line, event in events:
        at = parse_ref(event.at) or latest
        if contents.today is not None and at.day > contents.today:
            continue
        if at.day < latest.day:
            message = f"at is {event.at} and stands after day {latest.day}"
            hint = "the file runs in the order of story time"
            yield Finding((line.number, "at"), "thread-order", message, hint)
        if event.due is not None and event.due < at.day:
            message = f"due is {event.due}, which was over when the thread was opened on day {at.day}"
            yield Finding((line.number, "due"), "thread-due", message, "write a later day, or null")
        latest = max(latest, at)
