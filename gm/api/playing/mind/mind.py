"""A character's mind, opened for one call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial

from gm.api.editing.gift import preview_gifts
from gm.api.playing.mind.answers import RecalledItem
from gm.base.config import Settings
from gm.base.errors import UsageError
from gm.files.commits.snapshot import snapshot
from gm.files.layout import Layout
from gm.files.story.now import load_cast, load_settings
from gm.files.streams.gifted import GIVE, read_gifted
from gm.model.consulted import Formed
from gm.model.ids import WORLD
from gm.model.layer_replies import SoulEdit
from gm.model.node import GIFTED, Node
from gm.model.world import Agent, Sentences, known_agent
from gm.play.prompts import open_prompts
from gm.play.vector_search import VectorSearch, gifted_index


@dataclass(frozen=True, slots=True)
class Here:
    """The scene in which a tool is called; ``others`` are call names."""

    day: int
    time_of_day: str
    place: str
    others: tuple[str, ...] = ()


@dataclass(slots=True)
class PendingChanges:
    """Changes that a character wants in a scene; committed with the scene."""

    formed: list[Formed] = field(default_factory=list)
    reinforced: list[str] = field(default_factory=list)
    soul: list[SoulEdit] = field(default_factory=list)
    care: bool = False


@dataclass(frozen=True, slots=True)
class OpenMind:
    """A character's mind.

    Attributes:
        here: None = outside of scenes.
        pending: Collects writes in a scene; None = write at once.
    """

    layout: Layout
    settings: Settings
    cast: dict[str, Agent]
    agent: Agent
    vectors: VectorSearch
    notice: Callable[[str], None] = lambda _text: None
    here: Here | None = None
    pending: PendingChanges | None = None
    recalled: list[str] = field(default_factory=list)

    @property
    def words(self) -> Sentences:
        """The Game Master's sentences in the world's language."""
        return open_prompts(self.layout, self.settings).words

    @property
    def searches_all(self) -> bool:
        """Whether the tools search the memories of all characters."""
        return self.settings.tools.scope == "all"

    def gifted(self, *, shared: bool = False) -> tuple[Node, ...]:
        """Return the readable seed memories, own or common."""
        with snapshot(self.layout):
            return read_gifted(self.layout, WORLD if shared else self.agent.id).nodes

    def own_gifts(self) -> tuple[Node, ...]:
        """Return the character's seed memories; in a scene, those it would be given if none.

        Raises:
            UsageError: None, outside of scenes.
        """
        nodes = self.gifted()
        if nodes:
            return nodes
        missing = f"{self.agent.id} has no gifted memories yet"
        hint = f"in the folder of the world, {GIVE}"
        if self.here is None:
            raise UsageError(missing, hint)
        self.notice(f"{missing}: it plays from its persona file; {hint}")
        return preview_gifts(self.layout, self.settings, self.cast, self.agent.id)

    def shared_gifts(self) -> tuple[Node, ...]:
        """Return common knowledge: from its file, in a scene else as it would be made."""
        nodes = self.gifted(shared=True)
        if nodes or self.here is None:
            return nodes
        return preview_gifts(self.layout, self.settings, self.cast, WORLD)

    def meaning(self, query: str) -> dict[str, float]:
        """Return the similarity of seed memories to a query, by id, if there are vectors."""
        similarity = self.vectors.over(
            {gifted_index(self.agent.id): self.gifted, gifted_index(WORLD): partial(self.gifted, shared=True)}
        )
        found = similarity(query) if similarity else None
        for notice in self.vectors.take_notices():
            self.notice(notice)
        return {name.removeprefix(f"{GIFTED}/"): value for name, value in (found or {}).items()}

    def other(self, name: str) -> Agent:
        """Return another character by id or name.

        Raises:
            UsageError: No such character.
        """
        return self.cast[known_agent(self.cast, name)]


def open_mind(
    layout: Layout, name: str, notice: Callable[[str], None] = lambda _text: None, vectors: VectorSearch | None = None
) -> OpenMind:
    """Open the mind of a character, given by id or name.

    Raises:
        UsageError: No such character.
    """
    with snapshot(layout):
        settings, _ = load_settings(layout)
        cast, _ = load_cast(layout)
    vectors = vectors or VectorSearch(layout, settings.index)
    return OpenMind(layout, settings, cast, cast[known_agent(cast, name)], vectors, notice)


def match_seeds(nodes: Iterable[Node], **wanted: Sequence[str]) -> list[Node]:
    """Return the seed memories whose metadata match one of the texts per key."""
    return [node for node in nodes if all(str(node.metadata.get(key, "")) in texts for key, texts in wanted.items())]


def seed_items(found: Sequence[tuple[Node, float]], most: int) -> tuple[RecalledItem, ...]:
    """Return seed memories as document 000 shows them."""
    return tuple(RecalledItem(content=node.description, relevance=relevance) for node, relevance in found[:most])
