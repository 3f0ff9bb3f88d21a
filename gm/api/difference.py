"""What a command would change, as a unified diff."""

from __future__ import annotations

import difflib

NO_NEWLINE = "\\ No newline at end of file"


def render_difference(path: str, old: str, new: str) -> str:
    """Return the unified diff of a file; empty when nothing changes.

    Args:
        path: Inside the world.
    """
    if old == new:
        return ""
    lines: list[str] = []
    for line in difflib.unified_diff(_lines(old), _lines(new), f"a/{path}", f"b/{path}", lineterm="\n"):
        lines.append(line.removesuffix("\n"))
        if not line.endswith("\n"):
            lines.append(NO_NEWLINE)
    return "\n".join(lines) + "\n"


def _lines(text: str) -> list[str]:
    lines = [line + "\n" for line in text.split("\n")]
    lines[-1] = lines[-1].removesuffix("\n")
    return lines if lines[-1] else lines[:-1]
