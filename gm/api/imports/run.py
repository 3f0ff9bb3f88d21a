"""Bring characters, lore and memories of other tools into a world (``gm import``)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gm.api.imports.arrival import Arrival, Source, Wish
from gm.api.imports.formats import choose_format
from gm.api.imports.landing import Imported, land
from gm.api.imports.lore import LIBRARY
from gm.api.imports.opening import open_source
from gm.api.imports.texts import clean_line
from gm.api.imports.tinytroupe import join_fragments
from gm.base.errors import UsageError, refuse_errors
from gm.files.layout import Layout
from gm.files.load import load_cast
from gm.files.now import load_settings
from gm.model.character import known_agent


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the user says about an import.

    Attributes:
        name: What the one character who comes is to be called; empty = as in the source.
        user: Whom the source calls its user; empty = the person outside of the world.
        lore: ``library`` or ``gifted``; empty = as the format usually has it.
        holder: Id or name of the character who is to remember lore; empty = nobody of the world.
    """

    name: str = ""
    user: str = ""
    lore: str = ""
    holder: str = ""


def import_files(
    layout: Layout, paths: Sequence[Path], wanted: Wanted, *, write: bool = True
) -> tuple[Imported, list[str]]:
    """Bring files into a world, all of them or none; return what was written, and notes.

    Args:
        write: If False, only return what would be written.

    Raises:
        UsageError: A file cannot be read, has no known format, or brings a character who exists.
        BrokenWorldError: Files of the world that are needed cannot be read.
    """
    wish = _wish(layout, wanted)
    sources = join_fragments([open_source(path) for path in paths])
    arrivals = [(source, _read(source, wish)) for source in sources]
    if wanted.name and sum(len(arrival.people) for _, arrival in arrivals) != 1:
        raise UsageError("--as names one character, and these files do not bring exactly one", "import them one by one")
    return land(layout, arrivals, write=write)


def _read(source: Source, wish: Wish) -> Arrival:
    return choose_format(source).read(source, wish)


def _wish(layout: Layout, wanted: Wanted) -> Wish:
    settings, problems = load_settings(layout)
    refuse_errors(problems, "gm.yaml cannot be read", "correct it by hand; nothing was written")
    if wanted.name and not clean_line(wanted.name):
        raise UsageError("--as has no letters", "name the character")
    holder = ""
    if wanted.holder:
        if wanted.lore == LIBRARY:
            raise UsageError("--for and --lore library exclude each other", "characters look up the library themselves")
        cast, _ = load_cast(layout)
        holder = cast[known_agent(cast, wanted.holder)].name
    return Wish(
        language=settings.language,
        user=clean_line(wanted.user) or settings.outside,
        user_named=bool(clean_line(wanted.user)),
        name=clean_line(wanted.name),
        holder=holder,
        lore=wanted.lore,
        seed=settings.seed,
    )
