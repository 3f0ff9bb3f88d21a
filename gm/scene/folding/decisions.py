"""Decisions that the leader of a scene notes."""

from __future__ import annotations

from collections.abc import Sequence

from gm.base.casefold import casefold
from gm.base.texts import shorten_at_word
from gm.model.scene import Scene
from gm.model.world import World
from gm.scene.dialogue.turns import Turn

DECISIONS = "decisions"
"""The name among ``World.layers`` of the part of a reply that holds them."""
MOST_DECISIONS = 5
DECISION_CHARACTERS = 300


def fold_decisions(world: World, scene: Scene, turns: Sequence[Turn]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the leader's first ``MOST_DECISIONS`` new decisions, and warnings for the others."""
    if DECISIONS not in world.layers:
        return (), ()
    known = {casefold(decision) for decision in world.decisions}
    noted, warnings = list[str](), list[str]()
    for turn in turns:
        for text in turn.reply.decisions:
            decision = shorten_at_word(" ".join(text.split()), DECISION_CHARACTERS)
            if not scene.type.chair or turn.agent != scene.cast[0]:
                warnings.append(f"{turn.agent}: does not lead this scene, decision not noted: {decision[:60]!r}")
            elif casefold(decision) in known:
                warnings.append(f"{turn.agent}: decided before, not noted again: {decision[:60]!r}")
            elif len(noted) == MOST_DECISIONS:
                warnings.append(
                    f"{turn.agent}: more than {MOST_DECISIONS} decisions in one scene, not noted: {decision[:60]!r}"
                )
            else:
                noted.append(decision)
                known.add(casefold(decision))
    return tuple(noted), tuple(warnings)
