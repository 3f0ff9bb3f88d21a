"""Rows: memories without text, for counting, sorting and filtering; texts are read from their offsets."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import cache, cached_property, partial
from itertools import accumulate, compress
from operator import attrgetter
from sys import intern
from typing import Any, NamedTuple

from gm.base.casefold import casefold, casefold_all, casefold_lines
from gm.base.errors import Problem
from gm.files.formats.jsonl import JsonLine, Scan, each_line
from gm.files.formats.text import BOM, undecodable
from gm.files.reading import read_node, record_problem
from gm.files.streams.find import ARCHIVE, GIFTED, STREAM, SUMMARIES
from gm.memory.search import Term, keep_needed
from gm.model.ids import parse_node_id
from gm.model.node import NODE_TYPES, is_utterance, node_from_record
from gm.model.record import RecordError

COPIES, UTTERANCES = "copies", "utterances"
HOMES = (STREAM, COPIES, UTTERANCES, SUMMARIES, ARCHIVE, GIFTED)
STEP = 1000
"""Lines that are read, and texts that are folded, at once."""


class MemoryRow(NamedTuple):
    """One memory without its text.

    Attributes:
        serial: Number in the id.
        number: Line number, from 1.
        start: Offset of the line, in bytes.
        size: Bytes of the line without its line feed.
        day, scene: 0 = none.
        suffix: Letter of an inserted scene, or "".
        type: observation, reflection, plan, artifact or conversation.
        depth: 0 = lived.
        home: stream, copies, utterances, summaries, archive or gifted.
    """

    id: str
    serial: int
    number: int
    start: int
    size: int
    day: int
    scene: int
    suffix: str
    type: str
    depth: int
    importance: int
    tags: tuple[str, ...]
    evidence: tuple[str, ...]
    home: str


_MOMENT = ("day", "scene", "suffix", "serial")
BY_TIME: Callable[[MemoryRow], tuple[int | str, ...]] = attrgetter(*_MOMENT)
"""Sort key: story time, then number."""
BY_IMPORTANCE: Callable[[MemoryRow], tuple[int | str, ...]] = attrgetter("importance", *_MOMENT)
"""Sort key: importance, then story time."""


class RowTexts(NamedTuple):
    """Descriptions, or with ``folded`` the texts that are searched; parallel to rows."""

    lines: list[str]
    folded: bool = False


class FileRows:
    """The rows of one file in file order; immutable.

    Attributes:
        lines: Number of lines, blank and broken ones included.

    Args:
        texts: Searched together with tags and id.
    """

    def __init__(
        self, owner: str, shown: str, rows: list[MemoryRow], problems: tuple[Problem, ...], lines: int, texts: RowTexts
    ) -> None:
        self.owner = owner
        self.shown = shown
        self.rows = rows
        self.problems = problems
        self.lines = lines
        self._texts = texts

    @cached_property
    def by_id(self) -> Mapping[str, MemoryRow]:
        """Rows by folded id; of several with one id, the first."""
        rows = self.rows[::-1]
        return dict(zip(casefold_all([row.id for row in rows]), rows, strict=True))

    @cached_property
    def citing(self) -> Mapping[str, tuple[str, ...]]:
        """Ids of the citing rows, by folded cited id."""
        found: dict[str, list[str]] = {}
        for row in self.rows:
            for cited in casefold_all(row.evidence) if row.evidence else ():
                if cited in found:
                    found[cited].append(row.id)
                else:
                    found[cited] = [row.id]
        return {cited: tuple(dict.fromkeys(ids) if len(ids) > 1 else ids) for cited, ids in found.items()}

    def find(self, terms: Sequence[Term]) -> list[MemoryRow]:
        """Return the rows that match all terms, in file order."""
        rows = self.rows
        texts = self._fold_texts() if terms else []
        for first, *others in map(keep_needed, terms):
            kept = [first in text for text in texts]
            for form in others:
                kept = [known or form in text for known, text in zip(kept, texts, strict=True)]
            rows, texts = list(compress(rows, kept)), list(compress(texts, kept))
        return rows

    def grown(self, more: FileRows) -> FileRows:
        """Return these rows with those of lines that were appended since."""
        rows, problems = self.rows + more.rows, self.problems + more.problems
        texts = self._fold_texts() + more._fold_texts()
        return FileRows(self.owner, self.shown, rows, problems, self.lines + more.lines, RowTexts(texts, True))

    @property
    def is_ready(self) -> bool:
        """Whether finding and searching need no preparation any more."""
        return self._texts.folded and "citing" in self.__dict__

    def make_ready(self, pause: Callable[[], object] = lambda: None) -> None:
        """Prepare for finding and searching; ``pause`` is called before each step of a file with rows."""
        for step in (lambda: self.by_id, lambda: self.citing, lambda: self._fold_texts(pause)) if self.rows else ():
            pause()
            step()

    def without(self, ids: Collection[str]) -> FileRows:
        """Return the rows without those of the folded ids; itself if unchanged."""
        kept = [casefold(row.id) not in ids for row in self.rows]
        if all(kept):
            return self
        rows, texts = list(compress(self.rows, kept)), list(compress(self._fold_texts(), kept))
        return FileRows(self.owner, self.shown, rows, self.problems, self.lines, RowTexts(texts, True))

    def _fold_texts(self, pause: Callable[[], object] = lambda: None) -> list[str]:
        texts = self._texts  # read once: another thread may fold it meanwhile
        if not texts.folded:
            lines: list[str] = []
            for begin in range(0, len(self.rows), STEP):
                pause()
                part = map(_searched_text, texts.lines[begin : begin + STEP], self.rows[begin : begin + STEP])
                lines += casefold_lines("\n".join(part)).split("\n")
            texts = self._texts = RowTexts(lines, True)
        return texts.lines


def _searched_text(description: str, row: MemoryRow) -> str:
    text = " ".join((description, *row.tags, row.id))
    return " ".join(text.split()) if "\n" in text else text


_TYPES = {kind.encode(): intern(kind) for kind in NODE_TYPES}
_PLAIN = r'[^"\\\x00-\x1f]*'
_ITEMS = rf'((?:"{_PLAIN}"(?:, "{_PLAIN}")*)?)'
_USUAL = (
    rf'\{{"id": "(({_PLAIN})-([0-9]{{3,18}}))", "created": "day-([0-9]{{3,18}})(?:/scene-([0-9]{{2,18}})([a-z]?))?", '
    rf'"type": "({"|".join(NODE_TYPES)})", "depth": (0|[1-9][0-9]{{0,17}}), '
    rf'"description": "({_PLAIN}(?:\\["\\/bfnrt]{_PLAIN})*)", "importance": (10|[1-9]), '
    rf'"tags": \[{_ITEMS}\], "evidence": \[{_ITEMS}\], "metadata": (\{{[^][{{}}\\\x00-\x1f]*\}})\}}(?:\n|\Z)'
)
"""A line in the form and order of ``NODE``, with flat metadata and simple escapes."""
_LAST = 13
"""The group of the metadata."""
_usual = cache(lambda: re.compile(_USUAL.encode()))
_row_of = partial(tuple.__new__, MemoryRow)  # creating a named tuple this way takes half the time


def read_rows(
    owner: str,
    home: str,
    shown: str,
    data: bytes,
    after: tuple[FileRows | None, int] = (None, 0),
    pause: Callable[[], object] = lambda: None,
) -> FileRows:
    """Read the rows of a file, or of a part of it.

    Args:
        after: What is known already: rows, and the offset behind them.
        pause: Called before each step of ``STEP`` lines.

    Returns:
        Further rows, with line numbers and offsets in the whole file.
    """
    known, at = after
    reader = _RowReader(owner, home, shown, known)
    before, more = known.lines if known else 0, data[at:]
    try:
        more.decode("utf-8")
        while at < len(data):
            pause()
            at, before = reader.read_step(data, at, before)
    except UnicodeDecodeError as error:
        reader.report(undecodable(error, shown), before)
        reader.read_other(data, at, len(data), before)
    return FileRows(
        owner, shown, reader.rows, tuple(sorted(reader.problems)), count_lines(more), RowTexts(reader.texts)
    )


def count_lines(data: bytes) -> int:
    """Count lines, an unterminated last one included."""
    return data.count(b"\n") + (bool(data) and not data.endswith(b"\n"))


class _RowReader:
    def __init__(self, owner: str, home: str, shown: str, known: FileRows | None) -> None:
        self._owner, self._home, self._shown = owner, home, shown
        self._seen: dict[str, MemoryRow] = {row.id: row for row in known.by_id.values()} if known else {}
        self._usual = _usual()
        self.rows: list[MemoryRow] = []
        self.texts: list[str] = []
        self.problems: list[Problem] = []

    def report(self, problem: Problem, before: int) -> None:
        self.problems.append(replace(problem, line=problem.line + before))

    def read_step(self, data: bytes, at: int, before: int) -> tuple[int, int]:
        """Read up to ``STEP`` lines from an offset on, ``before`` lines behind it; return where the next ones begin."""
        usual = self._usual.match
        run: list[re.Match[bytes]] = []
        begin, others = at, 0
        while len(run) < STEP and (found := usual(data, at)):
            run.append(found)
            at = found.end()
        if run and not self._read_run(run, before):
            self.read_other(data, begin, at, before)
        begin, before = at, before + len(run)
        while at < len(data) and len(run) + others < STEP and not usual(data, at):
            at = data.find(b"\n", at) + 1 or len(data)
            others += 1
        if others:
            self.read_other(data, begin, at, before)
        return at, before + others

    def _read_run(self, run: Sequence[re.Match[bytes]], before: int) -> bool:
        """Read adjacent lines in the usual form, column by column; False if one of them is wrong."""
        ids, stems, serials, days, scenes, suffixes, types, depths, texts, importances, tags, evidence, metadata = zip(
            *[found.groups(b"") for found in run], strict=True
        )
        names = list(map(bytes.decode, ids))
        homes = [self._home if one == b"{}" else _flat_home(self._home, one) for one in metadata]
        if set(stems) != {self._owner.encode()} or len(set(names)) < len(run) or None in homes:
            return False
        if not self._seen.keys().isdisjoint(names):
            return False
        starts = [found.start() for found in run]
        columns = (
            *(names, map(int, serials), range(before + 1, before + 1 + len(run)), starts),
            [found.end(_LAST) + 1 - found.start() for found in run],
            *(map(int, days), [int(one or 0) for one in scenes], map(bytes.decode, suffixes)),
            *(map(_TYPES.__getitem__, types), map(int, depths), map(int, importances)),
            [tuple(map(intern, one.decode()[1:-1].split('", "'))) if one else () for one in tags],  # few are distinct
            [tuple(one.decode()[1:-1].split('", "')) if one else () for one in evidence],
            homes,
        )
        rows = list(map(_row_of, zip(*columns, strict=True)))
        self.rows += rows
        self.texts += [json.loads(b'"%b"' % one) if b"\\" in one else one.decode() for one in texts]
        self._seen.update(zip(names, rows, strict=True))
        return True

    def read_other(self, data: bytes, begin: int, end: int, before: int) -> None:
        """Read lines in any form."""
        data = data[begin:end]
        starts = list(accumulate((len(line) + 1 for line in data.split(b"\n")), initial=begin))
        text = data.decode("utf-8", "replace")
        if begin == 0 and text.startswith(BOM):
            text, starts[0] = text.removeprefix(BOM), len(BOM.encode())
        scan = Scan(text)
        for line in each_line(scan, self._shown):
            start, number = starts[line.number - 1], before + line.number
            try:
                row, description = self._read_row(line, number, start, starts[line.number] - start - 1)
            except RecordError as error:
                self.report(record_problem(self._shown, line.number, scan.line(line.number), error), before)
                continue
            self._seen[row.id] = row
            self.rows.append(row)
            self.texts.append(description)
        for problem in scan.problems:
            self.report(problem, before)

    def _read_row(self, line: JsonLine, number: int, start: int, size: int) -> tuple[MemoryRow, str]:
        """Read a line in any form; raises RecordError."""
        # an archive may hold memories of others, and ones restored meanwhile
        own = self._home != ARCHIVE
        node = read_node(self._owner, line, self._seen) if own else node_from_record(line.record)
        parsed = parse_node_id(node.id)
        assert parsed is not None
        row = MemoryRow(
            node.id, parsed[1], number, start, size, node.when.day, node.when.scene, node.when.suffix, node.type,
            node.depth, node.importance, node.tags, node.evidence, _find_home(self._home, node.metadata)
        )  # fmt: skip
        return row, node.description


def _flat_home(home: str, metadata: bytes) -> str | None:
    """Return the home by metadata without nested values; None if they are unusual."""
    try:
        found = json.loads(metadata)
    except ValueError:
        return None
    return _find_home(home, found) if metadata.count(b'":') == len(found) else None


def _find_home(home: str, metadata: Mapping[str, Any]) -> str:
    if home != STREAM or not metadata:
        return home
    if "copied_from" in metadata:
        return COPIES
    return UTTERANCES if is_utterance(metadata) else STREAM
