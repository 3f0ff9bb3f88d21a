"""Rules for the layout of JSON documents: any is read and kept."""

from __future__ import annotations

import json
from collections.abc import Iterator

from gm.base.errors import Problem
from gm.files.check.files import Doc, Files
from gm.files.forms.faults import twice_problems
from gm.files.forms.text import place_in

_INDENTS: tuple[int | str | None, ...] = (None, 0, 1, 2, 3, 4, 8, "\t")
_SEPARATORS = (None, (",", ":"))


def layout(files: Files) -> Iterator[Problem]:
    """Report documents with a layout of no JSON writer: they are changed value by value."""
    for doc in (files.world, files.bulletin, *files.agents.values()):
        if doc.data and not twice_problems(doc.body, doc.shown):
            yield from _own_layout(doc)


def _own_layout(doc: Doc) -> Iterator[Problem]:
    text = doc.body.replace("\r\n", "\n").rstrip("\n")
    furthest = 0
    for indent in _INDENTS:
        for separators in _SEPARATORS:
            for ascii_only in (False, True):
                written = json.dumps(doc.data, ensure_ascii=ascii_only, indent=indent, separators=separators)
                if written == text:
                    return
                furthest = max(furthest, _same(written, text))
    message = "laid out by hand, as no JSON writer does from here on; gm changes single values and keeps the rest"
    yield Problem(doc.shown, *place_in(text, furthest), "info", "json-layout", message)


def _same(one: str, other: str) -> int:
    for place, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return place
    return min(len(one), len(other))


RULES = (layout,)
