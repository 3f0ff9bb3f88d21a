"""How much hangs on a moment, and how a scene is played because of it."""

from __future__ import annotations

from collections.abc import Iterable

from gm.model.scene import Reason, SceneType

WEIGHTY = frozenset(("brief", "event", "promise_due", "cliffhanger", "tension"))
"""Parts of a score that make a moment important; plans, distance, pacing and dice do not."""


def type_to_play(kind: SceneType, reasons: Iterable[Reason], raise_at: float | None) -> SceneType:
    """Choose how a scene is played: as usual, or raised because of what it takes up.

    Args:
        kind: The scene type as its template says.
        reasons: Why the scene was chosen.
        raise_at: Points that weighty parts must sum up to (``day.raise_at``); None = no scene is raised.
    """
    points = [reason.points for reason in reasons if reason.part in WEIGHTY]
    return kind.raise_() if points and raise_at is not None and sum(points) >= raise_at else kind
