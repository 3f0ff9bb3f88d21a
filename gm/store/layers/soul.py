"""Read and write ``state/souls/<name>.yaml``: lists of sentences by kind, written by people and by the characters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from gm.errors import Problem
from gm.model.soul import Soul, SoulChange, SoulEntry
from gm.store.commits.steps import Step
from gm.store.layers.mindfile import mapping_step, read_mind_file
from gm.store.layout import Layout


def load_soul(layout: Layout, name: str) -> tuple[Soul, list[Problem]]:
    """Read a soul. What is no text in it is left out; ``gm check`` names it."""
    data, present, problems = read_mind_file(layout, layout.soul(name))
    return Soul(tuple(_entries(data)), present), problems


def soul_steps(layout: Layout, name: str, change: SoulChange) -> list[Step]:
    """List the steps that add sentences to a soul and take some out of it; everything else stays to the byte.

    Raises:
        GmError: The file is not such that single values can be changed in it.
    """
    path = layout.soul(name)
    data, _, _ = read_mind_file(layout, path)
    kinds = dict.fromkeys(entry.kind for entry in (*change.removed, *change.added))
    new = {kind: _changed(data.get(kind), kind, change) for kind in kinds}
    old = {kind: data[kind] for kind in kinds if kind in data}
    return [mapping_step(layout, path, old, new)] if new else []


def _entries(data: Mapping[str, Any]) -> Iterator[SoulEntry]:
    for kind, items in data.items():
        for item in items if isinstance(items, list) else [items]:
            if isinstance(item, str) and item.strip():
                yield SoulEntry(kind, _words(item))


def _changed(value: Any, kind: str, change: SoulChange) -> list[Any]:
    items = value if isinstance(value, list) else [] if value is None else [value]
    removed = {entry.text for entry in change.removed if entry.kind == kind}
    kept = [item for item in items if not (isinstance(item, str) and _words(item) in removed)]
    return [*kept, *(entry.text for entry in change.added if entry.kind == kind)]


def _words(text: str) -> str:
    return " ".join(text.split())
