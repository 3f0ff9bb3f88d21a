"""What makes a form that changes the world."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from gm.web.pages.kind import Params, Query
from gm.web.site import Site

Fields = Mapping[str, str]
"""What stands in the fields of a form, by their names."""
Act = Callable[[], object]
"""A call of a function of ``gm.tools`` that commits once."""


def show_nothing(site: Site, params: Params, fields: Fields) -> Mapping[str, Any]:
    """Read nothing beside the fields."""
    return {}


@dataclass(frozen=True, slots=True)
class Action:
    """One thing that can be changed by a form. It is shown before it is written, and written as it was shown.

    Attributes:
        name: Names its words: ``edit.<name>.title``, ``edit.<name>.saved``; and its template, ``forms/<name>.html``.
        pattern: Path of the form, with ``{names}`` of its parameters.
        section: Which entry of the navigation it belongs to.
        begin: Fills in the form as it is first shown. Raises ``NoPageError`` when there is nothing to change.
        plan: Turns what was filled in into what is to be done. Nothing is done before it is called. Raises
            ``UsageError`` when something makes no sense.
        place: Tells the path of the page to go to: with what the act returned, or with None when nothing was done.
        show: Reads what its template shows beside the fields.
        required: Fields that must not be empty.
    """

    name: str
    pattern: str
    section: str
    begin: Callable[[Site, Params, Query], Fields]
    plan: Callable[[Site, Params, Fields], Act]
    place: Callable[[Site, Params, object], str]
    show: Callable[[Site, Params, Fields], Mapping[str, Any]] = show_nothing
    required: tuple[str, ...] = ()
