"""The score of a scene: score = Σ weight(part) × measure(part).

Weights are ``weights:`` in ``gm.yaml``, in points. A measure is from 0 to 1, except:

- three at one table, a planned talk at its time of day: up to 1.5;
- two who have not met for long: up to 2;
- a planned talk that is due and arranged (by both, by the clock at a place, or in vain the day before): 2.5;
- ``busy``, ``again``, ``pacing``, ``later``, ``unready``: below 0.
"""

from __future__ import annotations

from collections.abc import Container, Iterable

from gm.model.scene import Reason, SceneType
from gm.model.world import World

SILENT_PARTS = frozenset({"dice", "time", "stage", "busy", "pacing", "again", "later", "unready"})
"""Parts that the logbook does not report."""
WEIGHTY_PARTS = frozenset(("brief", "event", "appointment", "promise_due", "cliffhanger", "tension"))
"""Parts of a score that make a moment important."""


def reason(world: World, part: str, measure: float, phrase: str = "", /, **values: str) -> Reason:
    """Return a reason with weight × measure points; an added part weighs what ``weights.added`` says.

    A phrase that says any text is ``why_added``, with ``text``.
    """
    weights = world.settings.weights
    weight: float = weights.added[part] if part in weights.added else getattr(weights, part)
    return Reason(part, weight * measure, phrase or f"why_{part}", values)


def type_to_play(
    kind: SceneType, reasons: Iterable[Reason], raise_at: float | None, played: Container[str] = ()
) -> SceneType:
    """Return how a scene is played: as usual, raised because of what it takes up, or as one more of its type.

    Args:
        raise_at: Points of weighty parts needed (``day.raise_at``); None = never.
        played: Types of the day's scenes so far.
    """
    if kind.again and kind.name in played:
        return kind.play_again()
    points = [reason.points for reason in reasons if reason.part in WEIGHTY_PARTS]
    return kind.raise_() if points and raise_at is not None and sum(points) >= raise_at else kind
