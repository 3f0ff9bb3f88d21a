"""What of a memory is embedded, and how a row of the index is known to belong to it."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b

from gm.config import IndexSettings
from gm.model.node import Node

PREFIXES = {
    "nomic-embed-text": ("search_document: ", "search_query: "),
    "mxbai-embed-large": ("", "Represent this sentence for searching relevant passages: "),
    "snowflake-arctic-embed": ("", "Represent this sentence for searching relevant passages: "),
    "multilingual-e5": ("passage: ", "query: "),
    "embeddinggemma": ("title: none | text: ", "task: search result | query: "),
}
"""What the makers of a model want to see before a text and before a question, by the beginning of the model's name."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """How texts become vectors here: vectors of another recipe cannot be compared with these.

    Attributes:
        model: Name of the embedding model.
        dimensions: Length of its vectors.
        text_prefix: Put before the text of a memory.
        query_prefix: Put before a question.

    Source:
        Document 001: vectors are comparable only if model and dimensions are equal.
    """

    model: str
    dimensions: int
    text_prefix: str = ""
    query_prefix: str = ""

    def text(self, node: Node) -> str:
        """Tell what of a memory is embedded: its description.

        Tags are left out: models know sentences, key words are found by their letters, and a tag that a person
        corrects costs nothing this way.
        """
        return self.text_prefix + node.description

    def question(self, query: str) -> str:
        """Tell what of a question is embedded."""
        return self.query_prefix + query

    def key(self, node: Node) -> bytes:
        """Name the row of a memory: a hash of the embedded text, and the id. Another text is another row."""
        text = self.text(node).encode("utf-8", "surrogatepass")
        return blake2b(text, digest_size=16).hexdigest().encode() + b" " + node.id.encode("utf-8", "surrogatepass")


def recipe_of(settings: IndexSettings) -> Recipe:
    """Make the recipe of a world; prefixes are those of the model where none are set."""
    name = settings.model.rpartition("/")[2].lower()
    text, query = next((pair for start, pair in PREFIXES.items() if name.startswith(start)), ("", ""))
    return Recipe(
        settings.model,
        settings.dimensions,
        text if settings.text_prefix is None else settings.text_prefix,
        query if settings.query_prefix is None else settings.query_prefix,
    )
