"""Read lines as records and as memories, and small YAML files as records, each error at its place."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from gm.base.errors import Problem, Severity, errors_in, say
from gm.base.frontmatter import split_front_matter, yaml_place
from gm.files.formats.jsonl import JsonLine, Scan, scan_lines
from gm.files.formats.places import Keys, find_spot, json_place, yaml_twice
from gm.files.formats.text import BOM, is_there, read_readable, read_text
from gm.files.formats.yamlfile import load_yaml
from gm.files.layout import Layout
from gm.model.ids import render_node_id
from gm.model.node import Node, node_from_record
from gm.model.record import Record, RecordError

if TYPE_CHECKING:
    from gm.model.logged import LogEntry

OPEN = "open"
T = TypeVar("T")


class Event(Protocol):
    """An event of an item with an id."""

    @property
    def id(self) -> str:
        """Id of the item."""

    @property
    def event(self) -> str:
        """Kind of event; ``open`` is the first of an item."""


E = TypeVar("E", bound=Event)


def front_problems(path: Path, shown: str, record: Record[Any], front: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield what is wrong with front matter, each at its place."""
    head = split_front_matter(read_text(path, shown)[0].body)[0] or ""
    for error in record.problems(front):
        line, column = yaml_place(head, error.place, key=error.unknown)
        yield Problem(shown, line + 1, column, "warning", error.code, error.message, error.hint)


def read_records(scan: Scan, shown: str, record: Record[T]) -> tuple[list[tuple[JsonLine, T]], list[Problem]]:
    """Read lines as records; invalid ones are skipped and reported. ``shown`` is the path in problems."""
    found: list[tuple[JsonLine, T]] = []
    problems = []
    for line in scan.lines:
        try:
            found.append((line, record.read(line.record)))
        except RecordError as error:
            problems.append(record_problem(shown, line.number, scan.line(line.number), error))
    return found, problems


def read_events(scan: Scan, shown: str, record: Record[E]) -> tuple[list[tuple[JsonLine, E]], list[Problem]]:
    """Read events as ``read_records`` does; a second ``open`` of an item is invalid as well."""
    found: list[tuple[JsonLine, E]] = []
    opened: dict[str, int] = {}
    read, problems = read_records(scan, shown, record)
    for line, event in read:
        if event.event == OPEN and event.id in opened:
            error = record.error("id", f"{event.id} is opened in line {opened[event.id]} already")
            problems.append(record_problem(shown, line.number, scan.line(line.number), error))
            continue
        if event.event == OPEN:
            opened[event.id] = line.number
        found.append((line, event))
    return found, problems


def record_problem(shown: str, number: int, text: str, error: RecordError) -> Problem:
    """Return the problem of a line, at the invalid value."""
    column = column_of(text, error.place)
    return Problem(shown, number, column, "error", error.code, error.message, error.hint)


def document_problem(shown: str, body: str, error: RecordError, *above: str | int) -> Problem:
    """Return the problem of a record in a JSON document, at the invalid value; ``above`` are the keys of the record."""
    place = json_place(body, (*above, *error.place))
    return Problem(shown, *place, "error", error.code, error.message, error.hint)


def column_of(text: str, keys: Keys) -> int:
    """Return the column, from 1, of a value in a line."""
    spot = find_spot(text, keys)
    return spot.begin + 1 if spot else 1


def place_in_lines(scan: Scan, keys: Keys) -> tuple[int, int]:
    """Return line and column of a value, given its line number and keys; zeros for the whole file."""
    return (int(keys[0]), column_of(scan.line(int(keys[0])), keys[1:])) if keys else (0, 0)


_ID = re.compile(r'"id"\s*:\s*"([^"\\]*)"')


def id_in(text: str) -> str:
    """Return the id in a line that is not JSON; "" if there is none."""
    match = _ID.search(text)
    return match[1] if match else ""


def column_in_node(text: str, keys: Keys) -> int:
    """Like ``column_of``, but faster, for a key that exists in the line."""
    # a string token before a colon is always a key: quotation marks inside texts are escaped
    token = f'"{keys[0]}":' if keys else ""
    if token and text.count(token) == 1:
        spot = find_spot(text, keys[1:], text.index(token) + len(token))
        if spot is not None:
            return spot.begin + 1
    return column_of(text, keys)


