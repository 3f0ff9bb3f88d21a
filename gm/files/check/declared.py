"""Rules that stand beside what they are about (records, layers), and those of threads and requests for memories."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from gm.base.errors import Problem, say
from gm.base.texts import suggest_close
from gm.files.check.files import Files, say_times
from gm.files.formats.document import read_document
from gm.files.formats.jsonl import JsonLine, scan_file
from gm.files.formats.places import Keys, json_place
from gm.files.formats.text import is_there
from gm.files.layers import load_links, read_layer
from gm.files.reading import OPEN, place_in_lines, read_events
from gm.layers import LAYERS
from gm.layers.declare import AnyLayer
from gm.layers.rules import EventRule, Finding, LayerFiles, check_events
from gm.model.calendar import MOMENT, SceneRef, parse_ref
from gm.model.record import Record
from gm.model.thread import THREAD_EVENT, ThreadEvent

At = Callable[[Keys], tuple[int, int]]
"""Returns line and column of a value."""
NOBODY = ("gm", "creative-director")
_COURSE = EventRule(
    "thread",
    ("carry",),
    "{id} is {event} and was not opened before; this line has no effect",
    "move the line that opens the thread above this one, or delete this line",
    "{id} is {event}; it was closed in line {line}, which is what counts",
    {"carry": "carried", "close": "closed"}.__getitem__,
)


def check_layers(files: Files) -> Iterator[Problem]:
    """Every file of a layer can be read, and keeps its rules."""
    for layer in LAYERS:
        for name in files.names:
            yield from _check_layer(layer, name, files)


def _check_layer(layer: AnyLayer, name: str, files: Files) -> Iterator[Problem]:
    path = files.layout.layer(layer, name)
    data, places, beside = None, {}, {}
    if is_there(path):
        _, data, at, problems = read_layer(files.layout, layer, name)
        places[""] = path, at
        yield from problems
    for ending in layer.file.beside:
        other = files.layout.layer(layer, name, ending)
        if other.is_file():  # ``rest.check_syntax`` reports what cannot be read
            scan = scan_file(other, "")[1]
            places[ending] = other, partial(place_in_lines, scan)
            beside[ending] = {line.number: line.record for line in scan.lines}
    contents = gather_layer_files(files, data if path.is_file() else None, name, beside)
    found = [*layer.file.check(contents)] if contents.data is not None or beside else []
    found += by_record(layer.file.record, contents) if layer.file.record and contents.data else ()
    for ending, (other, at) in places.items():
        yield from place_findings((item for item in found if item.beside == ending), files.layout.shown(other), at)


def check_threads(files: Files) -> Iterator[Problem]:
    """Threads have a course, and consistent days; characters exist."""
    file = files.threads
    if file is None:
        return
    events, problems = read_events(file.scan, file.shown, THREAD_EVENT)
    yield from problems
    contents = gather_layer_files(files, {line.number: line.record for line, _ in events})
    lost = {str(line.record.get("id")) for line in file.scan.lines if line.number not in contents.data}
    found = [
        *by_record(THREAD_EVENT, contents),
        *check_events(_leave_out_agreed(events, contents.data), _COURSE, lost),
        *_check_people(events, files.names, files.settings.world.outside),
        *_time(events, contents),
        *_appointments(events, tuple(files.settings.places) if files.is_set else ()),
        *_check_replaced(events, lost),
    ]
    yield from place_findings(found, file.shown, partial(place_in_lines, file.scan))


def _leave_out_agreed(events: list[tuple[JsonLine, ThreadEvent]], data: Mapping[int, Any]) -> dict[int, Any]:
    """Leave out what closes a thread once more for another one, who did not know that it was closed."""
    closers: dict[str, set[str]] = {}
    agreed = set()
    for line, event in events:
        if event.event == "close":
            known = closers.setdefault(event.id, set())
            if known and event.by not in known:
                agreed.add(line.number)
            known.add(event.by)
    return {number: record for number, record in data.items() if number not in agreed}


def _check_people(events: list[tuple[JsonLine, ThreadEvent]], names: Sequence[str], outside: str) -> Iterator[Finding]:
    hint = "write the id of an agent, as the file in state/agents/ is called"
    for line, event in events:
        if event.by not in (*names, *(() if event.event == OPEN else NOBODY)):
            message = f"by is {event.by!r}, which is not an agent"
            yield Finding((line.number, "by"), "thread-agent", message, hint, counted=("by", event.by))
        for index, name in enumerate(event.to):
            if name not in names and not (name == outside and event.kind == "question"):
                message = f"to names {name!r}, which is not an agent"
                yield Finding((line.number, "to", index), "thread-agent", message, hint, counted=("to", name))


def _time(events: list[tuple[JsonLine, ThreadEvent]], contents: LayerFiles) -> Iterator[Finding]:
    latest = SceneRef(0)
    for line, event in events:
        at = parse_ref(event.at) or latest
        if contents.today is not None and at.day > contents.today:
            continue
        if at.day < latest.day:
            message = f"at is {event.at}, below a line of day {latest.day}"
            hint = "keep the lines in the order of story time"
            yield Finding((line.number, "at"), "thread-order", message, hint)
        if event.due is not None and event.due < at.day:
            message = f"due is {event.due}, which was over when the thread was opened on day {at.day}"
            yield Finding((line.number, "due"), "thread-due", message, "write a later day, or null")
        latest = max(latest, at)


def _appointments(events: list[tuple[JsonLine, ThreadEvent]], places: Sequence[str]) -> Iterator[Finding]:
    for line, event in events:
        if event.event != OPEN:
            continue
        is_arranged, is_promise = event.kind == "appointment", event.kind == "promise"
        if not is_arranged and not (is_promise and event.due is not None):
            for key in ("time", "place"):
                if getattr(event, key):
                    message = f"a {event.kind}{' without a day' * is_promise} has no {key}; it has no effect"
                    yield Finding((line.number, key), f"thread-{key}", message, severity="info")
            continue
        if is_arranged and event.due is None:
            message = "an appointment without a day is never played"
            yield Finding((line.number, "due"), "thread-due", message, "write the day: a whole number")
        if is_arranged and not event.to:
            message = "an appointment without others is never played"
            yield Finding((line.number, "to"), "thread-to", message, "write the ids of those who come")
        if event.place and places and event.place not in places:
            message = f"place is {event.place!r}, which is not a place of gm.yaml; it is played there all the same"
            hint = "known: " + ", ".join(places)
            yield Finding((line.number, "place"), "thread-place", message, hint, counted=("place", event.place))


def _check_replaced(events: list[tuple[JsonLine, ThreadEvent]], lost: set[str]) -> Iterator[Finding]:
    known = {"", *lost}
    for line, event in events:
        if event.replaces not in known:
            message = f"replaces is {event.replaces!r}, which no line above opens"
            yield Finding((line.number, "replaces"), "thread-replaces", message, "correct it, or take it out")
        known.add(event.id)


def check_requests(files: Files) -> Iterator[Problem]:
    """A request for memories concerns two agents, is unique, and not from the future."""
    links, problems = load_links(files.layout)
    yield from problems
    if problems:
        return
    seen: set[tuple[str, str]] = set()
    found: list[Finding] = []
    contents = gather_layer_files(files)
    for index, link in enumerate(links):
        keys: Keys = ("requests", index)
        for key, name in (("from", link.asker), ("to", link.giver)):
            if name not in files.names:
                message = f"{key} is {name!r}, which is not an agent; this request has no effect"
                found.append(Finding((*keys, key), "link-agent", message, "take it out, or correct it"))
        if link.asker == link.giver:
            message = f"{link.asker} asks themselves; this request has no effect"
            found.append(Finding((*keys, "to"), "link-self", message, "take it out"))
        if (link.asker, link.giver) in seen:
            message = f"{link.asker} asks {link.giver} twice; the first request counts"
            found.append(Finding(keys, "link-twice", message, "take one of them out"))
        seen.add((link.asker, link.giver))
        found += contents.check_moment((*keys, "at"), "link-future", link.at)
    shown = files.layout.shown(files.layout.links)
    body = read_document(files.layout.links, shown)[0].body
    yield from place_findings(found, shown, partial(json_place, body))


def gather_layer_files(
    files: Files, data: Any = None, agent: str = "", beside: Mapping[str, Mapping[int, Any]] | None = None
) -> LayerFiles:
    """Return contents for rules, with what they are held against."""
    return LayerFiles(agent, data, files.names, files.today, files.settings if files.is_set else None, beside or {})


def by_record(record: Record[Any], contents: LayerFiles) -> Iterator[Finding]:
    """Moments are not in the future; undeclared keys are mentioned if the record says so."""
    moments = [key.name for key in record.keys if key.kind is MOMENT]
    known = {key.name for key in record.keys}
    for place, row in contents.data.items():
        if not isinstance(row, dict):
            continue
        for name in moments:
            yield from contents.check_moment((place, name), f"{record.name}-future", row.get(name))
        for name in row if record.noted else ():
            if name not in known:
                message = f"{name!r} is a key of your own; it is kept"
                meant = record.said.get(name)
                hint = say("did you mean {name}?", meant) if meant else suggest_close(str(name), known)
                yield Finding((place, name), f"{record.name}-extra", message, hint, "info", counted=name)


def place_findings(found: Iterable[Finding], shown: str, at: At) -> Iterator[Problem]:
    """Return the problems of a file."""
    first: dict[object, Finding] = {}
    count: Counter[object] = Counter()
    for number, item in enumerate(found):
        what: object = number if item.counted is None else (item.code, item.counted)
        first.setdefault(what, item)
        count[what] += 1
    for what, item in first.items():
        is_counted = count[what] > 1 and isinstance(item.keys[0], int)  # in a document, the first one is enough
        message = say_times(item.message, count[what] if is_counted else 1)
        yield Problem(shown, *at(item.keys), item.severity, item.code, message, item.hint)


RULES = (check_layers, check_threads, check_requests)
