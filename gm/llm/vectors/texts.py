"""The embedded texts of a memory, and the keys of their rows."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b

from gm.base.config import IndexSettings
from gm.base.plugins import call
from gm.llm.vectors.base import Embedder, check_vectors
from gm.memory.recall.words import CHUNK_CHARACTERS, chunk_text, split_sentences, without_speaker
from gm.model.node import Node

SHORTEST = 15
"""Characters from which on a sentence is embedded by itself."""

PREFIXES = {
    "nomic-embed-text": ("search_document: ", "search_query: "),
    "mxbai-embed-large": ("", "Represent this sentence for searching relevant passages: "),
    "snowflake-arctic-embed": ("", "Represent this sentence for searching relevant passages: "),
    "multilingual-e5": ("passage: ", "query: "),
    "embeddinggemma": ("title: none | text: ", "task: search result | query: "),
}
"""Prefixes for a text and for a question, by the beginning of the model's name."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """How texts become vectors: those of different recipes cannot be compared.

    Attributes:
        chunk_chars: Longer descriptions are embedded in pieces of at most this length; 0 = always whole.
        names: Whether the speaker's name is embedded too (``Vera said: …``).

    Source:
        Document 001: vectors are comparable only if model and dimensions are equal. Document 000: long texts are cut at
            sentences, and a seed memory is found under each of its canonical questions.
    """

    model: str
    dimensions: int
    text_prefix: str = ""
    query_prefix: str = ""
    chunk_chars: int = CHUNK_CHARACTERS
    sentences: bool = False
    names: bool = False

    def texts(self, node: Node) -> tuple[str, ...]:
        leading = self.leading(node)
        return (*leading, *self.details(node, leading))

    def leading(self, node: Node) -> tuple[str, ...]:
        """Return the texts for the whole memory: its description, in pieces if long, and canonical questions."""
        said = self._text_of(node)
        pieces = chunk_text(said, self.chunk_chars) if 0 < self.chunk_chars < len(said) else []
        aliases = filter(None, node.canonical)
        made = (self.text_prefix + text for text in pieces or [said])
        return tuple(dict.fromkeys([*made, *(self.query_prefix + text for text in aliases)]))

    def details(self, node: Node, leading: Collection[str]) -> tuple[str, ...]:
        """Return the other sentences: each is closer to a question about it than the whole."""
        parts = split_sentences(" ".join(self._text_of(node).split())) if self.sentences else []
        made = (self.text_prefix + part for part in parts if len(parts) > 1 and len(part) >= SHORTEST)
        return tuple(text for text in dict.fromkeys(made) if text not in leading)

    def _text_of(self, node: Node) -> str:
        return node.description if self.names else without_speaker(node)

    def question(self, query: str) -> str:
        return self.query_prefix + query

    def rows(self, node: Node) -> dict[bytes, str]:
        """Return a memory's texts by key: text hash and id."""
        return _rows(node, self.texts(node))

    def rows_in_two(self, node: Node) -> tuple[dict[bytes, str], dict[bytes, str]]:
        leading = self.leading(node)
        return _rows(node, leading), _rows(node, self.details(node, leading))


def _rows(node: Node, texts: Iterable[str]) -> dict[bytes, str]:
    name = b" " + node.id.encode("utf-8", "surrogatepass")
    return {_digest(text) + name: text for text in texts}


def recipe_of(settings: IndexSettings) -> Recipe:
    """Make a world's recipe; unset prefixes are those of the model."""
    name = settings.used_model.rpartition("/")[2].lower()
    text, query = next((pair for start, pair in PREFIXES.items() if name.startswith(start)), ("", ""))
    return Recipe(
        settings.used_model,
        settings.used_dimensions,
        text if settings.text_prefix is None else settings.text_prefix,
        query if settings.query_prefix is None else settings.query_prefix,
        settings.chunk_chars,
        settings.sentences,
        settings.names,
    )


def _digest(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest().encode()


def embed_texts(embedder: Embedder, recipe: Recipe, texts: Sequence[str]) -> list[array[float]]:
    """Embed texts, a batch at a time.

    Raises:
        EmbeddingError: The provider failed, or its vectors have another length.
    """
    made: list[array[float]] = []
    for start in range(0, len(texts), embedder.batch):
        piece = texts[start : start + embedder.batch]
        made += check_vectors(
            call(embedder.embed, piece), len(piece), recipe.dimensions, f"{recipe.model} ({embedder.where})"
        )
    return made
