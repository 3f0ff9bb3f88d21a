"""Copies of a world: permanent, or temporary for trials."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from gm.files.commits.snapshot import snapshot
from gm.files.formats import disk
from gm.files.formats.text import files_below, read_data
from gm.files.layout import Layout
from gm.files.media.library import list_texts
from gm.files.uncommitted.beside import editor_files
from gm.files.uncommitted.temporary import temporary_folder

_BESIDE = (".gitattributes", ".gitignore")


def copy_world(source: Layout, target: Path) -> Layout:
    """Copy a world as it is between two commits, without its lock, traces, letters and derived files.

    Raises:
        GmError: The disk refused.
    """
    copy = Layout(target)
    with disk.explained(target), snapshot(source):
        disk.make_folder(target)
        copy_files(source.root, target, _files_to_copy(source))
    return copy


def copy_files(source: Path, target: Path, paths: Iterable[Path]) -> None:
    """Copy files to the same relative paths, as recovery will leave them."""
    for path in paths:
        there = target / path.relative_to(source)
        disk.make_folder(there.parent)
        disk.replace(there, read_data(path))


def _files_to_copy(source: Layout) -> Iterator[Path]:
    yield from (path for path in (source.settings, *(source.root / name for name in _BESIDE)) if path.is_file())
    yield from editor_files(source)
    left_out = {source.traces, source.mailbox, source.derived}
    for folder in source.top_folders:
        yield from files_below(folder, left_out)


@contextmanager
def scratch(layout: Layout) -> Iterator[Layout]:
    """Copy what is needed to play a day into a temporary folder, without taking the lock.

    Raises:
        GmError: There is no room for the copy.
    """
    with temporary_folder("scratch") as folder:
        copy = Layout(folder)
        with disk.explained(copy.root), snapshot(layout):
            copy_files(layout.root, copy.root, _files_to_play(layout))
        yield copy


def _files_to_play(layout: Layout) -> Iterator[Path]:
    for path in (layout.settings, layout.run_note):
        if path.is_file():
            yield path
    left_out = {layout.traces, layout.mailbox, layout.imported, layout.derived}
    yield from (path for path in files_below(layout.gallery) if path.suffix == ".md")
    yield from list_texts(layout)
    for folder in layout.top_folders:
        if folder not in (layout.gallery, layout.library):
            yield from files_below(folder, left_out)
