"""The mind of a character: a value for each layer (``gm.layers``) that has a file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar, cast

V = TypeVar("V")
C = TypeVar("C")


@dataclass(frozen=True, slots=True, eq=False)
class Slot(Generic[V, C]):
    """The place of a layer in a mind; ``empty`` is the value without a file."""

    name: str
    empty: V


@dataclass(frozen=True, slots=True)
class Mind:
    """The layers of one character, by name."""

    values: Mapping[str, object] = field(default_factory=dict)

    def __getitem__(self, slot: Slot[V, Any]) -> V:
        """Return the value of a layer, or its empty value."""
        return cast("V", self.values.get(slot.name, slot.empty))

    def __contains__(self, slot: Slot[Any, Any]) -> bool:
        return slot.name in self.values

    def __iter__(self) -> Iterator[str]:
        return iter(self.values)

    def with_value(self, slot: Slot[V, Any], value: V) -> Mind:
        return Mind({**self.values, slot.name: value})


@dataclass(frozen=True, slots=True)
class MindChange:
    """Changes of one step in the layers of one character, by name."""

    values: Mapping[str, object] = field(default_factory=dict)

    def __getitem__(self, slot: Slot[Any, C]) -> C | None:
        """Return the change of a layer; None for no change."""
        return cast("C | None", self.values.get(slot.name))

    def with_change(self, slot: Slot[Any, C], change: C | None) -> MindChange:
        rest = {name: value for name, value in self.values.items() if name != slot.name}
        return MindChange(rest if change is None else {**rest, slot.name: change})


NO_MIND = Mind()
