"""What becomes of the world because characters have asked their memories in a scene (S0-41, S0-43)."""

from __future__ import annotations

from collections.abc import Iterable

from gm.model.consulted import Consulted
from gm.model.world import World
from gm.scene.ledger import Ledger

CARE_WANTED = "care_wanted"
"""Key of an agent's file: the character has asked for self-care and has not had it yet (S3-06)."""


def add_formed(ledger: Ledger, agent: str, consulted: Iterable[Consulted]) -> None:
    """Add the memories that a character has formed while it was asked; what it says twice is kept once."""
    for formed in (formed for item in consulted for formed in item.formed):
        description = " ".join(formed.description.split())
        if ledger.has(agent, description):
            ledger.warnings.append(f"{agent}: the same memory twice in one scene, kept once: {description[:60]!r}")
            continue
        ledger.add(agent, formed.type, description, formed.importance, tags=formed.tags, metadata=formed.metadata)


def reinforced_in(consulted: Iterable[Consulted]) -> tuple[str, ...]:
    """Name the memories that characters wanted to keep, each as often as they said so."""
    return tuple(identifier for item in consulted for identifier in item.reinforced)


def wants_care(consulted: Iterable[Consulted]) -> bool:
    """Tell whether a character has asked for self-care with the tools."""
    return any(item.care for item in consulted)


def recalled_in(world: World, ledger: Ledger, consulted: Iterable[Consulted]) -> tuple[str, ...]:
    """Name the memories that came up in a scene, or on which a new one rests, each once; none where none fade."""
    if not world.settings.decay.enabled:
        return ()
    came_up = [identifier for item in consulted for identifier in item.recalled]
    cited = [identifier for nodes in ledger.nodes.values() for node in nodes for identifier in node.evidence]
    new = {node.id for nodes in ledger.nodes.values() for node in nodes}
    return tuple(identifier for identifier in dict.fromkeys((*came_up, *cited)) if identifier not in new)
