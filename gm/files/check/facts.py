"""What is kept of every memory of a file, in columns: a stream may have a million."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Mapping
from itertools import islice
from operator import le
from typing import NamedTuple

from gm.base.texts import is_digits
from gm.model.calendar import SceneRef, parse_ref
from gm.model.node import NODE_TYPES

KINDS = {kind: number for number, kind in enumerate(NODE_TYPES)}
"""Types of memories by their number in a column."""
BESIDE, LEFT_UNDONE, OUT_OF_SCENE = 1, 2, 4
"""Marks: it does not count for reflections (copies, single utterances, summaries); it is of what a day left undone; it
is of a question out of scene, which no logbook lists."""
OTHER = -1
"""A moment of a form that ``moment_of`` does not return a number for."""
_USUAL = re.compile(r"day-([0-9]{3}|[1-9][0-9]{3,8})/scene-(0[1-9]|[1-9][0-9]{1,3})").fullmatch
_FAR = 1 << 16
_MOMENTS = 1 << 16
_SCENE, _DAY = 8, 24
"""Bits below the scene and below the day of a moment; the lowest are the letter of an inserted scene."""


class MemoryFacts(NamedTuple):
    """The facts of one memory; ``number`` is its line."""

    number: int
    created: str
    type: str
    depth: int
    importance: int


class MemoryTable(Mapping[str, MemoryFacts]):
    """The facts of the memories of a file, by id and by row, from 0 in the order of the file.

    Attributes:
        numbers: Those in their ids.
        lines: Their lines.
        moments: ``created`` as numbers that sort alike, see ``Moments``; ``OTHER`` if it has another form.
        kinds: Their types, as in ``KINDS``.
        marks: ``BESIDE`` and those after it, added up.
        highest: The highest number.
        following: The id above it.
    """

    def __init__(self, agent: str) -> None:
        self.numbers = array("q")
        self.lines = array("Q")
        self.moments = array("q")
        self.kinds = bytearray()
        self.depths = array("q")
        self.importances = bytearray()
        self.marks = bytearray()
        self.highest = 0
        self.following = f"{agent}-001"
        self._stem = f"{agent}-"
        self._rows = array("Q")  # by number: the row + 1
        self._elsewhere: dict[str, int] = {}
        self._ids: dict[int, str] = {}
        self._moments: dict[int, str] = {}

    def __len__(self) -> int:
        return len(self.numbers)

    def __contains__(self, identifier: object) -> bool:
        return isinstance(identifier, str) and self.row(identifier) >= 0

    def __getitem__(self, identifier: str) -> MemoryFacts:
        if (row := self.row(identifier)) < 0:
            raise KeyError(identifier)
        kind = NODE_TYPES[self.kinds[row]]
        return MemoryFacts(self.lines[row], self.created(row), kind, self.depths[row], self.importances[row])

    def __iter__(self) -> Iterator[str]:
        return map(self.id, range(len(self)))

    def row(self, identifier: str) -> int:
        """Return the row of a memory; -1 if there is none."""
        figures = identifier[len(self._stem) :]
        if len(figures) > 2 and (figures[0] != "0" or len(figures) == 3) and is_digits(figures):
            number = int(figures)
            if number < len(self._rows) and (row := self._rows[number]) and identifier.startswith(self._stem):
                return row - 1
        return self._elsewhere.get(identifier, -1)

    def shared(self, other: MemoryTable) -> list[str]:
        """Return the ids that another file has as well."""
        both = (number for number, rows in enumerate(zip(self._rows, other._rows, strict=False)) if all(rows))
        apart = {*self._elsewhere, *other._elsewhere}
        return [f"{self._stem}{number:03d}" for number in both] + [id for id in apart if id in self and id in other]

    def id(self, row: int) -> str:
        return self._ids.get(row) or f"{self._stem}{self.numbers[row]:03d}"

    def created(self, row: int) -> str:
        """Return ``created`` of a memory as written."""
        moment = self.moments[row]
        return self._moments[row] if moment == OTHER else _render(moment)

    def ref(self, row: int) -> SceneRef | None:
        """Return ``created`` of a memory as a moment; None for an unknown form."""
        return parse_ref(self._moments[row]) if self.moments[row] == OTHER else _ref_of(self.moments[row])

    def turns(self) -> Iterator[int]:
        """Yield the rows with another ``created`` than the row before."""
        last: int | str | None = None
        for row, moment in enumerate(self.moments):
            created = self._moments[row] if moment == OTHER else moment
            if created != last:
                yield row
                last = created

    def reflections(self) -> Iterator[int]:
        """Yield the rows of reflections that were made, not copied."""
        wanted = KINDS["reflection"]
        columns = enumerate(zip(self.kinds, self.marks, strict=True))
        return (row for row, (kind, mark) in columns if kind == wanted and not mark & BESIDE)

    def is_in_order(self) -> bool:
        """Return whether ``created`` is known to never decrease."""
        return not self._moments and all(map(le, self.moments, islice(self.moments, 1, None)))

    def follow(self) -> None:
        """Note that the next row has the id ``following``."""
        number, rows = self.highest + 1, self._rows
        if number == len(rows):
            rows.append(len(self.numbers) + 1)
        else:
            self._place(number)
        self.numbers.append(number)
        self.highest = number
        # a width is slower
        self.following = f"{self._stem}{number + 1}" if number > 98 else f"{self._stem}{number + 1:03d}"

    def jump(self, identifier: str, number: int) -> None:
        """Note the id of the next row, which does not follow."""
        row = len(self.numbers)
        if identifier != f"{self._stem}{number:03d}":
            self._elsewhere[identifier] = row
            self._ids[row] = identifier
        else:
            self._place(number)
        self.numbers.append(number)
        if number > self.highest:
            self.highest, self.following = number, f"{self._stem}{number + 1:03d}"

    def _place(self, number: int) -> None:
        row, rows = len(self.numbers), self._rows
        if number > 8 * row + _FAR:
            self._elsewhere[f"{self._stem}{number:03d}"] = row
            return
        if number >= len(rows):
            rows.frombytes(bytes(rows.itemsize * (number + 1 - len(rows))))
        rows[number] = row + 1

    def note_created(self, created: str) -> None:
        """Keep the text of ``created`` of the next moment, which is ``OTHER``."""
        self._moments[len(self.moments)] = created


class Moments(dict[str, int | None]):
    """Numbers of ``created``: ``OTHER`` for a form that does not fit, None for an unknown one. Keeps only some."""

    def __missing__(self, created: str) -> int | None:
        if len(self) >= _MOMENTS:
            self.clear()
        self[created] = found = _number_of(created)
        return found


def _number_of(created: str) -> int | None:
    if usual := _USUAL(created):
        return int(usual[1]) << _DAY | int(usual[2]) << _SCENE
    ref = parse_ref(created)
    if ref is None:
        return None
    number = ref.day << _DAY | ref.scene << _SCENE | ord(ref.suffix or "\0")
    fits = ref.day < 1 << 32 and ref.scene < 1 << _DAY - _SCENE and str(ref) == created
    return number if fits else OTHER


def _ref_of(moment: int) -> SceneRef:
    suffix = moment & (1 << _SCENE) - 1
    return SceneRef(moment >> _DAY, (moment & (1 << _DAY) - 1) >> _SCENE, chr(suffix) if suffix else "")


def _render(moment: int) -> str:
    return str(_ref_of(moment))
