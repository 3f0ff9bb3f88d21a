"""Read and write ``state/relationships/``: what each character thinks of the others, and how that has changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gm.errors import Problem
from gm.model.record import RecordError
from gm.model.relationship import KEYS, Relationship, RelationshipChange, relationship_from_record, render_history
from gm.store.commits.steps import SetValues, Step
from gm.store.commits.writer import append_step
from gm.store.forms.document import Document, read_document
from gm.store.forms.faults import twice_problems
from gm.store.forms.jsonl import Line, read_lines
from gm.store.forms.places import json_place
from gm.store.forms.text import BOM, is_there
from gm.store.layout import Layout


def load_relationships(layout: Layout, name: str) -> tuple[Mapping[str, Relationship] | None, list[Problem]]:
    """Read what one character thinks of others; None without a file. What cannot be read is left out and reported."""
    path = layout.relationships(name)
    if not is_there(path):
        return None, []
    document, problems = read_document(path, layout.shown(path))
    found, more = read_relationships(document, layout.shown(path))
    return found, problems + more


def read_relationships(document: Document, shown: str) -> tuple[dict[str, Relationship], list[Problem]]:
    """Read the entries of a document; those that cannot be read are left out and reported."""
    body = document.text.removeprefix(BOM)
    problems = twice_problems(body, shown) if document.data else []
    found: dict[str, Relationship] = {}
    for other, record in document.data.items():
        try:
            found[other] = relationship_from_record(record)
        except RecordError as error:
            place = json_place(body, (other, *error.place))
            problems.append(Problem(shown, *place, "error", error.code, f"{other}: {error}", error.hint))
    return found, problems


def load_history(layout: Layout, name: str) -> tuple[list[Line], list[Problem]]:
    """Read how what one character thinks of others has changed, line by line, the oldest first."""
    path = layout.relationships_history(name)
    return read_lines(path, layout.shown(path))


def relationship_steps(layout: Layout, name: str, changes: Sequence[RelationshipChange]) -> list[Step]:
    """List the steps that write what one character thinks of others from now on, the history first."""
    if not changes:
        return []
    path = layout.relationships(name)
    document, _ = read_document(path, layout.shown(path))
    steps: list[Step] = []
    lines = [render_history(change) for change in changes if change.is_history]
    if lines:
        steps.append(append_step(layout, layout.relationships_history(name), lines))
    for change in changes:
        there = document.data.get(change.other)
        known: Mapping[str, Any] = there if isinstance(there, Mapping) else {}
        # a new entry shows every key, so that a person sees what there is to write
        empty = Relationship()
        new = {key: change.values.get(key, getattr(empty, key)) for key in KEYS} if not known else change.values
        # as it stands in the file, which may spell it otherwise than we do: null for an empty text
        old = {key: known[key] for key in new if key in known}
        steps.append(SetValues(layout.shown(path), old, dict(new), change.other))
    return steps
