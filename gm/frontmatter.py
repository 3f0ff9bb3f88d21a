"""Text files that begin with YAML between two lines of three hyphens: personas, prompts, artifacts."""

from __future__ import annotations

from typing import Any

import yaml

FENCE = "---"
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def load_safely(text: str) -> Any:
    """Read YAML as plain data, by libyaml where it is there.

    Raises:
        yaml.YAMLError: It is malformed.
    """
    return yaml.load(text, _LOADER)


def split_front_matter(text: str) -> tuple[str | None, str, int]:
    """Split a text into its YAML front matter and what follows.

    Returns:
        The front matter (None when there is none), the rest, and the line on which the rest begins.
    """
    lines = text.split("\n")
    if lines[0].rstrip("\r ") != FENCE:
        return None, text, 1
    for number, line in enumerate(lines[1:], 1):
        if line.rstrip("\r ") == FENCE:
            return "\n".join(lines[1:number]) + "\n", "\n".join(lines[number + 1 :]), number + 2
    return None, text, 1
