"""Notes of pending batches: ``state/traces/day-003/batch-1.json``.

A note is synced to disk before a call returns, so that a paid batch is fetched even after a kill. An unreadable note
stops the run, because it may refer to a paid batch.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from gm.base.errors import GmError
from gm.base.texts import is_digits
from gm.files.formats import disk
from gm.files.formats.disk import make_private
from gm.files.formats.text import list_folder
from gm.files.layout import Layout

PREFIX = "batch-"
SUFFIX = ".json"


class BatchFolder:
    """The notes of a world, named by their paths inside it. All methods raise ``GmError`` on failure."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout

    def of_day(self, day: str) -> dict[str, Mapping[str, Any]]:
        """Return the notes of a day by name, in the order of their numbers."""
        paths = [path for path in list_folder(self._layout.traces / day) if _number_of(path)]
        return {self._layout.shown(path): self._read_note(path) for path in sorted(paths, key=_number_of)}

    def add(self, day: str, note: Mapping[str, Any]) -> str:
        """Write a new note, sync it, and return its name."""
        folder = self._layout.traces / day
        number = 1 + max((_number_of(path) for path in list_folder(folder)), default=0)
        path = folder / f"{PREFIX}{number}{SUFFIX}"
        with disk.explained(path):
            make_private(self._layout.traces)
            disk.make_folder_synced(folder)
            self._write_note(path, note)
        return self._layout.shown(path)

    def change(self, name: str, note: Mapping[str, Any]) -> None:
        """Replace a note, and sync it."""
        path = self._layout.root / name
        with disk.explained(path):
            self._write_note(path, note)

    def _write_note(self, path: Path, note: Mapping[str, Any]) -> None:
        text = json.dumps(note, ensure_ascii=False, indent=1) + "\n"
        disk.replace_synced(path, text.encode("utf-8", "surrogatepass"))

    def _read_note(self, path: Path) -> Mapping[str, Any]:
        with suppress(OSError):
            note = disk.read_note(path)
            if _is_note(note):
                return note
        raise GmError(
            f"{self._layout.shown(path)} cannot be read: it says which batch of questions is under way",
            "correct it by hand; or delete it, then its questions are asked anew and paid for again",
        )


def _is_note(note: Mapping[str, Any]) -> bool:
    return (
        isinstance(note.get("questions"), dict)
        and isinstance(note.get("failed", {}), dict)
        and isinstance(note.get("after"), str)
        and isinstance(note.get("batch"), str)
    )


def _number_of(path: Path) -> int:
    number = path.name.removeprefix(PREFIX).removesuffix(SUFFIX)
    is_note = path.name == f"{PREFIX}{number}{SUFFIX}"
    return int(number) if is_note and is_digits(number) else 0
