"""What a character has beside its persona and its memory stream: a value for each layer of its mind.

A layer without a file is not in the mind. The layers are declared in ``gm.layers``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar, cast

V = TypeVar("V")
C = TypeVar("C")


@dataclass(frozen=True, slots=True, eq=False)
class Slot(Generic[V, C]):
    """The place of a layer in a mind.

    Attributes:
        name: Name of the layer and of its switch in ``gm.yaml``.
        empty: The value for a character without a file of this layer.
    """

    name: str
    empty: V


@dataclass(frozen=True, slots=True)
class Mind:
    """The layers of one character, by name; a layer without a file is left out."""

    values: Mapping[str, object] = field(default_factory=dict)

    def __getitem__(self, slot: Slot[V, Any]) -> V:
        """Return the value of a layer, or its empty value."""
        return cast("V", self.values.get(slot.name, slot.empty))

    def __contains__(self, slot: Slot[Any, Any]) -> bool:
        """Return whether the layer has a file."""
        return slot.name in self.values

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names of layers that have a file."""
        return iter(self.values)

    def with_value(self, slot: Slot[V, Any], value: V) -> Mind:
        """Return the mind with another value of one layer."""
        return Mind({**self.values, slot.name: value})


@dataclass(frozen=True, slots=True)
class MindChange:
    """Changes of one step in the layers of one character, by name; an unchanged layer is left out."""

    values: Mapping[str, object] = field(default_factory=dict)

    def __getitem__(self, slot: Slot[Any, C]) -> C | None:
        """Return the change of a layer; None for no change."""
        return cast("C | None", self.values.get(slot.name))

    def with_change(self, slot: Slot[Any, C], change: C | None) -> MindChange:
        """Return a copy with another change of one layer; None = no change there."""
        rest = {name: value for name, value in self.values.items() if name != slot.name}
        return MindChange(rest if change is None else {**rest, slot.name: change})


NO_MIND = Mind()
