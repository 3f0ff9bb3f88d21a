"""A world as it was after a scene or a day, and the world as it is now beside it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from gm.api.history.git.repository import Repository, find_repository
from gm.base.errors import GmError
from gm.files import inside
from gm.files.forms.text import read_data
from gm.files.layout import Layout
from gm.files.scenelines import SceneLine, read_scene_lines
from gm.model.calendar import SceneRef

FROM_COMMIT = "commit"
FROM_RECORD = "record"


@dataclass(frozen=True, slots=True)
class Edit:
    """What a person changed in a file, and gm did not.

    Attributes:
        path: The file.
        since: After which scene or day it was last as gm had written it; empty = not known.
        kept: Whether it is still there in the world of the moment.
        lost: Lines that go although they were edited.
    """

    path: str
    since: str
    kept: bool
    lost: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Moment:
    """The world as it was.

    Attributes:
        ref: After which scene, or which day.
        source: ``commit`` or ``record``.
        commit: Id of the commit; empty where it comes from the record.
        files: Contents that differ from what is there now, by path; None = there was no such file.
        edits: What a person changed since.
        entries: How many lines of the record are from before it; the rest is taken back.
    """

    ref: SceneRef
    source: str
    commit: str
    files: Mapping[str, bytes | None]
    edits: tuple[Edit, ...] = ()
    entries: int = 0
    notes: tuple[str, ...] = field(default=())


def repository_of(layout: Layout) -> Repository | None:
    """Find the repository around a world; None without one, or without git."""
    try:
        return find_repository(layout.root)
    except GmError:
        return None


def now(layout: Layout, path: str) -> bytes | None:
    """Read a file as it is; None when there is none."""
    with suppress(FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return read_data(layout.root / path)
    return None


def scenes_now(layout: Layout, day: int) -> tuple[SceneLine, ...]:
    """Read the scenes that the logbook of a day has as it is."""
    return read_scene_lines(day, now(layout, layout.shown(layout.day_log(day))) or b"")


def is_played(layout: Layout, path: str) -> bool:
    """Tell whether a file is one that days are written to, and comes back with them."""
    log = f"{layout.shown(layout.logbook)}/"
    within = path.startswith((inside.STATE, inside.GALLERY, log)) and not path.startswith(inside.LOCAL)
    return within and inside.is_written(path)
