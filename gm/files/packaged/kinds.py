"""The general kinds of things, read once for each language."""

from __future__ import annotations

import json
from functools import cache

from gm.files.packaged.shipped import shipped_kinds
from gm.memory.recall.kinds import Things, things_by_name


@cache
def load_things(language: str) -> Things:
    """Return the things of each kind; JSON of this size is read a hundred times as fast as YAML."""
    return things_by_name(json.loads(shipped_kinds().read_text(encoding="utf-8")), language)
