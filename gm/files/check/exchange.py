"""Rules for copied memories, requests for memories, and goals."""

from __future__ import annotations

from collections.abc import Iterator

from gm.base.errors import Problem
from gm.base.texts import shown as quoted
from gm.files.check.files import Files, LineFile, StreamFile, read_line_file
from gm.files.forms.document import read_document
from gm.files.forms.jsonl import Line
from gm.files.forms.places import Keys, json_place
from gm.files.forms.text import BOM
from gm.files.layers.links import load_links
from gm.files.layers.minds import read_records
from gm.layers.goals import GOALS, GoalEvent
from gm.model.calendar import parse_ref
from gm.model.ids import parse_node_id


def sources(stream: StreamFile, files: Files) -> Iterator[Problem]:
    """A copy names another agent's memory as its source."""
    for number, source, _ in stream.sources:
        line = Line(number, {})
        keys: Keys = ("metadata", "copied_from")
        parsed = parse_node_id(source) if isinstance(source, str) else None
        if parsed is None or not isinstance(source, str):
            message = f"copied_from is {quoted(source)}, expected the id of a memory"
            yield stream.at(line, keys, "warning", "copy-source", message, "write an id like vera-042")
        elif parsed[0] == stream.agent:
            message = f"copied_from is {source!r}, a memory of {stream.agent}'s own"
            hint = "take copied_from out: with it, this memory is no experience"
            yield stream.at(line, keys, "warning", "copy-own", message, hint)
        elif files.node(source) is None and not files.is_lost(source):
            message = f"{source!r}, of which this is a copy, is not there"
            yield stream.at(line, keys, "info", "copy-source-gone", message, "the copy stays as it is")


def requests(files: Files) -> Iterator[Problem]:
    """A request for memories concerns two agents, is unique, and not from the future."""
    links, problems = load_links(files.layout)
    yield from problems
    if problems:
        return
    path = files.layout.links
    shown = files.layout.shown(path)
    body = read_document(path, shown)[0].text.removeprefix(BOM)

    def at(*keys: str | int) -> tuple[int, int]:
        return json_place(body, ("requests", *keys))

    seen: set[tuple[str, str]] = set()
    for index, link in enumerate(links):
        for key, name in (("from", link.asker), ("to", link.giver)):
            if name not in files.names:
                message = f"{key} is {name!r}, which is no agent; this request has no effect"
                yield Problem(shown, *at(index, key), "warning", "link-agent", message, "take it out, or correct it")
        if link.asker == link.giver:
            message = f"{link.asker} asks themselves; this request has no effect"
            yield Problem(shown, *at(index, "to"), "warning", "link-self", message, "take it out")
        if (link.asker, link.giver) in seen:
            message = f"{link.asker} asks {link.giver} twice; the first request counts"
            yield Problem(shown, *at(index), "warning", "link-twice", message, "take one of them out")
        seen.add((link.asker, link.giver))
        ref = parse_ref(link.at)
        if ref is not None and files.world.exists and files.day is not None and ref.day > files.day:
            message = f"at is {link.at}, which lies after day {files.day}, which the clock shows"
            yield Problem(shown, *at(index, "at"), "warning", "link-future", message, "see state/world.json")


def goals(files: Files) -> Iterator[Problem]:
    """A goal is opened, reported on any number of times, and settled once."""
    for name in files.names:
        path = files.layout.layer(GOALS, name)
        if not path.is_file():
            continue
        shown = files.layout.shown(path)
        text, scan, _ = read_line_file(path, shown)  # other rules report lines that are no JSON
        file = LineFile(shown, text, scan, [])
        events, _ = read_records(GOALS.file, scan, shown)  # unreadable lines are reported with all other layers
        yield from _course(file, events, files)


def _course(file: LineFile, events: list[tuple[Line, GoalEvent]], files: Files) -> Iterator[Problem]:
    opened: set[str] = set()
    closed: dict[str, int] = {}
    for line, event in events:
        if event.event == "open":
            opened.add(event.id)
        elif event.id not in opened:
            message = f"{event.id} was not opened before; this line has no effect"
            hint = "the line that opens a goal stands above all others about it"
            yield file.at(line, ("id",), "warning", "goal-unopened", message, hint)
        elif event.id in closed:
            message = f"{event.id} was settled in line {closed[event.id]}, which is what counts"
            yield file.at(line, ("event",), "warning", "goal-closed", message, "delete one of the two lines")
        elif event.event != "progress":
            closed[event.id] = line.number
        ref = parse_ref(event.at)
        if ref is not None and files.world.exists and files.day is not None and ref.day > files.day:
            message = f"at is {event.at}, which lies after day {files.day}, which the clock shows"
            yield file.at(line, ("at",), "warning", "goal-future", message, "see state/world.json")


STREAM_RULES = (sources,)
WORLD_RULES = (requests, goals)
