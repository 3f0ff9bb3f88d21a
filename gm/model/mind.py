"""The mind of a character: a value for each layer (``gm.layers``) that has a file.

Keys marked ``OfLayer`` are asked for and read only while their layer is on.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, Literal, TypeVar, cast, get_args

if TYPE_CHECKING:  # a slow import that most callers do not need
    from pydantic import BaseModel

V = TypeVar("V")
C = TypeVar("C")
SoulKind = Literal["belief", "value", "fear", "conviction"]
GoalReported = Literal["progress", "reached", "abandoned"]
AUTO, ON, OFF = "auto", "on", "off"
SHARE = "share"
"""Name of what is asked for and read only while characters share memories; it has no file."""


@dataclass(frozen=True, slots=True, eq=False)
class LayerSlot(Generic[V, C]):
    """The place of a layer in a mind; ``empty`` is the value without a file."""

    name: str
    empty: V


@dataclass(frozen=True, slots=True)
class Mind:
    """The layers of one character, by name."""

    values: Mapping[str, object] = field(default_factory=dict)

    def __getitem__(self, slot: LayerSlot[V, C]) -> V:
        return cast("V", self.values.get(slot.name, slot.empty))

    def __contains__(self, slot: LayerSlot[V, C]) -> bool:
        return slot.name in self.values

    def __iter__(self) -> Iterator[str]:
        return iter(self.values)

    def with_value(self, slot: LayerSlot[V, C], value: V) -> Mind:
        return Mind({**self.values, slot.name: value})


@dataclass(frozen=True, slots=True)
class MindChange:
    """Changes of one step in the layers of one character, by name."""

    values: Mapping[str, object] = field(default_factory=dict)

    def __getitem__(self, slot: LayerSlot[V, C]) -> C | None:
        return cast("C | None", self.values.get(slot.name))

    def with_change(self, slot: LayerSlot[V, C], change: C | None) -> MindChange:
        rest = {name: value for name, value in self.values.items() if name != slot.name}
        return MindChange(rest if change is None else {**rest, slot.name: change})


NO_MIND = Mind()


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
        for key in waiting.pop().model_fields.values():
            for part in _parts(key.annotation):
                if part.__name__ not in found:
                    found[part.__name__] = part
                    waiting.append(part)
    return found


def _parts(annotation: object) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and hasattr(annotation, "model_fields"):
        return [annotation]
    return [part for inner in get_args(annotation) for part in _parts(inner)]


def hidden_keys(form: type[BaseModel], layers: Collection[str]) -> frozenset[str]:
    """Return the keys of a reply not asked for while only these layers are on."""
    return frozenset(name for name, layer in layer_keys(form).items() if layer not in layers)
