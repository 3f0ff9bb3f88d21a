"""What a character has beside its persona and its memory stream: a value for each layer of its mind.

A layer without a file is not in the mind: that is the only spelling of absence. What the layers are is declared in
``gm.layers``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar, cast

V = TypeVar("V")
C = TypeVar("C")


@dataclass(frozen=True, slots=True, eq=False)
class Slot(Generic[V, C]):
    """Where a layer lies in a mind.

    Attributes:
        name: Name of the layer; its switch in ``gm.yaml`` is called so.
        empty: The value of a character that has no file of this layer.
    """

    name: str
    empty: V


@dataclass(frozen=True, slots=True)
class Mind:
    """The layers of one character.

    Attributes:
        values: By the name of the layer; a layer without a file is left out.
    """

    values: Mapping[str, object] = field(default_factory=dict)

    def __getitem__(self, slot: Slot[V, Any]) -> V:
        """Return the value of a layer; its empty value without a file."""
        return cast("V", self.values.get(slot.name, slot.empty))

    def __contains__(self, slot: Slot[Any, Any]) -> bool:
        """Return whether there is a file of a layer."""
        return slot.name in self.values

    def __iter__(self) -> Iterator[str]:
        """Return the names of the layers of which there are files."""
        return iter(self.values)

    def with_value(self, slot: Slot[V, Any], value: V) -> Mind:
        """Return the mind with another value of one layer."""
        return Mind({**self.values, slot.name: value})


@dataclass(frozen=True, slots=True)
class MindChange:
    """What one step changes in the layers of one character.

    Attributes:
        values: By the name of the layer; a layer in which nothing changes is left out.
    """

    values: Mapping[str, object] = field(default_factory=dict)

    def __getitem__(self, slot: Slot[Any, C]) -> C | None:
        """Return what changes in a layer; None when nothing does."""
        return cast("C | None", self.values.get(slot.name))

    def with_change(self, slot: Slot[Any, C], change: C | None) -> MindChange:
        """Return the change with that of one layer in it; None = nothing changes there."""
        rest = {name: value for name, value in self.values.items() if name != slot.name}
        return MindChange(rest if change is None else {**rest, slot.name: change})


NO_MIND = Mind()
