"""Requests for other characters' memories, and the sources of copies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gm.base.config import kinds
from gm.base.untyped import text_at
from gm.model.calendar import MOMENT
from gm.model.record import Key, Record


@dataclass(frozen=True, slots=True)
class LinkRequest:
    """A pending request; ``LINK_REQUEST`` describes the attributes."""

    asker: str
    giver: str
    about: tuple[str, ...] = ()
    at: str = ""


LINK_REQUEST = Record(
    LinkRequest,
    "request for memories",
    Key("from", kinds.words, "the id of the character who wants to have memories", field="asker"),
    Key("to", kinds.words, "the id of the character whose memories they are", field="giver"),
    Key("about", kinds.texts, "what they are to be about, tags or words; [] = all of them", default=()),
    Key("at", MOMENT, "the scene or day in which it was asked; it holds until the end of the giver's next scene"),
    code="link-form",
    hint='write {from, to, about, at}, or take the request out; {"requests": []} means that no request waits',
)
"""An item of ``requests`` in ``state/links.json``."""


def sources_of(metadata: Mapping[str, object]) -> Iterator[str]:
    """Return the memories that a copy stands for: its source, and the origin of a chain of copies."""
    return filter(None, (text_at(metadata, "copied_from"), text_at(metadata, "origin")))
