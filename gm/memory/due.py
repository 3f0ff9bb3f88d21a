"""Whether it is time for a reflection."""

from __future__ import annotations

from gm.config import ReflectionSettings


def is_due(accumulator: int, settings: ReflectionSettings) -> bool:
    """Return whether the importance summed up since the last reflection calls for one.

    Strict by default: the accumulator must exceed the threshold (document 004).
    """
    if not settings.enabled:
        return False
    return accumulator >= settings.threshold if settings.inclusive else accumulator > settings.threshold
