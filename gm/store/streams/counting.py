"""What is in the streams, in numbers: how many memories, of which days, and where those stand.

A stream of a year has some megabytes. What was counted is kept in ``state/.gm/census.json``, derived: a file that is as
it was is not read again, and of one that has grown only the new end is decoded. Where anything in a file cannot be
read, nothing is kept, so that it is named each time.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from gm.errors import Problem
from gm.regular import DOCUMENT_BYTES, read_regular
from gm.store.forms import disk
from gm.store.forms.private import make_private
from gm.store.forms.text import is_overlaid
from gm.store.layout import Layout
from gm.store.streams.census import Census

ABSENT = [0]


class Counter:
    """Counts what is in the streams of one world. Use ``counting``.

    Args:
        layout: The world.
    """

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._notes = _read_notes(layout)
        self._changed = False

    def count(self, name: str, path: Path) -> tuple[Census, list[Problem]]:
        """Count what is in a stream or in summaries.

        Args:
            name: Whose memories they are.
            path: The file; one that is absent is empty.

        Returns:
            What is in it, and an error for each line that is left out.
        """
        shown = self._layout.shown(path)
        look = _look(path)
        known = _census(self._notes.get(shown))
        if look == ABSENT or (known is not None and look and known.look == look):
            return (known if known is not None and look != ABSENT else Census()), []
        # as a rule nothing has changed, and nothing is imported for it
        from gm.store.streams.tally import count_memories

        census, problems = count_memories(name, path, shown, known)
        self._notes.pop(shown, None)
        self._changed = True
        if look and not problems:
            census.look = look
            self._notes[shown] = asdict(census)
        return census, problems

    def save(self) -> None:
        """Keep what was counted; where nothing can be written, it is counted again."""
        if self._changed:
            with suppress(OSError):
                make_private(self._layout.derived)
                disk.replace(self._layout.census, json.dumps(self._notes).encode())


@contextmanager
def counting(layout: Layout) -> Iterator[Counter]:
    """Count what is in the streams of a world, and keep it."""
    counter = Counter(layout)
    yield counter
    counter.save()


def _look(path: Path) -> list[int]:
    """Tell size, time and place on the disk of a file; nothing where those do not say what is read."""
    if is_overlaid(path):
        return []
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return ABSENT
    except OSError:
        return []
    return [status.st_size, status.st_mtime_ns, status.st_ino]


def _read_notes(layout: Layout) -> dict[str, Any]:
    """Read the derived file; empty when it is absent or anything else."""
    with suppress(OSError, ValueError, RecursionError):
        notes = json.loads(read_regular(layout.census, DOCUMENT_BYTES))
        if isinstance(notes, dict):
            return notes
    return {}


def _census(note: object) -> Census | None:
    """Read what was kept of a file; None where it is nothing of the kind."""
    if not isinstance(note, dict) or note.keys() != Census.__dataclass_fields__.keys():
        return None
    census = Census(**note)
    numbers = (census.memories, census.reflections, census.highest, census.size)
    fits = all(type(number) is int for number in numbers) and isinstance(census.look, list)
    fits = fits and type(census.days) is dict and all(_is_place(place) for place in census.days.values())
    return census if fits else None


def _is_place(place: object) -> bool:
    return isinstance(place, list) and len(place) == 2 and type(place[0]) is type(place[1]) is int
