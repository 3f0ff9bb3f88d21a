"""A whole world once more in another folder, to be played on there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from gm.store.commits.snapshot import snapshot
from gm.store.forms import disk
from gm.store.forms.text import files_below, read_data
from gm.store.layout import Layout

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
