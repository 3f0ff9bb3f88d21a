"""Worlds in a folder: which there are, where a new one may lie, and what would be made of it."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from gm.api.views.cast import Frame, view_frame
from gm.base.errors import GmError, UsageError
from gm.files import relative_paths
from gm.files.formats.text import files_below, list_folder, sha256
from gm.files.layout import Layout, is_nameable, worlds_in
from gm.scene.pieces.names import MOST_CHARACTERS, slug

Make = Callable[[Path], Layout]
"""Makes a world in a folder."""
USUAL = "my-world"


@dataclass(frozen=True, slots=True)
class FoundWorld:
    """A world in a folder; ``frame`` is None if it cannot be read now."""

    name: str
    layout: Layout
    frame: Frame | None


@dataclass(frozen=True, slots=True)
class PlannedWorld:
    """A world as it would be made.

    Attributes:
        texts: Contents of the files that a person writes: settings and personas.
        others: Paths of all other files.
        seal: Digest of the folder and all files.
    """

    folder: Path
    frame: Frame
    texts: tuple[tuple[str, str], ...]
    others: tuple[str, ...]
    seal: str


def find_worlds(home: Path) -> tuple[FoundWorld, ...]:
    """Return the worlds in the sub-folders of a folder, as ``files.layout.worlds_in``."""
    return tuple(map(_look_at_folder, worlds_in(home)))


def _look_at_folder(folder: Path) -> FoundWorld:
    layout = Layout(folder.resolve())
    frame = None
    with suppress(GmError, OSError):
        frame = view_frame(layout)
    return FoundWorld(folder.name, layout, frame)


def is_free_folder(home: Path) -> bool:
    """Return whether a folder holds nothing but hidden files, so that a world may lie in it."""
    return not list_folder(home)


def place_for(home: Path, name: str, title: str = "", *, within: bool = False) -> Path:
    """Return the folder for a new world.

    Args:
        name: A new sub-folder; empty = ``home`` itself if it is free, else a sub-folder named after the title.
        within: Never ``home`` itself.

    Raises:
        UsageError: The name is not a plain one, or taken.
    """
    if not name:
        if not within and is_free_folder(home):
            return home
        name = slug(title, USUAL)
    return check_free(home / require_plain_name(name))


def require_plain_name(name: str) -> str:
    """Return the name of a new folder if it is a plain one.

    Raises:
        UsageError: It is not.
    """
    plain = all(letter.isalnum() or letter in "-_" for letter in name) and name[:1].isalnum()
    if not plain or len(name) > MOST_CHARACTERS or not is_nameable(name):
        raise UsageError(
            f"{name!r} cannot be the name of a folder",
            f"letters, digits, - and _, a letter or digit first, at most {MOST_CHARACTERS}",
        )
    return name


def check_free(folder: Path) -> Path:
    """Return a folder that does not exist yet.

    Raises:
        UsageError: There is something of this name.
    """
    if folder.is_symlink() or folder.exists():
        raise UsageError(f"{folder} already exists", "choose another name")
    return folder


def plan_world(folder: Path, make: Make) -> PlannedWorld:
    """Return what would be made, without making it.

    Raises:
        UsageError: The world cannot be made of what was said.
    """
    with tempfile.TemporaryDirectory() as around:
        layout = make(Path(around) / folder.resolve().name)
        local = (layout.derived,)
        contents = {layout.shown(path): path.read_bytes() for path in files_below(layout.root, local)}
        frame = view_frame(layout)
    written = [path for path in contents if path == relative_paths.SETTINGS or path.startswith(relative_paths.PERSONAS)]
    prints = {path: sha256(data) for path, data in sorted(contents.items())}
    return PlannedWorld(
        folder,
        frame,
        tuple((path, contents[path].decode("utf-8")) for path in sorted(written)),
        tuple(path for path in prints if path not in written),
        sha256(json.dumps([str(folder), prints]).encode()),
    )


def make_world(folder: Path, make: Make, seal: str) -> Layout:
    """Make a planned world.

    Raises:
        GmError: Something else would be made by now.
    """
    if plan_world(folder, make).seal != seal:
        raise GmError("the preview is out of date", "look at it again; nothing was made")
    return make(folder)
