"""Pending requests for memories, ``state/links.json``.

Wall-clock times must not be in the files of a world, so they are in ``state/.gm/links.json``; without one, a request is
valid as long as the story permits.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from gm.base.config.kinds import is_number
from gm.base.errors import Problem, say_unexpected
from gm.base.texts import shown as quoted
from gm.files.commits.steps import SetValues
from gm.files.formats import disk
from gm.files.formats.disk import make_private
from gm.files.formats.document import read_document
from gm.files.formats.faults import find_duplicate_keys
from gm.files.formats.places import json_place
from gm.files.layout import Layout
from gm.files.reading.records import document_problem
from gm.model.link import LINK_REQUEST, LinkRequest
from gm.model.record import RecordError

HINT = '{"requests": []} means that no request waits'


def load_links(layout: Layout) -> tuple[tuple[LinkRequest, ...], list[Problem]]:
    """Read the pending requests; an absent file means none, unreadable items are skipped and reported."""
    shown = layout.shown(layout.links)
    document, problems = read_document(layout.links, shown)
    text = document.body
    if document.data:
        problems += find_duplicate_keys(text, shown)
    items = document.data.get("requests", [])
    if not isinstance(items, list):
        place = json_place(text, ("requests",))
        message = say_unexpected("requests", quoted(items), "a list")
        return (), [*problems, Problem(shown, *place, "error", "link-form", message, HINT)]
    found = []
    for index, item in enumerate(items):
        try:
            found.append(LINK_REQUEST.read(item))
        except RecordError as error:
            problems.append(document_problem(shown, text, error, "requests", index))
    return tuple(found), problems


def links_step(layout: Layout, links: Sequence[LinkRequest]) -> SetValues:
    """Return the step that writes the pending requests; keys added by a person are kept."""
    document, _ = read_document(layout.links, layout.shown(layout.links))
    old = {"requests": document.data["requests"]} if "requests" in document.data else {}
    known = {(item.get("from"), item.get("to")): item for item in old.get("requests", ()) if isinstance(item, dict)}
    # a kept item keeps the keys that a person has added
    new = [known.get((link.asker, link.giver), {}) | LINK_REQUEST.write(link) for link in links]
    return SetValues(layout.shown(layout.links), old, {"requests": new})


def read_asked_at(layout: Layout, asker: str, giver: str) -> float | None:
    """Return when a request was made, in seconds since the epoch; None when unknown."""
    value = disk.read_note(layout.links_note).get(f"{asker} {giver}")
    return float(value) if is_number(value) else None


def note_asked_at(layout: Layout, asker: str, giver: str, now: float | None) -> None:
    """Note when a request was made, None to delete the note. The caller holds the lock of the world."""
    notes = {key: value for key, value in disk.read_note(layout.links_note).items() if key != f"{asker} {giver}"}
    if now is not None:
        notes[f"{asker} {giver}"] = now
    with disk.explained(layout.links_note):
        make_private(layout.derived)
        disk.replace(layout.links_note, f"{json.dumps(notes)}\n".encode())
