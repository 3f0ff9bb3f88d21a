"""Importance: the ratings of a rehearsal, by the rule of signal words, and the form in which a world wants them."""

from __future__ import annotations

import zlib
from collections.abc import Mapping

from gm.llm.facts import RatingFacts
from gm.memory.importance import FACET_WEIGHTS, rate_by_rule
from gm.model.weighing import FACETS, IMPORTANCE, PARTS, REPLY, WEIGHED


def compose_rating(facts: RatingFacts) -> dict[str, object]:
    """Rate the texts of a request: a list of numbers when it asks about all of them together, else one number."""
    numbers = [rate_by_rule(text, facts.language, facts.signals) for text in facts.texts if text]
    return {"importance": numbers if facts.together else numbers[0]}


STEP = 0.05
LEAN = 0.2
"""How far a facet lies from what the number says, at most."""


def weigh(reply: Mapping[str, object], source: str) -> dict[str, object]:
    """Say how important everything in a reply is in the form that the world asks for."""
    if source == REPLY:
        return dict(reply)
    return {key: _weighed(value, source) if key in WEIGHED else value for key, value in reply.items()}


def _weighed(value: object, source: str) -> object:
    if isinstance(value, list):
        return [_weighed(item, source) for item in value]
    if not isinstance(value, dict) or IMPORTANCE not in value:
        return value
    rest = {key: item for key, item in value.items() if key != IMPORTANCE}
    if source != FACETS:
        return rest
    return {**rest, PARTS: _facets(int(value[IMPORTANCE]), str(value.get("description", "")))}


def _facets(importance: int, text: str) -> dict[str, float]:
    """Find three facets that come to about this importance; which of them is high depends on the text."""
    share = (importance - 1) / 9
    lean = (zlib.crc32(text.encode()) % 5 - 2) / 2 * min(LEAN, share, 1 - share)
    facets = {"goal_relevance": share, "emotional_impact": share + lean, "novelty": share - lean}
    rounded = {name: round(round(value / STEP) * STEP, 2) for name, value in facets.items()}
    assert rounded.keys() == FACET_WEIGHTS.keys()
    return rounded
