"""What an interrupted commit does to one of its files, as pure functions over contents."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass

from gm.files.commits.changes import print_of
from gm.files.commits.journal import CommitRecord, FileSides
from gm.files.commits.steps import (
    Append,
    BrokenFileError,
    Create,
    Move,
    Overruled,
    Replace,
    Restore,
    SetValues,
    SetYaml,
    Step,
    carry_out,
    line_key,
    missing_tail,
    paths_of,
    take_lines,
)


class UnfitError(ValueError):
    """The journal belongs to another state of the world."""


@dataclass(frozen=True, slots=True)
class FileEffect:
    """The steps of a commit that change one file.

    Attributes:
        first: Place of the first step, 2 × its number; a move changes its source at the place after its target.
        last: Place of the last step.
    """

    path: str
    steps: tuple[Step, ...]
    first: int
    last: int
    side: FileSides

    @property
    def added(self) -> bytes:
        """The text that is appended, by moves as well."""
        return "".join(added.text for step in self.steps if (added := self._append_of(step))).encode()

    @property
    def sets_values(self) -> bool:
        return all(isinstance(step, SetValues | SetYaml) for step in self.steps)

    @property
    def takes_lines(self) -> bool:
        return any(isinstance(step, Move) and step.path == self.path for step in self.steps)

    @property
    def _size_before(self) -> int:
        """Size of the file before text was appended; -1 if none is.

        The sides of a file that loses lines as well do not have it.
        """
        appended = (self._append_of(step) for step in self.steps) if self.takes_lines else ()
        return next((added.at for added in appended if added), self.side.at)

    def _append_of(self, step: Step) -> Append | None:
        if isinstance(step, Move) and step.to == self.path:
            return Append(step.to, step.at, step.gap + "".join(f"{line}\n" for line in step.lines))
        return step if isinstance(step, Append) else None

    def own_lines(self, data: bytes | None) -> tuple[list[bytes], list[bytes]]:
        """Return the appended lines, split into present (by bytes or id) and missing."""
        wanted = [line for line in self.added.split(b"\n") if line.strip()]
        there = _names_of(data)
        present = [line for line in wanted if _is_in(line, there)]
        return present, [line for line in wanted if line not in present]

    def is_torn(self, data: bytes | None) -> bool:
        """Return whether a file is as before, with a part of the appended text or zeros.

        The part may be the whole if lines are still to be taken out.
        """
        at, before = self._size_before, self.side.before
        if at < 0 or len(data or b"") < at:
            return False
        tail = (data or b"")[at:].rstrip(b"\0")
        is_part = self.added.startswith(tail) and (self.takes_lines or tail != self.added)
        return is_part and print_of((data or b"")[:at]) in (before, before or print_of(b""))

    def is_set(self, data: bytes | None) -> bool:
        """Return whether one of the changed values is there; False if the file is broken."""
        for step in self.steps:
            if not isinstance(step, SetValues | SetYaml):
                continue
            for key, value in step.new.items():
                if key in step.old and step.old[key] == value:
                    continue
                one = SetValues(self.path, {}, {key: value}, step.inside) if isinstance(step, SetValues) else None
                try:
                    if carry_out(one or SetYaml(self.path, {key: value}, {key: value}), data)[0] == data:
                        return True
                except BrokenFileError:
                    return False
        return False

    def finish(self, data: bytes | None, read: Callable[[str], bytes | None]) -> bytes | None:
        """Carry the steps out on a file that is as before, or whose append broke off.

        Lines are taken out only if they have arrived in the file that ``read`` returns.

        Raises:
            UnfitError: The result is not what the journal says, though all lines have arrived.
        """
        if data is not None and print_of(data) != self.side.before:
            data = data[: self._size_before]
        if not self._have_arrived(read):
            return self.merge(data, read)[0]
        for step in self.steps:
            if added := self._append_of(step):
                data = (data or b"") + missing_tail(added, data or b"")
            elif isinstance(step, Move):
                data = take_lines(step, data or b"").rest
            else:
                data = carry_out(step, data)[0]
        if print_of(data) != self.side.after:
            raise UnfitError(f"{self.path} would not become what the journal says")
        return data

    def mend(self, data: bytes | None) -> bytes | None:
        """Complete an append that broke off inside the last line; None if it did not."""
        text = (data or b"").rstrip(b"\0")
        begun = text.rpartition(b"\n")[2]
        missing = self.own_lines(data)[1]
        place = next((number for number, line in enumerate(missing) if begun and line.startswith(begun)), None)
        return None if place is None else text[: len(text) - len(begun)] + _join_lines(missing[place:])

    def merge(
        self, data: bytes | None, read: Callable[[str], bytes | None]
    ) -> tuple[bytes | None, tuple[Overruled, ...]]:
        """Carry the steps out on an edited file, leaving alone what the user changed.

        Lines are taken out only if they have arrived in the file that ``read`` returns.
        """
        if missing := self.own_lines(data)[1]:
            gap = b"\n" if data and not data.endswith(b"\n") else b""
            data = (data or b"") + gap + _join_lines(missing)
        overruled: list[Overruled] = []
        for step in self.steps:
            if not isinstance(step, Append | Move):
                data, left = carry_out(step, data)
                overruled += left
        return self.take_arrived(data, read), tuple(overruled)

    def _have_arrived(self, read: Callable[[str], bytes | None]) -> bool:
        moves = [step for step in self.steps if isinstance(step, Move) and step.path == self.path]
        return all(_is_in(line.encode(), _names_of(read(step.to))) for step in moves for line in step.lines)

    def take_arrived(self, data: bytes | None, read: Callable[[str], bytes | None]) -> bytes | None:
        """Take out the moved lines that have arrived in the file that ``read`` returns."""
        for step in self.steps:
            if isinstance(step, Move) and step.path == self.path and data is not None:
                there = _names_of(read(step.to))
                arrived = [line for line in step.lines if _is_in(line.encode(), there)]
                data = take_lines(Move(step.path, step.to, 0, "", arrived), data).rest
        return data

    def unwritten(self, data: bytes | None) -> bytes | None:
        """Return what is not in the file, to be kept aside; None if that is nothing."""
        if self.added:
            return _join_lines(self.own_lines(data)[1]) or None
        texts = [text for step in self.steps if (text := _text_of(step)) is not None]
        return "".join(texts).encode() if texts else None


def effects_of(record: CommitRecord) -> dict[str, FileEffect]:
    """Return what a commit does to each file, by path in the order of writing: lines arrive before they go."""
    places: dict[str, list[int]] = {}
    for number, step in enumerate(record.steps):
        for place, path in enumerate(reversed(paths_of(step)), 2 * number):
            places.setdefault(path, []).append(place)
    sides = record.sides or {}
    effects = [
        FileEffect(path, tuple(step for step in record.steps if path in paths_of(step)), min(at), max(at), sides[path])
        for path, at in places.items()
        if path in sides
    ]
    return {one.path: one for one in sorted(effects, key=lambda one: one.last if one.takes_lines else one.first)}


def _names_of(data: bytes | None) -> set[bytes | str]:
    lines = (data or b"").split(b"\n")
    return {*lines, *filter(None, map(line_key, lines))}


def _is_in(line: bytes, names: set[bytes | str]) -> bool:
    return line in names or line_key(line) in names


def _join_lines(lines: list[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)


def _text_of(step: Step) -> str | None:
    if isinstance(step, Create | Replace | Restore):
        return step.text
    return json.dumps(dict(step.new), indent=4) + "\n" if isinstance(step, SetValues | SetYaml) else None
