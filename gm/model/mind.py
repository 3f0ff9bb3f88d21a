"""What a character has beside its persona and its memory stream, a file for each: the layers of its mind (DESIGN 1)."""

from __future__ import annotations

from dataclasses import dataclass

from gm.model.goal import Goal, GoalEvent


@dataclass(frozen=True, slots=True)
class Mind:
    """The layers of one character; a layer without a file is empty.

    Attributes:
        goals: What it wants to reach, settled or not, in the order in which it was opened.
    """

    goals: tuple[Goal, ...] = ()


@dataclass(frozen=True, slots=True)
class MindChange:
    """What one step changes in the layers of one character.

    Attributes:
        goals: Lines for the file of goals, in order.
    """

    goals: tuple[GoalEvent, ...] = ()


NO_MIND = Mind()
