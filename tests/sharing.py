"""Worlds that all workers of one run have in common: the first that needs one makes it, the others wait for it."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from gm.files.layout import Layout


def folder_of_all(factory: pytest.TempPathFactory) -> Path:
    """Return a folder that all workers of this run have in common."""
    base = factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "shared-worlds"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def once(folder: Path, make: Callable[[Path], Layout]) -> Layout:
    """Make a world, or take the one that another worker made or is making.

    Args:
        folder: Where; its parent exists, and all workers have it in common.
        make: Makes it in an empty folder.
    """
    with open(folder.with_suffix(".lock"), "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        note = folder.with_suffix(".made")
        if not note.exists():
            shutil.rmtree(folder, ignore_errors=True)
            note.write_text(str(make(folder).root), encoding="utf-8")
        return Layout(Path(note.read_text(encoding="utf-8")))
