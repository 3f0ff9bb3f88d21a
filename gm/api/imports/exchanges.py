"""What was said, as one memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gm.api.imports.keeping import LONGEST_MEMORY
from gm.api.words.speech import Words
from gm.base.texts import clip

LONGEST_LINE, SHORTEST_LINE = 320, 40
"""Characters of what one person says in a memory of a few lines, and of very many."""


@dataclass(frozen=True, slots=True)
class Line:
    """What one person says, on one line."""

    who: str
    said: str


def render_exchange(lines: Sequence[Line], words: Words, before: str = "") -> str:
    """Return lines as one text with the names of those who speak; long ones are shortened, so that none is lost.

    Args:
        before: What stands before them.
    """
    room = (LONGEST_MEMORY - len(before)) // max(1, len(lines))
    most = min(LONGEST_LINE, max(SHORTEST_LINE, room - max((len(line.who) for line in lines), default=0) - 5))
    told = " ".join(words("spoken", who=line.who, text=clip(line.said, most)) for line in lines)
    return clip(f"{before.rstrip('.: ')}: {told}" if before else told, LONGEST_MEMORY)
