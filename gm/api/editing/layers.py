"""Souls and pages of working memory, listed and edited by hand. Edits also return notes."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gm.api.editing.desk import Desk, EditedLayer, change_layer
from gm.base.errors import UsageError, require_choice, say
from gm.base.texts import is_digits
from gm.files.layout import Layout
from gm.layers.soul import SOUL, SOUL_KINDS, Soul, SoulChange, SoulEntry, soul_key
from gm.layers.working import SUBGOAL, WORKING, PageChange
from gm.model.world import Agent, World, known_agents

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


def add_soul_entry(layout: Layout, agent: str, kind: str, text: str) -> tuple[SoulWritten, list[str]]:
    """Add a sentence to a soul, unless it is there.

    Raises:
        UsageError: No such character or kind, or an empty text.
    """
    words = " ".join(text.split())
    known = require_choice(kind, tuple(SOUL_KINDS), "a kind of entry")
    if not words:
        raise UsageError("there is no text", "write the sentence in quotes")

    def decide(_desk: Desk, found: Agent) -> SoulChange | None:
        entry = SoulEntry(SOUL_KINDS[known], words)
        return None if found.mind[SOUL].find(words) else SoulChange(added=(entry,))

    done = change_layer(layout, "gm mind soul add", agent, SOUL, decide)
    if done.change is None:
        done.notes.append(f"stands in {done.agent}'s soul already: {words}")
    return _report_soul_change(done), done.notes


def remove_soul_entry(layout: Layout, agent: str, which: str) -> tuple[SoulWritten, list[str]]:
    """Remove a sentence from a soul, by number or by its words.

    Raises:
        UsageError: No such character or entry; the hint names the nearest.
    """

    def decide(_desk: Desk, found: Agent) -> SoulChange:
        return SoulChange(removed=(_find_entry(found.id, found.mind[SOUL], which),))

    done = change_layer(layout, "gm mind soul remove", agent, SOUL, decide)
    return _report_soul_change(done), done.notes


def _find_entry(name: str, soul: Soul, which: str) -> SoulEntry:
    found = soul.find(which)
    if found is not None:
        return found
    count = len(soul.entries)
    if is_digits(which.strip()):
        number = int(which)
        if 1 <= number <= count:
            return soul.entries[number - 1]
        raise UsageError(f"there is no entry {number}: {name}'s soul has {count}", f"see: gm mind soul show {name}")
    keys = {soul_key(entry.text): (number, entry.text) for number, entry in enumerate(soul.entries, 1)}
    near = difflib.get_close_matches(soul_key(which), keys, n=1, cutoff=CLOSE)
    hint = f"did you mean {keys[near[0]][0]}: {keys[near[0]][1]}" if near else f"see: gm mind soul show {name}"
    raise UsageError(f"{name}'s soul has no entry {which!r}", hint)


def _report_soul_change(done: EditedLayer[Soul, SoulChange]) -> SoulWritten:
    change = done.change or SoulChange()
    return SoulWritten(done.agent, tuple(change.added), tuple(change.removed))


@dataclass(frozen=True, slots=True)
class AgentPage:
    """A character's working memory, and its file inside the world."""

    agent: str
    path: str
    page: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Pages:
    """Pages of working memory; ``on`` = shown in prompts; ``lines`` = limit per key."""

    on: bool
    lines: int
    pages: tuple[AgentPage, ...]


@dataclass(frozen=True, slots=True)
class PageWritten:
    """A page after an edit."""

    agent: str
    page: Mapping[str, Any]


def describe_pages(layout: Layout, world: World, names: Sequence[str]) -> Pages:
    """Return pages; without names, of all characters.

    Raises:
        UsageError: A name is unknown.
    """
    pages = tuple(
        AgentPage(name, layout.shown(layout.layer(WORKING, name)), dict(world.agents[name].mind[WORKING].values))
        for name in known_agents(world.agents, names)
    )
    return Pages(WORKING.name in world.layers, world.settings.working.lines, pages)


def set_on_page(
    layout: Layout, agent: str, key: str, texts: Sequence[str], *, add: bool
) -> tuple[PageWritten, list[str]]:
    """Write texts under a key of a page; ``add`` appends.

    Raises:
        UsageError: No such character, or the texts do not fit the key.
    """
    words = [" ".join(text.split()) for text in texts if text.strip()]
    key = key.strip()
    if not key or not words:
        raise UsageError("there is no text", 'write: gm mind working set AGENT known "…"')
    if key == SUBGOAL and (len(words) > 1 or add):
        raise UsageError(
            f"{SUBGOAL} is one text", "put what is known under known, what was learned under recent_insights"
        )

    def decide(_desk: Desk, found: Agent) -> PageChange | None:
        old = found.mind[WORKING].values.get(key)
        before = (old if isinstance(old, list) else [] if old is None else [old]) if add else []
        new: Any = words[0] if key == SUBGOAL else [*before, *words]
        return PageChange({key: new}) if new != old else None

    return _change_page(layout, "gm mind working set", agent, decide)


def clear_of_page(layout: Layout, agent: str, key: str | None) -> tuple[PageWritten, list[str]]:
    """Remove a key from a page, or all keys for None; errors as in ``set_on_page``."""

    def decide(_desk: Desk, found: Agent) -> PageChange | None:
        known = tuple(found.mind[WORKING].values)
        if key is not None and key not in known:
            near = difflib.get_close_matches(key, known, n=1)
            hint = say("did you mean {name}?", near[0]) if near else "on it: " + (", ".join(known) or "nothing")
            raise UsageError(f"{found.id}'s page has no {key!r}", hint)
        gone = known if key is None else (key,)
        return PageChange(gone=gone) if gone else None

    return _change_page(layout, "gm mind working clear", agent, decide)


def _change_page(
    layout: Layout, command: str, agent: str, decide: Callable[[Desk, Agent], PageChange | None]
) -> tuple[PageWritten, list[str]]:
    done = change_layer(layout, command, agent, WORKING, decide)
    if done.change is None:
        done.notes.append("nothing changed")
    return PageWritten(done.agent, dict(done.value.values)), done.notes
