"""The choice of the next scene: the best one of the list or, now and then, the second best, in the list's own words."""

from __future__ import annotations

import random
from collections.abc import Mapping

SECOND_BEST = 0.3


def compose_direction(facts: Mapping[str, object]) -> dict[str, object]:
    """Choose a scene by dice, and say why and how it begins in the words that the rules have for it."""
    listed = facts.get("options")
    options = [item for item in listed if isinstance(item, Mapping)] if isinstance(listed, list | tuple) else []
    dice = random.Random(f"{facts.get('seed')}/director/{facts.get('place')}")
    number = 2 if len(options) > 1 and dice.random() < SECOND_BEST else 1
    chosen: Mapping[str, object] = options[number - 1] if options else {}
    premise = str(chosen.get("premise") or "…")
    return {"number": number, "why": str(chosen.get("why") or premise), "premise": premise, "premises": []}
