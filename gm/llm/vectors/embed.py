"""Embedding of texts, a batch at a time."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from gm.llm.vectors.base import Embedder, checked
from gm.llm.vectors.texts import Recipe


def embed_texts(embedder: Embedder, recipe: Recipe, texts: Sequence[str]) -> list[array[float]]:
    """Embed texts, a batch at a time.

    Raises:
        EmbeddingError: The provider failed, or its vectors have another length.
    """
    made: list[array[float]] = []
    for start in range(0, len(texts), embedder.batch):
        piece = texts[start : start + embedder.batch]
        made += checked(embedder.embed(piece), len(piece), recipe.dimensions, f"{recipe.model} ({embedder.where})")
    return made
