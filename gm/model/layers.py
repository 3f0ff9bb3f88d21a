"""When a layer of a mind is on, and which keys of a reply belong to it.

With ``auto``, a layer is on once a character has a file of it. Keys marked ``OfLayer`` are asked for and read only
while their layer is on. All characters share one form: another schema would invalidate provider caches.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, get_args

if TYPE_CHECKING:  # a slow import that most callers do not need
    from pydantic import BaseModel

AUTO, ON, OFF = "auto", "on", "off"


@dataclass(frozen=True, slots=True)
class OfLayer:
    """Marks a key of a reply that belongs to a layer."""

    name: str


def is_on(switch: str, present: bool) -> bool:
    """Return whether a layer is on; ``present``: a character has a file of it."""
    return switch == ON or (switch == AUTO and present)


def layer_keys(form: type[BaseModel]) -> Mapping[str, str]:
    """Return the keys of a reply that belong to a layer, with the layer of each."""
    return {
        name: mark.name
        for name, field in form.model_fields.items()
        for mark in field.metadata
        if isinstance(mark, OfLayer)
    }


def inner_forms(form: type[BaseModel]) -> Mapping[str, type[BaseModel]]:
    """Return the forms nested in a reply, by their names in its schema."""
    found: dict[str, type[BaseModel]] = {}
    waiting = [form]
    while waiting:
        for field in waiting.pop().model_fields.values():
            for part in _parts(field.annotation):
                if part.__name__ not in found:
                    found[part.__name__] = part
                    waiting.append(part)
    return found


def _parts(annotation: object) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and hasattr(annotation, "model_fields"):
        return [annotation]
    return [part for inner in get_args(annotation) for part in _parts(inner)]


def hidden_keys(form: type[BaseModel], layers: Collection[str]) -> frozenset[str]:
    """Return the keys of a reply that are not asked for while only these layers are on."""
    return frozenset(name for name, layer in layer_keys(form).items() if layer not in layers)
