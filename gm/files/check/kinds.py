"""Rules checked before anything is read: files are regular files, folders are folders, links stay inside the world."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from gm.base.errors import Problem
from gm.base.regular import leads_out, refuse_other
from gm.files.formats.text import unreadable
from gm.files.layout import Layout, file_name_problem, is_nameable

ENDINGS = (".json", ".jsonl", ".yaml", ".yml", ".md", ".j2")


def check_kinds(layout: Layout) -> Iterator[Problem]:
    """Yield what cannot be opened: a FIFO, a device, a folder in place of a file, a link out of the world."""
    for path in layout.own_files:
        if os.path.lexists(path):
            yield from _check_file(layout, path)
    for path in layout.own_folders:
        if os.path.lexists(path):
            yield from _folder(layout, path)


def _folder(layout: Layout, path: Path) -> Iterator[Problem]:
    shown = layout.shown(path)
    if not path.is_dir():
        if path.is_symlink() and not path.exists():
            yield from _check_file(layout, path)
        else:
            hint = "move it away; gm makes the folder when it needs it"
            yield _error_at(shown, "file-kind", "cannot be read: found a file, expected a folder", hint)
        return
    if (target := leads_out(path)) is not None:
        yield _outside_problem(shown, target)
        return
    try:
        with os.scandir(path) as found:
            entries = sorted(found, key=lambda entry: os.fsencode(entry.name))
    except OSError as error:
        yield unreadable(error, shown)
        return
    for entry in entries:
        if entry.name.startswith(".") and path != layout.state:
            continue
        yield from _check_entry(layout, path, entry)


def _check_entry(layout: Layout, folder: Path, entry: os.DirEntry[str]) -> Iterator[Problem]:
    place = folder / entry.name
    if not is_nameable(entry.name):
        yield file_name_problem(layout.shown(place))
    if layout.library in (folder, *folder.parents):
        return  # the library reports these itself
    is_folder = entry.is_dir(follow_symlinks=False)
    if is_folder and entry.name.endswith(ENDINGS) and layout.gallery not in (folder, *folder.parents):
        yield from _check_file(layout, place)
    elif is_folder:
        if place not in layout.own_folders:
            yield from _folder(layout, place)
    elif entry.is_file(follow_symlinks=False):
        if not os.access(place, os.R_OK):
            yield _error_at(layout.shown(place), "file-unreadable", "cannot be read: Permission denied", "chmod u+r")
    elif entry.is_symlink() and place.is_dir() and not entry.name.endswith(ENDINGS):
        if (target := leads_out(place)) is not None:
            yield _outside_problem(layout.shown(place), target)
    else:
        yield from _check_file(layout, place)


def _check_file(layout: Layout, path: Path) -> Iterator[Problem]:
    try:
        refuse_other(path)
    except OSError as error:
        yield unreadable(error, layout.shown(path))


def _outside_problem(shown: str, target: str) -> Problem:
    hint = "put a copy of the folder into the world instead; links inside a world are fine"
    return _error_at(shown, "link-outside", f"cannot be read: a link leads out of the world, to {target}", hint)


def _error_at(shown: str, code: str, message: str, hint: str) -> Problem:
    return Problem(shown, 0, 0, "error", code, message, hint)
