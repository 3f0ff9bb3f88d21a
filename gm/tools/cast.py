"""Whom a command is about."""

from __future__ import annotations

from collections.abc import Sequence

from gm.errors import UsageError
from gm.model.character import find_agent
from gm.model.world import World


def known_agents(world: World, names: Sequence[str]) -> list[str]:
    """Give the ids of those who are named, each once; everybody when nobody is.

    Raises:
        UsageError: Nobody is called one of the names.
    """
    found = []
    for name in names or world.agents:
        identifier = find_agent(world.agents, name)
        if identifier is None:
            raise UsageError(f"nobody here is called {name!r}", "the cast: " + ", ".join(world.agents))
        found.append(identifier)
    return list(dict.fromkeys(found))
