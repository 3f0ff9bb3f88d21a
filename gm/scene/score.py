"""The score of a scene: score = Σ weight(part) × measure(part).

Weights are ``weights:`` in ``gm.yaml``, in points. A measure is from 0 to 1, for three at one table up to 1.5, for two
who have not met for long up to 2; for ``busy``, ``again`` and ``pacing`` below 0.
"""

from __future__ import annotations

from collections.abc import Iterable

from gm.model.scene import Reason, SceneType
from gm.model.world import World

SILENT_PARTS = frozenset({"dice", "time", "stage", "busy", "pacing", "again"})
"""Parts that the logbook does not report."""


def reason(world: World, part: str, measure: float, phrase: str = "", /, **values: str) -> Reason:
    """Return a reason with weight × measure points."""
    weight: float = getattr(world.settings.weights, part)
    return Reason(part, weight * measure, phrase or f"why_{part}", values)


WEIGHTY = frozenset(("brief", "event", "promise_due", "cliffhanger", "tension"))
"""Parts of a score that make a moment important."""


def type_to_play(kind: SceneType, reasons: Iterable[Reason], raise_at: float | None) -> SceneType:
    """Return how a scene is played: as usual, or raised because of what it takes up.

    Args:
        raise_at: Points of weighty parts that are needed (``day.raise_at``); None = never.
    """
    points = [reason.points for reason in reasons if reason.part in WEIGHTY]
    return kind.raise_() if points and raise_at is not None and sum(points) >= raise_at else kind
