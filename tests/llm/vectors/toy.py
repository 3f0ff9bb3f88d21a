"""A tiny deterministic embedder: character trigrams, hashed. Texts that share letters are close."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from zlib import crc32

from gm.llm.vectors.base import EmbeddingError, normalise

DIMENSIONS = 64


def embed_text(text: str, dimensions: int = DIMENSIONS) -> list[float]:
    """Count the trigrams of a text, each in the place that its checksum names."""
    padded = f"  {text.casefold()} "
    values = [0.0] * dimensions
    for start in range(len(padded) - 2):
        values[crc32(padded[start : start + 3].encode("utf-8", "surrogatepass")) % dimensions] += 1.0
    return values


def cosine(one: str, other: str) -> float:
    """What the index is expected to find, computed in plain Python."""
    left, right = row(one), row(other)
    return sum(a * b for a, b in zip(left, right, strict=True))


def row(text: str, dimensions: int = DIMENSIONS) -> array[float]:
    """The row of a text."""
    return normalise(embed_text(text, dimensions))


class ToyEmbedder:
    """Embeds in the test itself, and remembers what it was asked.

    Args:
        fail_after: Number of requests after which it fails.
    """

    where = "the test"

    def __init__(self, *, batch: int = 8, dimensions: int = DIMENSIONS, fail_after: int | None = None) -> None:
        self.batch = batch
        self.calls: list[list[str]] = []
        self._dimensions = dimensions
        self._fail_after = fail_after

    @property
    def texts(self) -> list[str]:
        """All texts that were embedded, in order."""
        return [text for call in self.calls for text in call]

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        if self._fail_after is not None and len(self.calls) >= self._fail_after:
            raise EmbeddingError("the provider went away", "start it again")
        self.calls.append(list(texts))
        return [embed_text(text, self._dimensions) for text in texts]
