"""Seed memories ranked for a question: canonical questions first, then words or vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gm.base.casefold import search_key
from gm.memory.recall.hybrid import sharpen
from gm.memory.search import rank_texts
from gm.model.node import Node

BELOW_CANONICAL = 0.9
"""Greatest relevance by words alone; a canonical question itself has 1."""
STANDS_OUT = 0.5
"""Deviations above the mean from which a similarity counts."""


def rank_gifted(
    nodes: Sequence[Node], query: str, language: str, meaning: Mapping[str, float] | None = None
) -> list[tuple[Node, float]]:
    """Rank seed memories: first those with this canonical question, then by words or vectors.

    Returns:
        All nodes with relevance 0–1; stable.
    """
    near = meaning or {}
    close = sharpen({place: near[node.id] for place, node in enumerate(nodes) if node.id in near}, STANDS_OUT)
    wanted = search_key(query)
    texts = [" ".join((node.description, *node.canonical)) for node in nodes]
    found = dict(rank_texts(query, texts, language))
    best = max(found.values(), default=0.0) or 1.0
    scores = [
        1.0
        if any(search_key(known) == wanted for known in node.canonical)
        else BELOW_CANONICAL * max(found.get(place, 0.0) / best, near[node.id] if place in close else 0.0)
        for place, node in enumerate(nodes)
    ]
    order = sorted(range(len(nodes)), key=lambda place: -scores[place])
    return [(nodes[place], round(scores[place], 4)) for place in order]
