"""Rows: memories without text, for counting, sorting and filtering; texts are read from their offsets."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from itertools import compress
from operator import attrgetter
from typing import NamedTuple

from gm.base.errors import Problem
from gm.base.texts import casefold, casefold_all, casefold_lines
from gm.files.streams.find import ARCHIVE, GIFTED, STREAM, SUMMARIES
from gm.memory.search import Term, keep_needed

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

    def without(self, tags: Collection[str]) -> FileRows:
        """Return the rows without any of the folded tags; itself if unchanged."""
        kept = [not any(casefold(tag) in tags for tag in row.tags) for row in self.rows]
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
