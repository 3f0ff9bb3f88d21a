"""A world opened for reading, as in a notebook."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from gm.base.errors import Problem
from gm.files.layout import Layout, find_world
from gm.files.load import load_world
from gm.model.world import World


@dataclass(frozen=True, slots=True)
class OpenWorld:
    """A world as it was when opened; functions take ``layout`` or ``world``.

    Attributes:
        problems: What was unreadable and left out.
    """

    layout: Layout
    world: World = field(repr=False)
    problems: tuple[Problem, ...]


def open_world(folder: str | os.PathLike[str] = ".") -> OpenWorld:
    """Read the world in a folder.

    Raises:
        NoWorldError: The folder is no world.
    """
    layout = find_world(Path(folder), named=True)
    loaded = load_world(layout)
    return OpenWorld(layout, loaded.world, tuple(loaded.problems))
