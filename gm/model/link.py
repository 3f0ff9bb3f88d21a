"""Memories that pass from one character to another: who asks whom, and how a copy says where it comes from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from gm.model.calendar import parse_ref


@dataclass(frozen=True, slots=True)
class LinkRequest:
    """A request that has no answer yet, an item of ``requests`` in ``state/links.json``.

    Attributes:
        asker: Who wants to have memories; ``from`` in the file.
        giver: Whose; ``to`` in the file.
        about: What they are to be about, tags or words; empty = all of them.
        at: Scene or day in which it was asked. It holds until the end of the giver's next scene.
    """

    asker: str
    giver: str
    about: tuple[str, ...] = ()
    at: str = ""


def link_record(request: LinkRequest) -> dict[str, Any]:
    """Put a request into the keys and the order of the file."""
    return {"from": request.asker, "to": request.giver, "about": list(request.about), "at": request.at}


class LinkError(ValueError):
    """A value of a request that cannot be read; ``key`` names it."""

    def __init__(self, key: str, message: str) -> None:
        super().__init__(message)
        self.key = key


def link_from_record(record: object) -> LinkRequest:
    """Read a request. Unknown keys are left alone.

    Raises:
        LinkError: It is no object, or a value cannot be read unambiguously.
    """
    if not isinstance(record, dict):
        raise LinkError("", f"{type(record).__name__} found, expected an object with from, to, about, at")
    names = {}
    for key in ("from", "to", "at"):
        value = record.get(key)
        if not isinstance(value, str) or not value.strip():
            raise LinkError(key, f"{key} is {value!r:.60}, expected a text" if key in record else f"{key} is missing")
        names[key] = value
    if parse_ref(names["at"]) is None:
        raise LinkError("at", f"at is {names['at']!r:.60}, expected a text like day-003/scene-04")
    about = record.get("about", [])
    if not isinstance(about, list) or not all(isinstance(item, str) for item in about):
        raise LinkError("about", f"about is {about!r:.60}, expected a list of texts")
    return LinkRequest(names["from"], names["to"], tuple(about), names["at"])


def sources_of(metadata: Mapping[str, Any]) -> Iterator[str]:
    """Name the memories that a copy stands for: the one it was copied from, and the first of a chain of copies."""
    for key in ("copied_from", "origin"):
        value = metadata.get(key)
        if isinstance(value, str):
            yield value
