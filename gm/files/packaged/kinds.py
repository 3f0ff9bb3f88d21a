"""The general kinds of things and near words, read once for each language."""

from __future__ import annotations

import json
from functools import cache

from gm.files.packaged.shipped import shipped_kinds, shipped_near_words
from gm.memory.recall.kinds import Things, read_near, things_by_name


@cache
def load_kinds(language: str) -> Things:
    """Return the things of each kind; JSON of this size is read a hundred times as fast as YAML."""
    return _load(language, {})


@cache
def load_things(language: str) -> Things:
    """Return the things of each kind, and near words: what a reader asks, not what scenes and characters look up."""
    path = shipped_near_words(language)
    return _load(language, read_near(path.read_text(encoding="utf-8")) if path.is_file() else {})


def _load(language: str, near: Things) -> Things:
    return things_by_name(json.loads(shipped_kinds().read_text(encoding="utf-8")), language, near)
