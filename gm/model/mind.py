"""What a character has beside its persona and its memory stream, a file for each: the layers of its mind (DESIGN 1)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mind:
    """The layers of one character; a layer without a file is empty."""


@dataclass(frozen=True, slots=True)
class MindChange:
    """What one step changes in the layers of one character."""


NO_MIND = Mind()
