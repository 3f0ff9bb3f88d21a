"""Which command somebody may have meant that typed another word."""

from __future__ import annotations

from collections.abc import Iterable

NEAREST = 3
OTHER_WORDS = {
    "advance-day": ("run", "play", "next", "day", "start", "go", "step", "simulate"),
    "init": ("new", "create", "make"),
    "status": ("show", "info", "list", "ls", "agents", "who"),
    "log": ("history", "story", "timeline"),
    "recall": ("search", "find", "query", "remember"),
    "settings": ("config", "set", "options", "configure"),
    "schema": ("format", "keys", "fields"),
    "rewind": ("undo", "reset", "back", "revert"),
    "memory": ("memories", "node", "edit", "add"),
    "check": ("lint", "validate", "verify", "doctor", "fix"),
    "context": ("prompt", "window"),
    "why": ("explain", "trace"),
    "ask": ("chat", "talk", "interview"),
    "soul": ("values", "beliefs"),
    "relationships": ("trust", "friends"),
    "cost": ("price", "usage", "tokens", "budget"),
}
"""What other programs, or people, call the same."""


def commands_meant(word: str, names: Iterable[str]) -> list[str]:
    """Name the commands that come nearest to a word: by its beginning, by its meaning, by its spelling."""
    from difflib import get_close_matches

    names, small = list(names), word.lower()
    found = [name for name in names if len(small) > 1 and (name.startswith(small) or small in name.split("-"))]
    found += [name for name in names if small in OTHER_WORDS.get(name, ())]
    found += get_close_matches(small, names, NEAREST, 0.6)
    # a slip in the first of two words: advence, gitt
    found += [name for name in names if "-" in name and get_close_matches(small, [name.split("-")[0]], 1, 0.75)]
    return list(dict.fromkeys(found))[:NEAREST]
