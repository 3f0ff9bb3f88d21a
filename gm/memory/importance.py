"""Importance of memories that a reply did not rate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from gm.base.languages import language_of

FACET_WEIGHTS = {"goal_relevance": 0.4, "emotional_impact": 0.3, "novelty": 0.3}
"""The formula of document 000."""


@dataclass(frozen=True, slots=True)
class Ratings:
    """Ratings of memories without importance.

    Attributes:
        by: ``llm`` (one question each) or ``batch`` (one for all of a scene).
        given: By agent and description.
    """

    by: str = ""
    given: Mapping[tuple[str, str], int] = field(default_factory=dict)

    def find(self, agent: str, description: str) -> int | None:
        return self.given.get((agent, description))


NO_RATINGS = Ratings()


def rate_by_rule(text: str, language: str = "en", signals: Mapping[str, Sequence[str]] | None = None) -> int:
    """Rate a memory by its length and by signal words.

    score = 3 + 1 if longer than 200 characters + 1 if longer than 500 + 0.5 for each signal word that occurs,
    rounded half up and kept within 1–10.

    Args:
        signals: Lists by language that replace the built-in ones (``importance.signals``).

    Source:
        Document 001, lite mode; the German list is ours. A word counts once, and "disagree" also contains "agree".
    """
    lowered = text.lower()
    words = (signals or {}).get(language, language_of(language).signals)
    found = sum(word in lowered for word in {word.lower() for word in words})
    score = 3.0 + (len(text) > 200) + (len(text) > 500) + 0.5 * found
    return int(min(10.0, max(1.0, score)) + 0.5)


def weigh_facets(facets: Mapping[str, float]) -> int:
    """Return the importance, from 1 to 10, of facets from 0 to 1.

    importance = 1 + 9 × (0.4 × goal_relevance + 0.3 × emotional_impact + 0.3 × novelty), rounded half up

    Source:
        Document 000 gives the weights of a sum from 0 to 1; the scale of the stream is ours.
    """
    share = sum(weight * facets[name] for name, weight in FACET_WEIGHTS.items())
    # halves round up even though 0.4 + 0.3 is not exactly 0.7
    return int(round(1 + 9 * share, 9) + 0.5)


def as_seen_by_others(importance: int, shares_topic: bool) -> int:
    """Return an artifact's importance, from 1 to 10, to others present.

    Two less than for the maker, one less when it touches the observer's work.
    """
    return max(1, min(10, importance - (1 if shares_topic else 2)))
