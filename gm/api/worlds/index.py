"""The embedding index of a world: its state, building and removing it. It is derived data and may be deleted.

Storage and comparison: ``gm.llm.vectors``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache, partial
from pathlib import Path

from gm.api.answers.document import part
from gm.base.config import IndexSettings
from gm.base.errors import GmError
from gm.files.commits.lock import locked
from gm.files.formats import disk
from gm.files.layout import Layout
from gm.files.streams.gifted import read_gifted
from gm.llm.vectors.base import Embedder
from gm.llm.vectors.files import read_shelf
from gm.llm.vectors.opened import Built, build, match_rows, open_vectors
from gm.llm.vectors.texts import Recipe, recipe_of
from gm.model.ids import WORLD
from gm.model.node import Node
from gm.model.world import World, known_agents
from gm.play.embedder import open_embedder, probe_embedder, store_recipe
from gm.play.vector_search import gifted_index, index_folder

Tell = Callable[[str, int, int], object]


@dataclass(frozen=True, slots=True)
class AgentBuilt(Built):
    """What was embedded for a character; ``approximate`` is always 0 (comparison is exact)."""

    approximate: int = 0


@dataclass(frozen=True, slots=True)
class IndexBuilt:
    """What was embedded, by agent and by owner of seed memories; ``enabled`` = recall uses it."""

    model: str
    dimensions: int
    enabled: bool
    agents: Mapping[str, AgentBuilt]
    gifted: Mapping[str, AgentBuilt] | None = part(omit=None)


def build_index(
    layout: Layout,
    world: World,
    names: Sequence[str] = (),
    *,
    anew: bool = False,
    embedder: Embedder | None = None,
    tell: Tell = lambda _agent, _done, _of: None,
) -> IndexBuilt:
    """Embed what has no vector yet.

    Args:
        anew: Discard existing vectors.
        tell: Called with agent id, texts embedded, and their total.

    Raises:
        EmbeddingError: The provider failed; earlier vectors are kept.
        LockedError: Another process is writing to the index.
        UsageError: A name is unknown.
    """
    settings = world.settings.index
    recipe = recipe_of(settings)
    chosen = known_agents(world.agents, names)
    embedder = embedder or open_embedder(layout, settings)
    # once for all characters, and only if there is something to embed
    ready = cache(partial(probe_embedder, embedder, recipe))

    def embedded(name: str, nodes: Sequence[Node], tell: Callable[[int, int], object]) -> AgentBuilt:
        folder = index_folder(layout, name)
        if nodes and (anew or open_vectors(folder, nodes, recipe).missing):
            ready()  # before anything is touched
        return AgentBuilt(**asdict(build(folder, nodes, embedder, recipe, anew=anew, tell=tell)))

    with disk.explained(layout.vectors):
        disk.make_private(layout.derived)
        with locked(layout.vectors_lock, "gm index build"):
            done = {name: embedded(name, world.agents[name].everything, partial(tell, name)) for name in chosen}
            given = {
                owner: embedded(gifted_index(owner), gifts, lambda _done, _of: None)
                for owner in (*chosen, *(() if names else (WORLD,)))
                if (gifts := read_gifted(layout, owner).nodes)
            }
        store_recipe(layout, settings, embedder)
    return IndexBuilt(recipe.model, recipe.dimensions, settings.enabled, done, given or None)


@dataclass(frozen=True, slots=True)
class IndexState:
    """The index of a memory stream or of seed memories."""

    memories: int
    bytes: int
    usable: bool = False
    model: str = ""
    dimensions: int = 0
    rows: int = 0
    missing: int = 0
    stale: int = 0
    damaged: int = 0
    approximate: int = 0


@dataclass(frozen=True, slots=True)
class ProviderCheck:
    """Whether the provider embeds; if not, the problem and a hint."""

    ok: bool
    problem: str = ""
    hint: str = ""


@dataclass(frozen=True, slots=True)
class IndexStatus:
    """The index of a world, by agent and by owner of seed memories; ``checked`` None = not asked for."""

    enabled: bool
    provider: str
    url: str
    model: str
    dimensions: int
    checked: ProviderCheck | None
    agents: Mapping[str, IndexState]
    gifted: Mapping[str, IndexState] | None = part(omit=None)


@dataclass(frozen=True, slots=True)
class IndexRemoved:
    """The agents with a removed index, and its size."""

    agents: tuple[str, ...]
    bytes: int


def describe_index(layout: Layout, world: World, *, check: bool = False) -> IndexStatus:
    """Return the state of a world's index."""
    settings = world.settings.index
    recipe = recipe_of(settings)
    gifted = {
        owner: _describe_index(index_folder(layout, gifted_index(owner)), gifts, recipe)
        for owner in (*world.agents, WORLD)
        if (gifts := read_gifted(layout, owner).nodes)
    }
    return IndexStatus(
        enabled=settings.enabled,
        provider=settings.provider,
        url="" if settings.provider == "local" else settings.url,
        model=recipe.model,
        dimensions=recipe.dimensions,
        checked=_try(layout, settings, recipe) if check else None,
        agents={
            name: _describe_index(index_folder(layout, name), agent.everything, recipe)
            for name, agent in world.agents.items()
        },
        gifted=gifted or None,
    )


def _try(layout: Layout, settings: IndexSettings, recipe: Recipe) -> ProviderCheck:
    try:
        probe_embedder(open_embedder(layout, settings), recipe)
    except GmError as error:
        return ProviderCheck(False, error.message, error.hint)
    return ProviderCheck(True)


def _describe_index(folder: Path, nodes: Sequence[Node], recipe: Recipe) -> IndexState:
    size = _size_of_files(folder)
    with disk.explained(folder):
        shelf = read_shelf(folder)
    if shelf is None:
        return IndexState(len(nodes), size, missing=len(nodes))
    usable = shelf.header.fits(recipe)
    opened = match_rows(shelf, nodes if usable else (), recipe)
    return IndexState(
        memories=len(nodes),
        bytes=size,
        usable=usable,
        model=shelf.header.model,
        dimensions=shelf.header.dimensions,
        rows=len(shelf),
        missing=len(opened.missing) if usable else len(nodes),
        stale=opened.stale,
        damaged=len(shelf.broken),
    )


def remove_index(layout: Layout) -> IndexRemoved:
    """Delete the index of all characters.

    Raises:
        LockedError: Another process is writing to it.
    """
    if not layout.vectors.is_dir():
        return IndexRemoved((), 0)
    with disk.explained(layout.vectors), locked(layout.vectors_lock, "gm index remove"):
        names = sorted(path.name for path in layout.vectors.iterdir() if path.is_dir() and path.name != WORLD)
        size = sum(_size_of_files(layout.vectors / name, "**/*") for name in names)
        disk.remove_folder(layout.vectors)
        disk.remove(layout.vectors_note)
    return IndexRemoved(tuple(names), size)


def _size_of_files(folder: Path, pattern: str = "*") -> int:
    return sum(path.stat().st_size for path in folder.glob(pattern) if path.is_file()) if folder.is_dir() else 0
