"""Souls of characters, listed and edited by hand. Edits also return notes."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass

from gm.api.cast import known_agents
from gm.api.editing import Changed, Desk, change_layer
from gm.base.errors import UsageError
from gm.files.layout import Layout
from gm.layers.soul import SOUL, SOUL_KINDS, Soul, SoulChange, SoulEntry, soul_key
from gm.model.character import Agent
from gm.model.world import World

CLOSE = 0.5


@dataclass(frozen=True, slots=True)
class NumberedEntry:
    """A sentence of a soul and its number, from 1."""

    number: int
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class AgentSoul:
    """A character's soul, and its file inside the world."""

    agent: str
    path: str
    entries: tuple[NumberedEntry, ...]


@dataclass(frozen=True, slots=True)
class Souls:
    """Souls; ``on`` = prompts show them."""

    on: bool
    souls: tuple[AgentSoul, ...]


@dataclass(frozen=True, slots=True)
class SoulWritten:
    """The changes of a soul."""

    agent: str
    added: tuple[SoulEntry, ...]
    removed: tuple[SoulEntry, ...]


def describe_souls(layout: Layout, world: World, names: Sequence[str]) -> Souls:
    """Return souls; without names, of all characters.

    Raises:
        UsageError: A name is unknown.
    """
    souls = []
    for name in known_agents(world.agents, names):
        entries = world.agents[name].mind[SOUL].entries
        numbered = tuple(NumberedEntry(number, entry.kind, entry.text) for number, entry in enumerate(entries, 1))
        souls.append(AgentSoul(name, layout.shown(layout.layer(SOUL, name)), numbered))
    return Souls(SOUL.name in world.layers, tuple(souls))


def add_to_soul(layout: Layout, agent: str, kind: str, text: str) -> tuple[SoulWritten, list[str]]:
    """Add a sentence to a soul, unless it is there.

    Raises:
        UsageError: No such character or kind, or an empty text.
    """
    words = " ".join(text.split())
    if kind not in SOUL_KINDS:
        raise UsageError(f"{kind!r} is no kind of entry", "known: " + ", ".join(SOUL_KINDS))
    if not words:
        raise UsageError("there is no text", "write the sentence in quotes")

    def decide(_desk: Desk, found: Agent) -> SoulChange | None:
        entry = SoulEntry(SOUL_KINDS[kind], words)
        return None if found.mind[SOUL].find(words) else SoulChange(added=(entry,))

    done = change_layer(layout, "gm soul add", agent, SOUL, decide)
    if done.change is None:
        done.notes.append(f"stands in {done.agent}'s soul already: {words}")
    return _written(done), done.notes


def remove_from_soul(layout: Layout, agent: str, which: str) -> tuple[SoulWritten, list[str]]:
    """Remove a sentence from a soul, by number or by its words.

    Raises:
        UsageError: No such character or entry; the hint names the nearest.
    """

    def decide(_desk: Desk, found: Agent) -> SoulChange:
        return SoulChange(removed=(_entry(found.id, found.mind[SOUL], which),))

    done = change_layer(layout, "gm soul remove", agent, SOUL, decide)
    return _written(done), done.notes


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


def _written(done: Changed[Soul, SoulChange]) -> SoulWritten:
    change = done.change or SoulChange()
    return SoulWritten(done.agent, tuple(change.added), tuple(change.removed))
