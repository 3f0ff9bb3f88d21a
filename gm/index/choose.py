"""Which embedder a world wants."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

from gm.config import IndexSettings
from gm.index.base import Embedder, EmbeddingError
from gm.index.post import LOOPBACK


def make_embedder(settings: IndexSettings, environment: Mapping[str, str], remembered: str = "") -> Embedder:
    """Make the embedder that the settings describe. Nobody is asked yet.

    Args:
        settings: The section ``index`` of ``gm.yaml``.
        environment: Where the key is, by the name that the settings give.
        remembered: The form that the server understood last time.

    Raises:
        EmbeddingError: The settings describe none.
    """
    if settings.provider == "local":
        from gm.index.local import LocalEmbedder

        return LocalEmbedder(settings.model, batch=settings.batch)
    from gm.index.server import ServerEmbedder

    key = environment.get(settings.key_env, "")
    scheme, host = _address(settings.url)
    if key and scheme == "http" and host not in LOOPBACK:
        raise EmbeddingError(
            f"a key is not sent to {settings.url} without encryption",
            f"use https in index.url, or unset {settings.key_env}",
        )
    return ServerEmbedder(
        settings.url,
        settings.model,
        provider=settings.provider,
        key=key,
        timeout_s=settings.timeout_s,
        batch=settings.batch,
        remembered=remembered,
    )


def _address(url: str) -> tuple[str, str]:
    try:
        parts = urlsplit(url)
        scheme, host, _ = parts.scheme, parts.hostname or "", parts.port
    except ValueError:
        scheme, host = "", ""
    if scheme not in ("http", "https") or not host:
        raise EmbeddingError(f"index.url is {url!r}", "write an address like http://localhost:11434 into gm.yaml")
    return scheme, host
