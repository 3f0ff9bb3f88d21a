"""Rules for gifted memories: memories, numbered in their own file, of somebody who exists; lessons were given."""

from __future__ import annotations

from collections.abc import Iterator

from gm.errors import Problem
from gm.memory.seed_memories import WORLD
from gm.store.check.files import Files
from gm.store.forms.places import yaml_place
from gm.store.forms.text import read_text
from gm.store.streams.gifted import GIVE, lessons_not_given, read_gifted


def nodes(files: Files) -> Iterator[Problem]:
    """Every line is a memory that can be read, with an id of its own file."""
    for name in (*files.names, WORLD):
        if files.layout.gifted(name).is_file():
            yield from read_gifted(files.layout, name).problems


def lessons(files: Files) -> Iterator[Problem]:
    """What all characters are to know from the start was given to them."""
    count, message = lessons_not_given(files.layout, files.settings.seeds.lessons)
    if count:
        shown = files.layout.shown(files.layout.settings)
        place = yaml_place(read_text(files.layout.settings, shown)[0].body, ("seeds", "lessons"))
        yield Problem(shown, *place, "warning", "lessons-not-given", message, GIVE)


RULES = (nodes, lessons)
