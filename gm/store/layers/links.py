"""Requests for memories that wait, ``state/links.json``: read with their problems, and written."""

from __future__ import annotations

from collections.abc import Sequence

from gm.errors import Problem
from gm.model.link import LinkRequest, link_from_record, link_record
from gm.model.record import RecordError
from gm.store.commits.steps import SetValues
from gm.store.forms.document import read_document
from gm.store.forms.faults import twice_problems
from gm.store.forms.places import json_place
from gm.store.forms.text import BOM
from gm.store.layout import Layout
from gm.texts import shown as quoted

HINT = '{"requests": []} means that no request waits'


def load_links(layout: Layout) -> tuple[tuple[LinkRequest, ...], list[Problem]]:
    """Read who has asked whom; an absent file means nobody, and what cannot be read is left out and reported."""
    shown = layout.shown(layout.links)
    document, problems = read_document(layout.links, shown)
    text = document.text.removeprefix(BOM)
    if document.data:
        problems += twice_problems(text, shown)
    items = document.data.get("requests", [])
    if not isinstance(items, list):
        place = json_place(text, ("requests",))
        message = f"requests is {quoted(items)}, expected a list"
        return (), [*problems, Problem(shown, *place, "error", "link-form", message, HINT)]
    found = []
    for index, item in enumerate(items):
        try:
            found.append(link_from_record(item))
        except RecordError as error:
            place = json_place(text, ("requests", index, *error.place))
            problems.append(Problem(shown, *place, "error", error.code, error.message, error.hint))
    return tuple(found), problems


def links_step(layout: Layout, links: Sequence[LinkRequest]) -> SetValues:
    """Make the step that writes who waits from now on; what a person wrote beside it stays."""
    document, _ = read_document(layout.links, layout.shown(layout.links))
    old = {"requests": document.data["requests"]} if "requests" in document.data else {}
    known = {(item.get("from"), item.get("to")): item for item in old.get("requests", ()) if isinstance(item, dict)}
    # an item that stays keeps what a person has added to it
    new = [known.get((link.asker, link.giver), {}) | link_record(link) for link in links]
    return SetValues(layout.shown(layout.links), old, {"requests": new})
