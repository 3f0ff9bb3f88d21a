"""Souls by hand: shown with numbers, added to, taken from."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Any

from gm.errors import UsageError
from gm.layers.soul import SOUL, SOUL_KINDS, Soul, SoulChange, SoulEntry, soul_key
from gm.model.character import Agent
from gm.model.mind import MindChange
from gm.model.world import World
from gm.store.layout import Layout
from gm.tools.cast import known_agents
from gm.tools.editing import change_mind

CLOSE = 0.5


def describe_souls(layout: Layout, world: World, names: Sequence[str]) -> dict[str, Any]:
    """Describe souls in the form of ``gm soul show --json``.

    Raises:
        UsageError: Nobody is called one of the names.
    """
    agents = known_agents(world.agents, names)
    return {
        "on": SOUL.name in world.layers,
        "souls": [
            {
                "agent": name,
                "path": layout.shown(layout.layer(SOUL, name)),
                "entries": [
                    {"number": number, "kind": entry.kind, "text": entry.text}
                    for number, entry in enumerate(world.agents[name].mind[SOUL].entries, 1)
                ],
            }
            for name in agents
        ],
    }


def add_to_soul(layout: Layout, agent: str, kind: str, text: str) -> tuple[dict[str, Any], list[str]]:
    """Add a sentence to somebody's soul; one that stands there already is not added again.

    Returns:
        What was added, in the form of ``gm soul add --json``; notes.

    Raises:
        UsageError: Nobody is called that, there is no such kind, or there is no text.
    """
    words = " ".join(text.split())
    if kind not in SOUL_KINDS:
        raise UsageError(f"{kind!r} is no kind of entry", "known: " + ", ".join(SOUL_KINDS))
    if not words:
        raise UsageError("there is no text", "write the sentence in quotes")

    def decide(found: Agent) -> MindChange:
        if found.mind[SOUL].find(words):
            return MindChange()
        return MindChange({SOUL.name: SoulChange(added=(SoulEntry(SOUL_KINDS[kind], words),))})

    name, change, notes = change_mind(layout, "gm soul add", agent, SOUL, decide)
    if change[SOUL] is None:
        notes.append(f"stands in {name}'s soul already: {words}")
    return _document(name, change), notes


def remove_from_soul(layout: Layout, agent: str, which: str) -> tuple[dict[str, Any], list[str]]:
    """Take a sentence out of somebody's soul, by its number or by its words.

    Returns:
        What was taken out, in the form of ``gm soul remove --json``; notes.

    Raises:
        UsageError: Nobody is called that, or nothing in the soul is meant; names what comes close.
    """

    def decide(found: Agent) -> MindChange:
        return MindChange({SOUL.name: SoulChange(removed=(_entry(found.id, found.mind[SOUL], which),))})

    name, change, notes = change_mind(layout, "gm soul remove", agent, SOUL, decide)
    return _document(name, change), notes


def _entry(name: str, soul: Soul, which: str) -> SoulEntry:
    found = soul.find(which)
    if found is not None:
        return found
    count = len(soul.entries)
    if which.strip().isdecimal():
        number = int(which)
        if 1 <= number <= count:
            return soul.entries[number - 1]
        raise UsageError(f"there is no entry {number}: {name}'s soul has {count}", f"see: gm soul show {name}")
    keys = {soul_key(entry.text): (number, entry.text) for number, entry in enumerate(soul.entries, 1)}
    near = difflib.get_close_matches(soul_key(which), keys, n=1, cutoff=CLOSE)
    hint = f"did you mean {keys[near[0]][0]}: {keys[near[0]][1]}" if near else f"see: gm soul show {name}"
    raise UsageError(f"{name}'s soul has no entry {which!r}", hint)


def _document(name: str, change: MindChange) -> dict[str, Any]:
    soul = change[SOUL] or SoulChange()
    return {
        "agent": name,
        "added": [{"kind": entry.kind, "text": entry.text} for entry in soul.added],
        "removed": [{"kind": entry.kind, "text": entry.text} for entry in soul.removed],
    }
