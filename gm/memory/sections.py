"""The sections of a prompt, and which of them are shortened when it would be too long.

The higher its number (``PRIORITIES``), the earlier a section is shortened; 1 to 3 always stay. The oldest lines of
``dialogue`` go first, the last one stays; the oldest lived ``memories`` go first, the newest and deepest insights last;
``pieces`` are shortened, then reduced to their titles.

- While memories are left out, 6 and 7 get at most a sixteenth of the prompt each, and never more than the memories.
- When something is left out, at least ``LEAST_USED`` of the prompt is used, or the next thing that would come back (a
  memory, a line, a paragraph of a piece) is longer than what is free.
- Within that rule the roundest number of memories is left out: the same ones stay from call to call while a talk or a
  day grows by little, so that the beginning of a prompt can be cached.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

SYSTEM, FORM, PERSONA, STEP, INJECTED = "system", "form", "persona", "step", "injected"
DIALOGUE, MEMORIES, CALLED_UP, PIECES = "dialogue", "memories", "called_up", "pieces"
PRIORITIES: Mapping[str, int] = {
    SYSTEM: 1, FORM: 1, PERSONA: 1, STEP: 2, INJECTED: 3, DIALOGUE: 4, MEMORIES: 5, CALLED_UP: 6, PIECES: 7,
}  # fmt: skip

GRANTED_PART = 16
"""6 and 7 may each have 1/16 of a prompt while memories are left out."""

LEAST_USED = Fraction(955, 1000)
"""Least part of a prompt that is used when something is left out."""


@dataclass(frozen=True, slots=True)
class Section:
    """One section of a prompt. Sizes are in any one unit.

    Attributes:
        name: One of ``PRIORITIES``.
        wanted: Its full size.
        least: What it is granted before any other section gets more than its own ``least``.
    """

    name: str
    wanted: int
    least: int = 0

    @property
    def priority(self) -> int:
        """The higher, the earlier it is shortened."""
        return PRIORITIES[self.name]


def share_out(sections: Sequence[Section], budget: int) -> dict[str, int]:
    """Share a budget out among sections: first what each is granted in any case, then the rest, both by priority.

    Args:
        sections: Those of one priority in the order in which they come.
        budget: Below 0 counts as 0.

    Returns:
        The size of each, by name: never more than it wants, never more than the budget together. Where one gets less
        than it wants, none of a higher number has more than its ``least``; where one gets less than its ``least``,
        none of a higher number has anything.
    """
    order = sorted(sections, key=lambda section: section.priority)
    given = {section.name: 0 for section in order}
    left = max(0, budget)
    for only_least in (True, False):
        for section in order:
            most = min(section.least, section.wanted) if only_least else section.wanted
            more = min(left, most - given[section.name])
            given[section.name] += more
            left -= more
    return given


def granted(limit: int, memories: int) -> int:
    """Return the room for called-up memories, or for pieces, while other memories are left out.

    Args:
        limit: Longest prompt.
        memories: Size of the memories that stay.
    """
    return min(limit // GRANTED_PART, memories)


def is_used(limit: int, size: int) -> bool:
    """Return whether something may be left out of a prompt of this size."""
    return size >= limit * LEAST_USED


def roundest(fewest: int, most: int) -> int:
    """Return the number in a range that the highest power of two divides: it stays longest when the bounds move."""
    while (rounder := most & (most - 1)) >= fewest and most:
        most = rounder
    return most
