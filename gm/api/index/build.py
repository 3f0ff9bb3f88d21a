"""Build the embedding index."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache, partial

from gm.api.cast import known_agents
from gm.api.document import part
from gm.files.commits.lock import locked
from gm.files.forms import disk
from gm.files.forms.disk import make_private
from gm.files.layout import Layout
from gm.files.streams.gifted import read_gifted
from gm.llm.vectors.base import Embedder
from gm.llm.vectors.opened import Built, build, open_index
from gm.llm.vectors.texts import recipe_of
from gm.memory.seed_memories import WORLD
from gm.model.node import Node
from gm.model.world import World
from gm.play.embedder import check_embedder, open_embedder, remember
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
        names: Empty = all characters.
        anew: Discard existing vectors.
        embedder: None = as configured.
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
    ready = cache(partial(check_embedder, embedder, recipe))

    def embedded(name: str, nodes: Sequence[Node], tell: Callable[[int, int], object]) -> AgentBuilt:
        folder = index_folder(layout, name)
        if nodes and (anew or open_index(folder, nodes, recipe).missing):
            ready()  # before anything is touched
        return AgentBuilt(**asdict(build(folder, nodes, embedder, recipe, anew=anew, tell=tell)))

    with disk.explained(layout.vectors):
        make_private(layout.derived)
        with locked(layout.vectors_lock, "gm index build"):
            done = {name: embedded(name, world.agents[name].everything, partial(tell, name)) for name in chosen}
            given = {
                owner: embedded(gifted_index(owner), gifts, _silent)
                for owner in (*chosen, *(() if names else (WORLD,)))
                if (gifts := read_gifted(layout, owner).nodes)
            }
        remember(layout, settings, embedder)
    return IndexBuilt(recipe.model, recipe.dimensions, settings.enabled, done, given or None)


def _silent(_done: int, _of: int) -> None:
    """Report no progress: seed memories are few."""
