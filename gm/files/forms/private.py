"""Folders that git ignores: derived data and provenance."""

from __future__ import annotations

from pathlib import Path
from threading import Lock

from gm.files.forms import disk

IGNORE = (
    "# Nothing in this folder is a part of the world. Delete this file to keep the folder in git all the same.\n*\n"
)


_ONE_AT_A_TIME = Lock()


def make_private(folder: Path) -> None:
    """Create a folder with a ``.gitignore``, atomically. An existing folder stays as the user has it."""
    with _ONE_AT_A_TIME:
        if folder.is_dir():
            return
        beside = folder.with_name(f".{folder.name}.new")
        disk.make_folder(beside)
        disk.replace(beside / ".gitignore", IGNORE.encode())
        disk.rename(beside, folder)
