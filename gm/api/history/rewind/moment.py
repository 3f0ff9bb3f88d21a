"""A world after a scene or a day, and its current files."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from gm.files import inside
from gm.files.forms.text import read_data
from gm.files.layout import Layout
from gm.files.scenelines import SceneLine, read_scene_lines
from gm.model.calendar import SceneRef

FROM_COMMIT = "commit"
FROM_RECORD = "record"


@dataclass(frozen=True, slots=True)
class Edit:
    """A change by hand.

    Attributes:
        since: Last moment at which the file was as gm wrote it; empty = unknown.
        kept: Whether the edit survives the rewind.
        lost: Edited lines that do not.
    """

    path: str
    since: str
    kept: bool
    lost: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Moment:
    """The world at a moment.

    Attributes:
        ref: A scene, or the end of a day.
        source: ``commit`` or ``record``.
        commit: Id, or empty.
        files: Contents that differ from the current ones, by path; None = no such file.
        entries: Number of lines of the record before the moment; later ones are removed.
    """

    ref: SceneRef
    source: str
    commit: str
    files: Mapping[str, bytes | None]
    edits: tuple[Edit, ...] = ()
    entries: int = 0
    notes: tuple[str, ...] = field(default=())


def now(layout: Layout, path: str) -> bytes | None:
    """Return the current content of a file, or None."""
    with suppress(FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return read_data(layout.root / path)
    return None


def scenes_now(layout: Layout, day: int) -> tuple[SceneLine, ...]:
    """Return the scenes in a day's current logbook."""
    return read_scene_lines(day, now(layout, layout.shown(layout.day_log(day))) or b"")


def is_played(layout: Layout, path: str) -> bool:
    """Return whether days write to a file, so that a rewind restores it."""
    log = f"{layout.shown(layout.logbook)}/"
    within = path.startswith((inside.STATE, inside.GALLERY, log)) and not path.startswith(inside.LOCAL)
    return within and inside.is_written(path)
