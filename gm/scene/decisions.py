"""Decisions of a meeting, noted by its leader for all to read."""

from __future__ import annotations

from collections.abc import Sequence

from gm.base.casefold import casefold, shorten
from gm.model.scene import Scene
from gm.model.world import World
from gm.scene.turns import Turn

LAYER = "decisions"
MOST = 5
DECISION_CHARACTERS = 300


def fold_decisions(world: World, scene: Scene, turns: Sequence[Turn]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the new decisions of a scene's leader, at most ``MOST``, and warnings for those not noted."""
    if LAYER not in world.layers:
        return (), ()
    known = {casefold(decision) for decision in world.decisions}
    noted, warnings = list[str](), list[str]()
    for turn in turns:
        for text in turn.reply.decisions:
            decision = shorten(" ".join(text.split()), DECISION_CHARACTERS)
            if not scene.type.chair or turn.agent != scene.cast[0]:
                warnings.append(f"{turn.agent}: does not lead this scene, decision not noted: {decision[:60]!r}")
            elif casefold(decision) in known:
                warnings.append(f"{turn.agent}: decided before, not noted again: {decision[:60]!r}")
            elif len(noted) == MOST:
                warnings.append(f"{turn.agent}: more than {MOST} decisions in one scene, not noted: {decision[:60]!r}")
            else:
                noted.append(decision)
                known.add(casefold(decision))
    return tuple(noted), tuple(warnings)
