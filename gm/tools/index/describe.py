"""How the index of a world stands; and its end."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gm.config import IndexSettings
from gm.day.embedder import check_embedder, open_embedder
from gm.day.vector_search import gifted_index, index_folder
from gm.errors import GmError
from gm.index.files import read_shelf
from gm.index.opened import match
from gm.index.texts import Recipe, recipe_of
from gm.memory.seed_memories import WORLD
from gm.model.node import Node
from gm.model.world import World
from gm.store.commits.lock import locked
from gm.store.forms import disk
from gm.store.layout import Layout
from gm.store.streams.gifted import read_gifted
from gm.tools.index.build import NO_GRAPH


def describe_index(layout: Layout, world: World, *, check: bool = False) -> dict[str, Any]:
    """Describe the index of a world in the form of ``gm index status --json``.

    Args:
        layout: The world's paths.
        world: Its streams and settings.
        check: Ask the provider for a test embedding.
    """
    settings = world.settings.index
    recipe = recipe_of(settings)
    document: dict[str, Any] = {
        "enabled": settings.enabled,
        "provider": settings.provider,
        "url": "" if settings.provider == "local" else settings.url,
        "model": recipe.model,
        "dimensions": recipe.dimensions,
        "checked": None,
        "agents": {
            name: _describe(index_folder(layout, name), agent.everything, recipe)
            for name, agent in world.agents.items()
        },
    }
    gifted = {
        owner: _describe(index_folder(layout, gifted_index(owner)), gifts, recipe)
        for owner in (*world.agents, WORLD)
        if (gifts := read_gifted(layout, owner).nodes)
    }
    if gifted:
        document["gifted"] = gifted
    if check:
        document["checked"] = _try(layout, settings, recipe)
    return document


def _try(layout: Layout, settings: IndexSettings, recipe: Recipe) -> dict[str, Any]:
    try:
        check_embedder(open_embedder(layout, settings), recipe)
    except GmError as error:
        return {"ok": False, "problem": error.message, "hint": error.hint}
    return {"ok": True, "problem": "", "hint": ""}


def _describe(folder: Path, nodes: Sequence[Node], recipe: Recipe) -> dict[str, Any]:
    """Describe the index of a stream, or of what somebody knows from the start."""
    figures: dict[str, Any] = {"memories": len(nodes), "bytes": _size(folder)}
    with disk.explained(folder):
        shelf = read_shelf(folder)
    if shelf is None:
        nothing = {"usable": False, "model": "", "dimensions": 0, "rows": 0, "stale": 0, "damaged": 0}
        return {**figures, **nothing, **NO_GRAPH, "missing": len(nodes)}
    rows = len(shelf)
    usable = shelf.header.fits(recipe)
    opened = match(shelf, nodes if usable else (), recipe)
    return {
        **figures,
        "usable": usable,
        "model": shelf.header.model,
        "dimensions": shelf.header.dimensions,
        "rows": rows,
        "missing": len(opened.missing) if usable else len(nodes),
        "stale": opened.stale,
        "damaged": len(shelf.broken),
        **NO_GRAPH,
    }


def remove_index(layout: Layout) -> dict[str, Any]:
    """Delete the index of everybody.

    Returns:
        The document of ``gm index remove --json``: whose it was, and how many bytes.

    Raises:
        LockedError: Another process is writing to it.
    """
    if not layout.vectors.is_dir():
        return {"agents": [], "bytes": 0}
    with disk.explained(layout.vectors), locked(layout.vectors_lock, "gm index remove"):
        names = sorted(path.name for path in layout.vectors.iterdir() if path.is_dir() and path.name != WORLD)
        size = sum(_size(layout.vectors / name, "**/*") for name in names)
        shutil.rmtree(layout.vectors)
        disk.remove(layout.vectors_note)
    return {"agents": names, "bytes": size}


def _size(folder: Path, pattern: str = "*") -> int:
    return sum(path.stat().st_size for path in folder.glob(pattern) if path.is_file()) if folder.is_dir() else 0
