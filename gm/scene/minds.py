"""Fold what replies say about the layers of a mind into what changes in them, and take that into their values."""

from __future__ import annotations

from collections.abc import Sequence

from gm.model.mind import Mind, MindChange
from gm.model.scene import Scene
from gm.model.world import World
from gm.scene.ledger import Ledger, Words
from gm.scene.turns import Turn


def fold_minds(
    world: World, scene: Scene, turns: Sequence[Turn], ledger: Ledger, words: Words
) -> dict[str, MindChange]:
    """Tell what a scene changes in the minds of those who took part.

    Args:
        world: The world before the scene.
        scene: What was played.
        turns: The replies in the order they count.
        ledger: Takes what becomes a memory, and what has to be said about it.
        words: Renders the Game Master's own sentences.

    Returns:
        By agent; who is not in it is as before.
    """
    return {}


def advance_mind(mind: Mind, change: MindChange) -> Mind:
    """Return a mind as it is after a change."""
    return mind
