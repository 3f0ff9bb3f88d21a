"""A copy of a world to try things out in, so that nothing happens to the world itself."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gm.store.commits.copying import copy_files
from gm.store.commits.snapshot import snapshot
from gm.store.forms import disk
from gm.store.forms.text import files_below
from gm.store.layout import Layout
from gm.store.library import texts_of
from gm.store.temporary import temporary_folder


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
            copy_files(layout.root, copy.root, _sources(layout))
        yield copy


def _sources(layout: Layout) -> Iterator[Path]:
    for path in (layout.settings, layout.run_note):
        if path.is_file():
            yield path
    left_out = {layout.traces, layout.mailbox, layout.derived}
    yield from (path for path in files_below(layout.gallery) if path.suffix == ".md")
    yield from texts_of(layout)
    for folder in (layout.prompts, layout.scripts, layout.state, layout.logbook):
        if folder != layout.logbook or not folder.is_relative_to(layout.state):
            yield from files_below(folder, left_out)
