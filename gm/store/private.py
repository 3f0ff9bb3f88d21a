"""Folders that git leaves alone: what is derived, and what is kept for provenance only."""

from __future__ import annotations

from pathlib import Path

IGNORE = (
    "# Nothing in this folder is a part of the world. Delete this file to keep the folder in git all the same.\n*\n"
)


def make_private(folder: Path) -> None:
    """Make a folder that git ignores. One that exists stays as it is: a person may have decided otherwise."""
    if folder.is_dir():
        return
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ".gitignore").write_text(IGNORE, encoding="utf-8")
