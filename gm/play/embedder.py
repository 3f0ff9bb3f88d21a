"""Open a world's embedder, and remember which request form its server understood."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping

from gm.base.config import IndexSettings
from gm.base.regular import DOCUMENT_BYTES, read_regular
from gm.files.formats import disk
from gm.files.layout import Layout
from gm.llm.vectors.base import Embedder
from gm.llm.vectors.embedders import make_embedder
from gm.llm.vectors.texts import Recipe, embed_texts

TEST_TEXT = "Does this model embed?"


def probe_embedder(embedder: Embedder, recipe: Recipe) -> None:
    """Check that server, model and dimensions are as configured.

    Source:
        Document 000 (startup validation); done when vectors are needed, not at each start.

    Raises:
        EmbeddingError: They are not; the hint says how to fix it.
    """
    embed_texts(embedder, recipe, [TEST_TEXT])


def open_embedder(layout: Layout, settings: IndexSettings, environment: Mapping[str, str] | None = None) -> Embedder:
    """Make the configured embedder; the request form that worked last time is tried first."""
    return make_embedder(
        settings, os.environ if environment is None else environment, _read_remembered_form(layout, settings)
    )


def store_recipe(layout: Layout, settings: IndexSettings, embedder: Embedder) -> None:
    """Store the request form that the server understood."""
    form = getattr(embedder, "form", "")
    if form and form != _read_remembered_form(layout, settings):
        disk.replace(layout.vectors_note, json.dumps({**_server(settings), "form": form}).encode())


def _read_remembered_form(layout: Layout, settings: IndexSettings) -> str:
    try:
        note = json.loads(read_regular(layout.vectors_note, DOCUMENT_BYTES))
        return str(note["form"]) if {**note, **_server(settings)} == note else ""
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def _server(settings: IndexSettings) -> dict[str, str]:
    return {"url": settings.url, "provider": settings.provider, "model": settings.used_model}
