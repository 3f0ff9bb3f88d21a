"""Whom somebody means by a name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from gm.errors import UsageError
from gm.model.character import Agent, find_agent


def known_agent(agents: Mapping[str, Agent], name: str) -> str:
    """Find the id of the character that a name means: its id, its call name, its full name.

    Raises:
        UsageError: Nobody is called that.
    """
    identifier = find_agent(agents, name)
    if identifier is None:
        raise nobody(name, agents)
    return identifier


def known_agents(agents: Mapping[str, Agent], names: Sequence[str]) -> list[str]:
    """Give the ids of those who are named, each once; everybody when nobody is.

    Raises:
        UsageError: Nobody is called one of the names.
    """
    return list(dict.fromkeys(known_agent(agents, name) for name in names or agents))


def nobody(name: str, cast: Iterable[str]) -> UsageError:
    """Make the error for a name that no character has: it lists the cast, and the nearest name."""
    from difflib import get_close_matches

    names = list(cast)
    near = get_close_matches(name.lower(), names, 1, 0.6)
    hint = "the cast: " + (", ".join(names) or "nobody")
    return UsageError(f"nobody here is called {name!r}", hint + (f"; did you mean {near[0]}?" if near else ""))
