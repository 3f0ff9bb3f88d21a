"""What every page that tells of scenes needs: the world's own names for types, times and places, and pieces of work."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from gm.tools.views.gallery import NamedPiece, named_pieces
from gm.tools.views.scenes import SceneKind, scene_kinds
from gm.web.language import Words
from gm.web.media import piece_key
from gm.web.site import Site


def telling(site: Site, pieces: Iterable[str] = ()) -> dict[str, Any]:
    """Give the variables that templates of scenes share.

    Args:
        site: The site.
        pieces: Paths of the pieces of work that the page names.
    """
    found: Mapping[str, NamedPiece] = named_pieces(site.layout, pieces)
    return {
        "type_name": name_types(site),
        "time_name": lambda time: site.words.known("time_of_day", time),
        "place_name": name_place,
        "pieces": found,
        "logged": frozenset(site.layout.logged_days()),
        "key": piece_key,
        "signed": signed(site.words),
    }


def name_types(site: Site) -> Callable[[str], str]:
    """Make what names a type of scenes: the world's own word, else the interface's, else the logbook's."""
    kinds = scene_kinds(site.layout, site.frame.language)
    return lambda written: " + ".join(_name(kinds, site.words, part) for part in written.split("+"))


def _name(kinds: Mapping[str, SceneKind], words: Words, name: str) -> str:
    kind = kinds.get(name)
    return kind.title if kind and kind.title else words.known("scene_type", name)


def name_place(place: str) -> str:
    """Write the id of a place as a word: ``living-room`` is a Living room."""
    words = place.replace("-", " ").replace("_", " ").strip()
    return words[:1].upper() + words[1:]


def signed(words: Words) -> Callable[[float], str]:
    """Make what writes a number with its sign and as few digits as it has."""

    def write(value: float) -> str:
        digits = 0 if float(value).is_integer() else 1 if float(value * 10).is_integer() else 2
        if not value:
            return "0"
        return ("−" if value < 0 else "+") + words.number(abs(value), digits)

    return write
