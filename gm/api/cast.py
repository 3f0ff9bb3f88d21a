"""Which character a name means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gm.model.character import Agent, find_agent, unknown_agent


def known_agent(agents: Mapping[str, Agent], name: str) -> str:
    """Find the id of the character that a name means: its id, its call name, its full name.

    Raises:
        UsageError: There is no such character.
    """
    identifier = find_agent(agents, name)
    if identifier is None:
        raise unknown_agent(name, agents)
    return identifier


def known_agents(agents: Mapping[str, Agent], names: Sequence[str]) -> list[str]:
    """Return the ids of the characters that are named, each once; of all when none is.

    Raises:
        UsageError: There is no character of one of the names.
    """
    return list(dict.fromkeys(known_agent(agents, name) for name in names or agents))
