"""Preview what an action would write, and then write precisely that.

An act is a function that commits once. ``preview`` runs it up to the write; ``confirm`` runs it again and writes only
if the same lines would change in the same way.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import takewhile
from typing import TypeVar

from gm.base.errors import GmError
from gm.files.commits.steps import Overruled
from gm.files.commits.writer import ReviewedFile, reviewing
from gm.files.formats import disk
from gm.files.formats.text import BOM, sha256
from gm.files.layout import Layout

Done = TypeVar("Done")
MOST_COMPARED = 4000
"""Lines between the first and the last change; more count as one change."""


@dataclass(frozen=True, slots=True)
class LineChange:
    """Replaced lines of a file, from ``line`` (1 = first); empty ``before`` = insertion."""

    path: str
    line: int
    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Preview:
    """What an act would write, in file order; ``seal`` is a digest for ``confirm``."""

    changes: tuple[LineChange, ...]
    seal: str


class ChangedMeanwhileError(GmError):
    """An act would no longer write what was shown; nothing was written."""

    kind = "changed"

    def __init__(self, now: Preview) -> None:
        super().__init__("the files were changed meanwhile", "look at what would be written now, and decide again")
        self.now = now


class CrossedError(GmError):
    """Another program saved the same file during the write; its version stands."""

    kind = "changed"


class _LookedError(Exception):
    """Keeps a commit from being written."""


def preview(act: Callable[[], object]) -> Preview:
    """Return what an act would write, without writing it."""
    found: list[Preview] = []

    def review(changes: Sequence[ReviewedFile], _overruled: Sequence[Overruled]) -> None:
        found.append(_preview(changes))
        raise _LookedError

    with reviewing(review), suppress(_LookedError):
        act()
    return found[0] if found else NOTHING


def confirm(layout: Layout, act: Callable[[], Done], seal: str) -> Done:
    """Carry out a previewed act and return its result.

    Raises:
        ChangedMeanwhileError: It would write something else by now.
        CrossedError: Another program wrote at the same moment.
    """
    seen: list[ReviewedFile] = []

    def review(changes: Sequence[ReviewedFile], overruled: Sequence[Overruled]) -> None:
        now = _preview(changes)
        if now.seal != seal or overruled:
            raise ChangedMeanwhileError(now)
        seen.extend(changes)

    with reviewing(review):
        done = act()
    if not seen and seal != NOTHING.seal:
        raise ChangedMeanwhileError(NOTHING)
    crossed = [change.path for change in seen if disk.read_or_none(layout.root / change.path) != change.new]
    if crossed:
        raise CrossedError(f"{crossed[0]} was changed at the same time", "read the file, then try again")
    return done


def compare(path: str, before: str, after: str) -> tuple[LineChange, ...]:
    """Return the lines in which two texts of a file differ."""
    return tuple(_line_changes(ReviewedFile(path, before.encode(), after.encode("utf-8", "replace"))))


def _preview(changes: Sequence[ReviewedFile]) -> Preview:
    lines: list[LineChange] = []
    named: list[object] = []
    for change in changes:
        for line in _line_changes(change) if change.old != change.new else ():
            lines.append(line)
            # lines may have moved but not changed; insertions depend on the whole file
            before: object = line.before or sha256(change.old or b"")
            named.append([change.path, before, line.after])
    return Preview(tuple(lines), sha256(json.dumps(named).encode()))


NOTHING = _preview(())


def _line_changes(change: ReviewedFile) -> list[LineChange]:
    old, new = _split_lines(change.old), _split_lines(change.new)
    first, last = common_ends(old, new)
    old, new = old[first : len(old) - last], new[first : len(new) - last]
    if max(len(old), len(new)) > MOST_COMPARED:
        return [LineChange(change.path, first + 1, tuple(old), tuple(new))]
    return [
        LineChange(change.path, first + a + 1, tuple(old[a:b]), tuple(new[c:d]))
        for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        if tag != "equal"
    ]


def _split_lines(data: bytes | None) -> list[str]:
    text = (data or b"").decode("utf-8", "replace").removeprefix(BOM)
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    return lines[:-1] if lines[-1] == "" else lines


def common_ends(old: Sequence[str], new: Sequence[str]) -> tuple[int, int]:
    """Return how many items two sequences share at the beginning, and behind that at the end."""
    first = _common(old, new)
    return first, _common(old[first:][::-1], new[first:][::-1])


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
