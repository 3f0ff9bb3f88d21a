"""One character's mind, opened for one call: world, settings, gifted memories."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from gm.api.cast import known_agent
from gm.api.gift import read_cast, would_be_given
from gm.base.casefold import search_key
from gm.base.config import Settings
from gm.base.errors import UsageError
from gm.files.commits.snapshot import snapshot
from gm.files.layout import Layout
from gm.files.load import load_settings
from gm.files.streams.gifted import read_gifted
from gm.memory.lexical import rank
from gm.memory.recall.hybrid import sharpen
from gm.memory.recall.seeds import GIFTED
from gm.memory.seed_memories import WORLD, Words
from gm.model.character import Agent
from gm.model.consulted import Formed
from gm.model.node import Node
from gm.model.replies import SoulEdit
from gm.play.prompts import open_prompts
from gm.play.vector_search import VectorSearch, gifted_index

BELOW_CANONICAL = 0.9
"""The best that words alone reach; a canonical question itself is 1."""
STANDS_OUT = 0.5
"""Deviations above the mean from which on a similarity counts."""


NO_GIFTS = "run: gm gift"


@dataclass(frozen=True, slots=True)
class Here:
    """The scene in which somebody asks their memory.

    Attributes:
        day: The story day.
        time_of_day: As in the clock.
        place: Where it is.
        others: Call names of who else is there.
    """

    day: int
    time_of_day: str
    place: str
    others: tuple[str, ...] = ()


@dataclass(slots=True)
class Wishes:
    """What a character wants to become of its memories in a scene; it lands with the scene."""

    formed: list[Formed] = field(default_factory=list)
    reinforced: list[str] = field(default_factory=list)
    soul: list[SoulEdit] = field(default_factory=list)
    care: bool = False


def _tell_nobody(_text: str) -> None:
    """Stand in where nobody wants to know what was done without."""


@dataclass(frozen=True, slots=True)
class Mind:
    """Whose memory is asked, and in which world.

    Attributes:
        layout: The world's files.
        settings: Its settings.
        cast: Everybody, without what they remember.
        agent: Whose mind it is.
        notice: Told what was done without, one sentence each.
        here: The scene in which it is asked; None = outside of scenes.
        wishes: Takes what is to be written, in a scene; None = it is written at once.
        recalled: Takes the ids of memories that come up.
        vectors: Compares questions with memories; each question is embedded once.
    """

    layout: Layout
    settings: Settings
    cast: dict[str, Agent]
    agent: Agent
    vectors: VectorSearch
    notice: Callable[[str], None] = _tell_nobody
    here: Here | None = None
    wishes: Wishes | None = None
    recalled: list[str] = field(default_factory=list)

    @property
    def words(self) -> Words:
        """The Game Master's own sentences in the language of the world."""
        return open_prompts(self.layout, self.settings.language).words

    @property
    def searches_all(self) -> bool:
        """Whether everybody's memories are looked through."""
        return self.settings.tools.scope == "all"

    def gifted(self, *, shared: bool = False) -> tuple[Node, ...]:
        """Read what the character knows from the start, or what all do; lines that cannot be read are left out."""
        with snapshot(self.layout):
            return read_gifted(self.layout, WORLD if shared else self.agent.id).nodes

    def own_gifts(self) -> tuple[Node, ...]:
        """Read what the character was given; in a scene, where nobody has given it anything, what it would be given.

        Raises:
            UsageError: Nobody has given it anything yet, and no scene is waiting.
        """
        nodes = self.gifted()
        if nodes:
            return nodes
        missing = f"{self.agent.id} has no gifted memories yet"
        hint = f"in the folder of the world, {NO_GIFTS}"
        if self.here is None:
            raise UsageError(missing, hint)
        self.notice(f"{missing}: it plays from its persona file; {hint}")
        return would_be_given(self.layout, self.settings, self.cast, self.agent.id)

    def shared_gifts(self) -> tuple[Node, ...]:
        """Read what all know; in a scene, where nobody has written it down yet, what would be."""
        nodes = self.gifted(shared=True)
        if nodes or self.here is None:
            return nodes
        return would_be_given(self.layout, self.settings, self.cast, WORLD)

    def meaning(self, query: str) -> dict[str, float]:
        """Tell how close gifted memories are to a question by their vectors, by id; empty where there are none."""
        similarity = self.vectors.over(
            {
                gifted_index(self.agent.id): self.gifted,
                gifted_index(WORLD): partial(self.gifted, shared=True),
            }
        )
        found = similarity(query) if similarity else None
        self.say_new()
        return {name.removeprefix(f"{GIFTED}/"): value for name, value in (found or {}).items()}

    def say_new(self) -> None:
        """Tell what was done without vectors, and why."""
        for notice in self.vectors.take_notices():
            self.notice(notice)

    def other(self, name: str) -> Agent:
        """Find another character by a name.

        Raises:
            UsageError: There is no such character.
        """
        return self.cast[known_agent(self.cast, name)]


def open_mind(
    layout: Layout,
    name: str,
    notice: Callable[[str], None] = _tell_nobody,
    vectors: VectorSearch | None = None,
) -> Mind:
    """Open the mind of a character.

    Args:
        layout: The world.
        name: The character's id, or its name.
        notice: Told what was done without.
        vectors: Compares questions with memories; None = made for this mind.

    Raises:
        UsageError: There is no such character.
    """
    with snapshot(layout):
        settings, _ = load_settings(layout)
        cast, _ = read_cast(layout)
    vectors = vectors or VectorSearch(layout, settings.index)
    return Mind(layout, settings, cast, cast[known_agent(cast, name)], vectors, notice)


def choose(nodes: Iterable[Node], **wanted: Sequence[str]) -> list[Node]:
    """Keep the gifted memories whose metadata say one of the wanted texts for each key."""
    return [node for node in nodes if all(str(node.metadata.get(key, "")) in texts for key, texts in wanted.items())]


def rank_gifted(
    nodes: Sequence[Node], query: str, language: str, meaning: Mapping[str, float] | None = None
) -> list[tuple[Node, float]]:
    """Rank gifted memories by a question: those first of which it is a canonical one, then by words.

    Where there are vectors, a memory counts by its closest one as well: that of its content or of a canonical question.

    The canonical questions are looked through together with the content.

    Returns:
        Every memory with its relevance, from 0 to 1; equal ones in the order of the file.
    """
    near = meaning or {}
    close = sharpen({place: near[node.id] for place, node in enumerate(nodes) if node.id in near}, STANDS_OUT)
    wanted = search_key(query)
    texts = [" ".join((node.description, *_canonical(node))) for node in nodes]
    found = dict(rank(query, texts, language))
    best = max(found.values(), default=0.0) or 1.0
    scores = [
        1.0
        if any(search_key(known) == wanted for known in _canonical(node))
        else BELOW_CANONICAL * max(found.get(place, 0.0) / best, near[node.id] if place in close else 0.0)
        for place, node in enumerate(nodes)
    ]
    order = sorted(range(len(nodes)), key=lambda place: -scores[place])
    return [(nodes[place], round(scores[place], 4)) for place in order]


def answer(found: Iterable[tuple[Node, float]], most: int) -> dict[str, Any]:
    """Put gifted memories into the response format of document 000: content and relevance, nothing else."""
    memories = [{"content": node.description, "relevance": relevance} for node, relevance in found]
    return {"memories": memories[:most]}


def _canonical(node: Node) -> list[str]:
    known = node.metadata.get("canonical")
    return [query for query in known if isinstance(query, str)] if isinstance(known, list) else []
