"""Whom somebody means by a name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gm.model.character import Agent, find_agent, unknown_agent


def known_agent(agents: Mapping[str, Agent], name: str) -> str:
    """Find the id of the character that a name means: its id, its call name, its full name.

    Raises:
        UsageError: Nobody is called that.
    """
    identifier = find_agent(agents, name)
    if identifier is None:
        raise unknown_agent(name, agents)
    return identifier


def known_agents(agents: Mapping[str, Agent], names: Sequence[str]) -> list[str]:
    """Give the ids of those who are named, each once; everybody when nobody is.

    Raises:
        UsageError: Nobody is called one of the names.
    """
    return list(dict.fromkeys(known_agent(agents, name) for name in names or agents))
