"""Copies of a world: whole in another folder, to be played on there, or for as long as something is tried out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from gm.files.commits.snapshot import snapshot
from gm.files.forms import disk
from gm.files.forms.text import files_below, read_data
from gm.files.layout import Layout
from gm.files.library import texts_of
from gm.files.temporary import temporary_folder

_BESIDE = (".gitattributes", ".gitignore")


def copy_world(source: Layout, target: Path) -> Layout:
    """Copy a world as it is between two commits, without taking its lock.

    Copied are settings, prompts, scripts, state, logbook, gallery and library. What stays behind is what a world keeps
    for itself and git does not: traces, letters, what is derived. So the copy has no calls in its past.

    Args:
        source: The world.
        target: Folder of the copy.

    Raises:
        GmError: The disk refused.
    """
    copy = Layout(target)
    with disk.explained(target), snapshot(source):
        disk.make_folder(target)
        copy_files(source.root, target, _files(source))
    return copy


def copy_files(source: Path, target: Path, paths: Iterable[Path]) -> None:
    """Copy files of one folder to the same places in another, each as it will be once a write is finished."""
    for path in paths:
        there = target / path.relative_to(source)
        disk.make_folder(there.parent)
        disk.replace(there, read_data(path))


def _files(source: Layout) -> Iterator[Path]:
    yield from (path for path in (source.settings, *(source.root / name for name in _BESIDE)) if path.is_file())
    left_out = {source.traces, source.mailbox, source.derived}
    for folder in (source.prompts, source.scripts, source.state, source.gallery, source.library, source.logbook):
        if folder != source.logbook or not folder.is_relative_to(source.state):
            yield from files_below(folder, left_out)


@contextmanager
def scratch(layout: Layout) -> Iterator[Layout]:
    """Copy what a day is played from into a folder of its own, which is gone afterwards.

    Copied are settings, prompts, scripts and state, as they are between two commits; without traces, letters and what
    is derived, but with the note on how far an unfinished run goes; of gallery and library, the texts. Nothing is
    written to the world, and its lock is not taken.

    Yields:
        The copy.

    Raises:
        GmError: There is no room for the copy.
    """
    with temporary_folder("scratch") as folder:
        copy = Layout(folder)
        with disk.explained(copy.root), snapshot(layout):
            copy_files(layout.root, copy.root, _played_from(layout))
        yield copy


def _played_from(layout: Layout) -> Iterator[Path]:
    for path in (layout.settings, layout.run_note):
        if path.is_file():
            yield path
    left_out = {layout.traces, layout.mailbox, layout.derived}
    yield from (path for path in files_below(layout.gallery) if path.suffix == ".md")
    yield from texts_of(layout)
    for folder in (layout.prompts, layout.scripts, layout.state, layout.logbook):
        if folder != layout.logbook or not folder.is_relative_to(layout.state):
            yield from files_below(folder, left_out)
