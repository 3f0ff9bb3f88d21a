"""The embedding index of a world: built from its streams, described, removed. Derived: deleting it loses nothing."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import cache, partial
from pathlib import Path
from typing import Any

from gm.config import IndexSettings
from gm.errors import GmError
from gm.index.base import Embedder
from gm.index.build import Built, build
from gm.index.choose import make_embedder
from gm.index.files import read_shelf
from gm.index.near import open_near
from gm.index.texts import Recipe, recipe_of
from gm.index.vectors import embed_texts, match
from gm.memory.giving import WORLD
from gm.model.node import Node
from gm.model.world import World
from gm.store import disk
from gm.store.gifted import read_gifted
from gm.store.layout import Layout
from gm.store.lock import locked
from gm.store.private import make_private
from gm.tools.cast import known_agents

TEST_TEXT = "Does this model embed?"
Tell = Callable[[str, str, int, int], object]


def build_index(
    layout: Layout,
    world: World,
    names: Sequence[str] = (),
    *,
    anew: bool = False,
    embedder: Embedder | None = None,
    tell: Tell = lambda _agent, _what, _done, _of: None,
) -> dict[str, Any]:
    """Embed what has no vector yet.

    Args:
        layout: The world's paths.
        world: Its streams and settings.
        names: Whose index; empty = everybody's.
        anew: Forget what is there.
        embedder: Who embeds; None = whom the settings name.
        tell: Is told of progress: agent, what is done, how much of it, of how much.

    Returns:
        The document of ``gm index build --json``.

    Raises:
        EmbeddingError: The provider cannot do it. What was embedded before is kept.
        LockedError: Another process is at it.
        UsageError: Nobody is called that.
    """
    settings = world.settings.index
    recipe = recipe_of(settings)
    agents = [world.agents[name] for name in known_agents(world.agents, names)]
    embedder = embedder or open_embedder(layout, settings)
    # once for all characters, and only if there is something to embed
    ready = cache(partial(check_embedder, embedder, recipe))
    done: dict[str, Built] = {}
    given: dict[str, Built] = {}
    with disk.explained(layout.vectors):
        make_private(layout.derived)
        with locked(layout.vectors_lock, "gm index build"):
            for agent in agents:
                done[agent.id] = build(
                    index_folder(layout, agent.id),
                    agent.everything,
                    embedder,
                    recipe,
                    above=settings.ann_above,
                    anew=anew,
                    ready=ready,
                    tell=partial(tell, agent.id),
                )
            for owner in (*(agent.id for agent in agents), *(() if names else (WORLD,))):
                if gifts := read_gifted(layout, owner).nodes:
                    folder = index_folder(layout, gifted_index(owner))
                    given[owner] = build(
                        folder, gifts, embedder, recipe, above=settings.ann_above, anew=anew, ready=ready
                    )
        remember(layout, settings, embedder)
    return {
        "model": recipe.model,
        "dimensions": recipe.dimensions,
        "enabled": settings.enabled,
        "agents": {name: asdict(built) for name, built in done.items()},
        **({"gifted": {name: asdict(built) for name, built in given.items()}} if given else {}),
    }


def check_embedder(embedder: Embedder, recipe: Recipe) -> None:
    """Make sure that vectors can be had: reachable, model there, a test embedding, its length as configured.

    Source:
        Document 000 (startup validation); here when vectors are needed, not at each start.

    Raises:
        EmbeddingError: Something of it is not so; the hint says how to put it right.
    """
    embed_texts(embedder, recipe, [TEST_TEXT])


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
        nothing = {"usable": False, "model": "", "dimensions": 0, "rows": 0, "stale": 0, "damaged": 0, "approximate": 0}
        return {**figures, **nothing, "missing": len(nodes)}
    rows = len(shelf)
    usable = shelf.header.fits(recipe)
    opened = match(shelf, nodes if usable else (), recipe)
    near = open_near(shelf) if usable else None
    return {
        **figures,
        "usable": usable,
        "model": shelf.header.model,
        "dimensions": shelf.header.dimensions,
        "rows": rows,
        "missing": len(opened.missing) if usable else len(nodes),
        "stale": opened.stale,
        "damaged": len(shelf.broken),
        "approximate": near.count if near else 0,
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


def index_folder(layout: Layout, agent: str) -> Path:
    """The folder of an agent's vectors."""
    return layout.vectors / agent


def gifted_index(owner: str) -> str:
    """Name the index of what somebody knows from the start: beside that of the stream, for its ids begin at 1 too."""
    return f"{owner}/gifted"


def open_embedder(layout: Layout, settings: IndexSettings, environment: Mapping[str, str] | None = None) -> Embedder:
    """Make the embedder that the settings name; a server is asked first in the form that it understood last time."""
    return make_embedder(settings, os.environ if environment is None else environment, _remembered(layout, settings))


def remember(layout: Layout, settings: IndexSettings, embedder: Embedder) -> None:
    """Note which form the server understood, unless that is noted already."""
    form = getattr(embedder, "form", "")
    if form and form != _remembered(layout, settings):
        disk.replace(layout.vectors_note, json.dumps({**_server(settings), "form": form}).encode())


def _remembered(layout: Layout, settings: IndexSettings) -> str:
    try:
        note = json.loads(layout.vectors_note.read_bytes())
        return str(note["form"]) if {**note, **_server(settings)} == note else ""
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def _server(settings: IndexSettings) -> dict[str, str]:
    return {"url": settings.url, "provider": settings.provider, "model": settings.model}


def _size(folder: Path, pattern: str = "*") -> int:
    return sum(path.stat().st_size for path in folder.glob(pattern) if path.is_file()) if folder.is_dir() else 0
