"""Resolve names of characters to ids."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gm.model.character import Agent, find_agent, unknown_agent


def known_agent(agents: Mapping[str, Agent], name: str) -> str:
    """Return the id of a character, given by id, call name or full name.

    Raises:
        UsageError: No such character.
    """
    identifier = find_agent(agents, name)
    if identifier is None:
        raise unknown_agent(name, agents)
    return identifier


def known_agents(agents: Mapping[str, Agent], names: Sequence[str]) -> list[str]:
    """Return the ids of the named characters without duplicates; without names, of all.

    Raises:
        UsageError: A name is unknown.
    """
    return list(dict.fromkeys(known_agent(agents, name) for name in names or agents))
