"""What is said of an import: which part went where, and which was left aside."""

from __future__ import annotations

from dataclasses import dataclass, field

MOST = 100
"""Parts that are named; of more, the number is said."""


@dataclass(slots=True)
class Account:
    """What is said of the parts of one source, in the order of reading; a part that comes again is noted once."""

    _mapped: dict[str, str] = field(default_factory=dict)
    _left: dict[tuple[str, str], None] = field(default_factory=dict)

    def took(self, part: str, where: str) -> None:
        """Note where a part went."""
        self._mapped.setdefault(part, where)

    def leave(self, part: str, why: str) -> None:
        """Note that a part was left aside."""
        self._left[part, why] = None

    @property
    def mapped(self) -> tuple[tuple[str, str], ...]:
        """For ``Arrival.mapped``."""
        return _first(list(self._mapped.items()))

    @property
    def left(self) -> tuple[tuple[str, str], ...]:
        """For ``Arrival.left``."""
        return _first(list(self._left))


def _first(said: list[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    others = len(said) - MOST
    return (*said[:MOST], (f"{others:,} others", "likewise")) if others > 0 else tuple(said)