class NumberedLine(Protocol):
    """An item with a line number."""

    @property
    def number(self) -> int:
        """Line number, from 1."""
        ...


def read_node(agent: str, line: JsonLine, seen: Mapping[str, NumberedLine]) -> Node:
    """Read a line of an agent's stream as a memory.

    Args:
        seen: Items of the lines before, by id.

    Raises:
        RecordError: It is ambiguous, or its id is another agent's or a duplicate.
    """
    node = node_from_record(line.record)
    owner, _, number = node.id.rpartition("-")
    if owner != agent:
        message = f"id {node.id!r} is another agent's, expected {render_node_id(agent, int(number))} or alike"
        raise RecordError(("id",), "id-agent", message, f"every memory of this file begins with {agent}-")
    if node.id in seen:
        message = say("id {id} is used in line {line} already", repr(node.id), seen[node.id].number)
        raise RecordError(("id",), "id-twice", message, "keep one of the two; or give one a number that was never used")
    return node


def readable_nodes(lines: Iterable[JsonLine]) -> Iterator[tuple[JsonLine, Node]]:
    """Yield the lines that are memories of any character."""
    for line in lines:
        with suppress(RecordError):
            yield line, node_from_record(line.record)


def node_in(line: str) -> Node | None:
    """Return the memory of a line; None if it is not one."""
    read = readable_nodes(scan_lines(line.removeprefix(BOM), "").lines)
    return next((node for _, node in read), None)


LOST_HINT = "restore its content (git checkout, gm rewind); or delete it and the logbook to begin anew"


def report_lost_streams(
    layout: Layout, bare: Collection[str], log: Iterable[LogEntry]
) -> Iterator[tuple[str, Problem]]:
    """Yield characters that have no memories although a logbook names some, with the problem."""
    reported = set[str]()
    for entry in log if bare else ():
        for agent, name, _ in entry.memories:
            if agent in bare and agent not in reported:
                reported.add(agent)
                path = layout.stream(agent)
                if read_readable(path).strip():
                    continue  # its content is there and has problems of its own
                shown, state, hint = layout.shown(path), "empty", LOST_HINT
                if not is_there(path):
                    state, hint = "missing", f"restore it (git checkout -- {shown}, or a backup), or delete the logbook"
                message = f"the file is {state}, and the logbook of day {entry.day} names {name!r:.40}"
                yield agent, Problem(shown, 0, 0, "error", f"file-{state}", message, hint)


class PlacedReader:
    """Collects the problems of a small YAML file that people write, each at its place."""

    def __init__(self, text: str, shown: str) -> None:
        self.problems: list[Problem] = []
        self.text = text
        self.shown = shown

    def parse(self, read: Callable[[Any], T]) -> tuple[T | None, list[Problem]]:
        """Return what ``read`` makes of the data, None if there are errors; and all problems in order."""
        data, problems = load_yaml(self.text, self.shown)
        if problems:
            return None, problems
        value = read(data)
        return (None if errors_in(self.problems) else value), sorted(self.problems)

    def say_twice(self) -> None:
        """Report the keys that occur twice."""
        for name, line, column in yaml_twice(self.text):
            message = f"the key {name!r} occurs twice"
            self.problems.append(Problem(self.shown, line, column, "error", "key-twice", message, "delete one of them"))

    def read_fitting(self, record: Record[Any], data: object, place: Keys = ()) -> dict[str, Any]:
        """Return the values of a record that fit, by key, and report all others."""
        for error in record.problems(data):
            self.say((*place, *error.place), error.code, error.message, error.hint, key=error.unknown)
        values = data if isinstance(data, dict) else {}
        present = ((key, value) for key in record.keys if (value := values.get(key.name)) is not None)
        return {key.name: key.kind(value) for key, value in present if key.kind.fits(value)}

    def say(
        self, place: Keys, code: str, message: str, hint: str = "", severity: Severity = "error", *, key: bool = False
    ) -> None:
        """Report a problem at a value, or with ``key`` at its key; the same one only once."""
        problem = Problem(self.shown, *yaml_place(self.text, place, key=key), severity, code, message, hint)
        if problem not in self.problems:
            self.problems.append(problem)
