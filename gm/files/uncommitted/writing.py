"""A note on which characters are writing at the moment, for the pages: a run is a process of its own."""

from __future__ import annotations

import json
from collections.abc import Callable
from threading import Lock

from gm.base.untyped import texts_in
from gm.files.formats import disk
from gm.files.layout import Layout

NAMES = "writing"


class WritingNote:
    """Keeps the note while answers arrive, and passes on what it is told. Called in several threads."""

    def __init__(self, layout: Layout, then: Callable[[str, int | None, str], None]) -> None:
        self._layout, self._then = layout, then
        self._who: dict[str, int] = {}
        self._lock = Lock()

    def __call__(self, who: str, characters: int | None, text: str) -> None:
        with self._lock:
            before = set(self._who)
            if characters is None:
                self._who.pop(who, None)
            else:
                self._who[who] = characters
            if before != self._who.keys():
                self._write_note()
        self._then(who, characters, text)

    def _write_note(self) -> None:
        try:
            disk.make_private(self._layout.derived)
            disk.replace(self._layout.writing_note, json.dumps({NAMES: sorted(self._who)}).encode())
        except OSError:
            pass  # a page shows less; the run itself says when the disk is full


def find_writers(layout: Layout) -> tuple[str, ...]:
    """Return the ids of the characters who are writing, if a run is under way: a killed one leaves its note behind."""
    return texts_in(disk.read_note(layout.writing_note).get(NAMES))
