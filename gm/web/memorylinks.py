"""Where a memory is shown: on a page of its own where a server answers, else in a list of its owner's memories."""

from __future__ import annotations

from gm.model.fold import fold
from gm.model.ids import parse_node_id
from gm.tools.views.stream import pages_of
from gm.web.paths import safe_name
from gm.web.site import Site


def owner_of(site: Site, identifier: str) -> str | None:
    """Tell whose memory an id names; None when nobody in the cast is meant."""
    parsed = parse_node_id(fold(identifier))
    if parsed is None:
        return None
    return next((face.id for face in site.frame.cast if fold(face.id) == parsed[0]), None)


def place_of(site: Site, owner: str, identifier: str) -> int | None:
    """Tell on which page of its owner's memories one stands; None where it stands on none."""
    if owner not in site.places:
        site.places[owner] = pages_of(site.memories, owner)
    return site.places[owner].get(fold(identifier))


def anchor_of(identifier: str) -> str:
    """Name the place of a memory on the page on which it is listed."""
    return f"mem_{safe_name(fold(identifier))}"
