"""The sections of a prompt: what each may use of its budget (document 004).

The higher a section's number (``PRIORITIES``), the earlier it is shortened; 1 to 3 always stay. Of ``dialogue`` the
oldest lines go first, and the last one stays; of ``memories`` the oldest lived ones go first; ``pieces`` are shortened,
then reduced to their titles.

- While memories are left out, called-up memories and pieces get at most a sixteenth of the prompt each, and never more
  than the memories.
- When something is left out, at least ``LEAST_USED`` of the prompt is used, or the next thing to come back is longer
  than what is free.
- Within that rule the roundest number of memories is left out: the same ones stay from call to call, so that a prompt's
  beginning can be cached.
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
"""While memories are left out, called-up memories and pieces get at most 1/16 of a prompt each."""

LEAST_USED = Fraction(955, 1000)
"""Least part of a prompt that is used when something is left out."""


@dataclass(frozen=True, slots=True)
class BudgetSection:
    """One section of a prompt. Sizes are in any one unit.

    Attributes:
        name: One of ``PRIORITIES``.
        wanted: Its full size.
        least: Granted before any other section gets more than its own.
    """

    name: str
    wanted: int
    least: int = 0

    @property
    def priority(self) -> int:
        return PRIORITIES[self.name]


def share_out(sections: Sequence[BudgetSection], budget_tokens: int) -> dict[str, int]:
    """Share a budget: first each section's ``least``, then the rest, both by priority.

    Returns:
        The sizes by name; none is more than wanted.
    """
    order = sorted(sections, key=lambda section: section.priority)
    given = {section.name: 0 for section in order}
    left = max(0, budget_tokens)
    for only_least in (True, False):
        for section in order:
            most = min(section.least, section.wanted) if only_least else section.wanted
            more = min(left, most - given[section.name])
            given[section.name] += more
            left -= more
    return given


def grant_room(limit: int, memories: int) -> int:
    """Return the room for called-up memories, or pieces, while other memories are left out.

    ``limit`` is the longest prompt, ``memories`` the size of those that stay.
    """
    return min(limit // GRANTED_PART, memories)


def is_used(limit: int, size: int) -> bool:
    """Return whether a prompt of this size may leave something out."""
    return size >= limit * LEAST_USED


def roundest(fewest: int, most: int) -> int:
    """Return the number in a range that the highest power of two divides: it outlasts moving bounds."""
    while (rounder := most & (most - 1)) >= fewest and most:
        most = rounder
    return most
