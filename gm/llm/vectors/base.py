"""The contract of an embedder: texts in, vectors out."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Sequence
from typing import Protocol

from gm.base.errors import GmError

LARGEST = 1e30
"""Larger numbers are refused; the squares of these still have a finite sum."""


class EmbeddingError(GmError):
    """Vectors are needed and cannot be made."""


class Embedder(Protocol):
    """Turns texts into vectors.

    Attributes:
        batch: Most texts of one call.
        where: Address of the server, or ``this process``; for messages.
    """

    batch: int
    where: str

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return vectors in the order of the texts.

        Raises:
            EmbeddingError: The provider cannot be reached, does not know the model, or its answer is malformed.
        """
        ...


def check_vectors(found: object, texts: int, dimensions: int, source: str) -> list[array[float]]:
    """Return a provider's vectors: one for each text, of the configured length, finite, normalised.

    Source:
        Document 000 (startup validation: dimensions as configured); document 001 (``validate_compatibility``).

    Raises:
        EmbeddingError: The answer is anything else.
    """
    if not isinstance(found, list) or len(found) != texts:
        count = len(found) if isinstance(found, list) else "no list of"
        raise EmbeddingError(f"{source} answered {count} vectors to {texts} texts", "is it an embedding model?")
    return [_check_vector(values, dimensions, source) for values in found]


def _check_vector(values: object, dimensions: int, source: str) -> array[float]:
    if not isinstance(values, list) or not values or not _are_numbers(values):
        raise EmbeddingError(f"{source} answered something that is not a vector", "is it an embedding model?")
    if len(values) != dimensions:
        raise EmbeddingError(
            f"{source} gives vectors of {len(values)} dimensions, {dimensions} are configured",
            f"set index.dimensions: {len(values)} in gm.yaml, or another index.model; then: gm index build",
        )
    return normalise(values)


def _are_numbers(values: Iterable[object]) -> bool:
    return all(
        isinstance(value, int | float) and not isinstance(value, bool) and -LARGEST < value < LARGEST
        for value in values
    )


def normalise(values: Sequence[float]) -> array[float]:
    """Return float32 of Euclidean length 1, so that the dot product of two is their cosine; all zeros stay."""
    length = math.hypot(*values)
    return array("f", (value / length for value in values) if length else values)
