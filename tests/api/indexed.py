"""Worlds with an embedding index."""

from __future__ import annotations

from gm.files.layout import Layout
from gm.files.load import load_world
from gm.model.world import World

WHOLE = {"chunk_chars": 0, "sentences": False}
"""One vector a memory."""


def configure(layout: Layout, url: str = "http://127.0.0.1:9", **others: object) -> World:
    """Switch the index on in a world's settings, with a model of 64 dimensions, and read the world."""
    wanted = {"enabled": True, "url": url, "model": "toy", "dimensions": 64, "batch": 8, **WHOLE, **others}
    text = layout.settings.read_text(encoding="utf-8").partition("\nindex:")[0].rstrip("\n")
    lines = "".join(f"  {name}: {str(value).lower()}\n" for name, value in wanted.items())
    layout.settings.write_text(f"{text}\nindex:\n{lines}", encoding="utf-8")
    loaded = load_world(layout)
    assert not [problem for problem in loaded.problems if problem.path == "gm.yaml"]
    return loaded.world
