"""What a step makes of the text of a file."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A new text.

    Attributes:
        lines: How many lines of the old text it replaces or leaves out.
        left: Places that stay as they are, each with the reason.
    """

    text: str
    lines: int = 0
    left: tuple[str, ...] = ()
