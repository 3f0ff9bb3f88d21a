"""What is said of an import: which part went where, and which was left aside."""

from __future__ import annotations

from dataclasses import dataclass, field


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
        return tuple(self._mapped.items())

    @property
    def left(self) -> tuple[tuple[str, str], ...]:
        """For ``Arrival.left``."""
        return tuple(self._left)
