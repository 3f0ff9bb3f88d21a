"""Files as they were: read as records, or line by line, to be written again."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import yaml

from gm.base.frontmatter import load_safely
from gm.base.untyped import text_at
from gm.base.yamlwords import explain_yaml
from gm.files.formats.jsonl import JsonLine, scan_lines
from gm.files.formats.text import BOM
from gm.model.node import Node, node_from_record
from gm.model.record import RecordError
from gm.model.scene import SUMMARY


@dataclass(frozen=True, slots=True)
class UnreadablePlace:
    """An unreadable place in the files of a state; line 0 = the whole file."""

    state: str
    path: str
    line: int
    message: str


@dataclass(frozen=True, slots=True)
class PastFiles:
    """Contents by path, None = absent. Unreadable places are left out, and reported once."""

    contents: Mapping[str, bytes | None]
    state: str = ""
    unreadable: list[UnreadablePlace] = field(default_factory=list)

    def document(self, path: str) -> Any:
        """Read a JSON or YAML document; None if absent or unreadable."""
        data = self.contents.get(path)
        if data is None:
            return None
        try:
            text = data.decode("utf-8-sig")
            return json.loads(text) if path.endswith(".json") else load_safely(text)
        except yaml.YAMLError as error:
            found = explain_yaml(error, text)
            self._report_problem(path, found.message, found.line)
        except (ValueError, RecursionError) as error:
            self._report_problem(path, str(error).split("\n")[0])
        return None

    def mapping(self, path: str) -> dict[str, Any]:
        """Read a document; {} if it is not a mapping."""
        value = self.document(path)
        return value if isinstance(value, dict) else {}

    def records(self, path: str) -> list[dict[str, Any]]:
        """Return the JSON objects in a file's lines."""
        return [line.record for line in self._lines_of(path)]

    def nodes(self, path: str) -> dict[str, Node]:
        """Read memories by id, in file order; repeated ids get a suffix ``#2``."""
        nodes: dict[str, Node] = {}
        for line in self._lines_of(path):
            try:
                node = node_from_record(line.record)
            except RecordError as error:
                self._report_problem(path, error.message, line.number)
                continue
            nodes[make_unused_key(node.id, nodes)] = node
        return nodes

    def _lines_of(self, path: str) -> Sequence[JsonLine]:
        try:
            text = (self.contents.get(path) or b"").decode("utf-8").removeprefix(BOM)
        except UnicodeDecodeError as error:
            self._report_problem(path, f"not UTF-8: {error.reason}")
            return ()
        scan = scan_lines(text, path)
        for problem in scan.problems:
            self._report_problem(path, problem.message, problem.line)
        return scan.lines

    def _report_problem(self, path: str, message: str, line: int = 0) -> None:
        item = UnreadablePlace(self.state, path, line, message)
        if item not in self.unreadable:
            self.unreadable.append(item)


@dataclass(frozen=True)
class FileLine:
    """One line of a file, without line feed, but with any carriage return."""

    text: str

    @cached_property
    def record(self) -> Mapping[str, Any]:
        """The JSON object of the line; empty if it is none."""
        with suppress(ValueError, RecursionError):
            record = json.loads(self.text)
            if isinstance(record, dict):
                return record
        return {}

    @property
    def id(self) -> str:
        """The id of the memory in the line; empty without one."""
        return text_at(self.record, "id")

    @property
    def scene(self) -> int:
        """Number of a scene; 0 for any other line."""
        number = self.record.get("scene")
        return number if type(number) is int and not self.is_summary else 0

    @property
    def is_summary(self) -> bool:
        """Whether the line is a summary."""
        return self.record.get("type") == SUMMARY


def split_rows(data: bytes | None) -> list[FileLine]:
    """Read the lines of a file without blank ones; bytes that are not UTF-8 are preserved."""
    text = (data or b"").decode("utf-8", "surrogateescape").removeprefix(BOM)
    return [FileLine(line) for line in text.split("\n") if line.strip()]


def render_rows(rows: Sequence[str]) -> bytes:
    """Return lines as the content of a file."""
    return "".join(row + "\n" for row in rows).encode("utf-8", "surrogateescape")


def find_new_lines(rows: Sequence[FileLine], base: Sequence[FileLine]) -> list[FileLine]:
    """Return the lines that the base lacks."""
    known = {row.text for row in base}
    return [row for row in rows if row.text not in known]


def make_unused_key(key: str, taken: Mapping[str, object]) -> str:
    """Return a key, with a suffix ``#2`` if it is taken."""
    found, count = key, 1
    while found in taken:
        count += 1
        found = f"{key}#{count}"
    return found
