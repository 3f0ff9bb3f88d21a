"""The places that generative agents know: a tree of worlds, sectors, arenas and objects; a sector becomes a place."""

from __future__ import annotations

from collections.abc import Iterable

from gm.api.imports.account import Account
from gm.api.imports.fields import line_of, lines_of, name_of, object_of
from gm.scene.names import slug

MOST_PLACES = 60


def read_places(trees: Iterable[object], account: Account) -> dict[str, str]:
    """Return ids and texts of places: the name, and what is where in it."""
    places: dict[str, str] = {}
    for tree in trees:
        for sectors in map(object_of, object_of(tree).values()):
            for sector, arenas in sectors.items():
                place, text = slug(sector, ""), _text(sector, arenas)
                if place and len(text) > len(places.get(place, "")):
                    places[place] = text
    if len(places) > MOST_PLACES:
        account.leave("places", f"only the first {MOST_PLACES} of {len(places)}")
    if places:
        account.took("spatial_memory", "places")
    return dict([*places.items()][:MOST_PLACES])


def place_of(address: object) -> str:
    """Return the id of the place of an address (``the Ville:Hobbs Cafe:cafe``); empty if there is none."""
    parts = line_of(address).split(":")
    return slug(parts[1], "") if len(parts) > 1 else ""


def _text(sector: str, arenas: object) -> str:
    rooms = []
    for arena, things in object_of(arenas).items():
        there = ", ".join(lines_of(things))
        rooms.append(f"{name_of(arena)} ({there})" if there else name_of(arena))
    inside = "; ".join(rooms)
    return line_of(f"{name_of(sector)}: {inside}." if inside else f"{name_of(sector)}.")
