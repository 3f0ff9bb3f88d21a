"""Rules for gifted memories: they are memories, numbered in their own file, of somebody who exists."""

from __future__ import annotations

from collections.abc import Iterator

from gm.errors import Problem
from gm.memory.giving import WORLD
from gm.store.check.files import Files
from gm.store.streams.gifted import read_gifted


def nodes(files: Files) -> Iterator[Problem]:
    """Every line is a memory that can be read, with an id of its own file."""
    for name in (*files.names, WORLD):
        if files.layout.gifted(name).is_file():
            yield from read_gifted(files.layout, name).problems


RULES = (nodes,)
