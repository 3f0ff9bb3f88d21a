"""Pages of working memory, listed and edited by hand."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gm.api.cast import known_agents
from gm.api.editing import Desk, change_layer
from gm.base.errors import UsageError
from gm.files.layout import Layout
from gm.layers.working import SUBGOAL, WORKING, PageChange
from gm.model.character import Agent
from gm.model.world import World


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
    """Write texts under a key of a page.

    Args:
        agent: Id or name.
        texts: One for the subgoal, else one or more.
        add: Append instead of replacing.

    Returns:
        The page as it is now; notes.

    Raises:
        UsageError: No such character, or the texts do not fit the key.
    """
    words = [" ".join(text.split()) for text in texts if text.strip()]
    key = key.strip()
    if not key or not words:
        raise UsageError("there is no text", 'write: gm working set AGENT known "…"')
    if key == SUBGOAL and (len(words) > 1 or add):
        raise UsageError(
            f"{SUBGOAL} is one text", "put what is known under known, what was learned under recent_insights"
        )

    def decide(_desk: Desk, found: Agent) -> PageChange | None:
        old = found.mind[WORKING].values.get(key)
        before = (old if isinstance(old, list) else [] if old is None else [old]) if add else []
        new: Any = words[0] if key == SUBGOAL else [*before, *words]
        return PageChange({key: new}) if new != old else None

    return _changed(layout, "gm working set", agent, decide)


def clear_of_page(layout: Layout, agent: str, key: str | None) -> tuple[PageWritten, list[str]]:
    """Remove a key from a page, or all keys for None; as ``set_on_page``.

    Raises:
        UsageError: No such character or key.
    """

    def decide(_desk: Desk, found: Agent) -> PageChange | None:
        known = tuple(found.mind[WORKING].values)
        if key is not None and key not in known:
            near = difflib.get_close_matches(key, known, n=1)
            hint = f"did you mean {near[0]}?" if near else "on it: " + (", ".join(known) or "nothing")
            raise UsageError(f"{found.id}'s page has no {key!r}", hint)
        gone = known if key is None else (key,)
        return PageChange(gone=gone) if gone else None

    return _changed(layout, "gm working clear", agent, decide)


def _changed(
    layout: Layout, command: str, agent: str, decide: Callable[[Desk, Agent], PageChange | None]
) -> tuple[PageWritten, list[str]]:
    done = change_layer(layout, command, agent, WORKING, decide)
    if done.change is None:
        done.notes.append("nothing changed")
    return PageWritten(done.agent, dict(done.value.values)), done.notes
