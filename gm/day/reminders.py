"""What comes to somebody's mind: memories that a scene calls up, and the window by what occupies them (S2-09, K1)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from gm.memory.lens_form import lenses_of
from gm.memory.recall.associate import associate
from gm.memory.recall.columns import Columns
from gm.memory.recall.dates import ordinal_of
from gm.memory.recall.query import Filters, Hit, Purpose, Query, Similarity
from gm.memory.recall.strategies import Means, rank
from gm.memory.recall.window import BY_QUESTION, choose_settled, select_chosen
from gm.memory.retrieve import Selection, count_fresh
from gm.memory.share import KIND
from gm.model.character import Agent
from gm.model.ids import highest_number
from gm.model.node import Node, is_utterance
from gm.model.scene import Scene
from gm.model.world import World
from gm.prompt.context import Assembler
from gm.store.layout import Layout
from gm.store.lexical.index import WordIndex
from gm.store.streams.gifted import read_gifted
from gm.store.streams.strength import StrengthFile
from gm.tokens import estimate_tokens

ANY = Filters()
COPIES = Filters(kinds=(KIND,))
SPARE = 3  # times as many are looked for as are wanted: those in the window are left out afterwards


class Reminder:
    """Finds what comes to somebody's mind. Opens the index when it is needed first.

    Args:
        layout: The world.
        assembler: Renders what is looked for.
        notice: Told once what is done without.
        similarity: Similarity of vectors to a text, by id of the memory; None when there is no index of them.
    """

    def __init__(
        self,
        layout: Layout,
        assembler: Assembler,
        notice: Callable[[str], None],
        similarity: Similarity | None = None,
    ) -> None:
        self._layout = layout
        self._assembler = assembler
        self._notice = notice
        self._similarity = similarity
        self._index: WordIndex | None = None
        self._strengths = StrengthFile(layout)
        self._said: set[str] = set()
        self._windows: dict[str, tuple[tuple[object, ...], frozenset[str]]] = {}

    def close(self) -> None:
        """Let go of the index."""
        if self._index is not None:
            self._index.close()
            self._index = None

    def window(self, world: World, agent: Agent, last: int | None = None) -> Selection | None:
        """Choose the window by what is on somebody's mind; None where it is configured otherwise."""
        retrieval = world.settings.retrieval
        if retrieval.strategy not in BY_QUESTION or not agent.stream:
            return None
        settled = agent.stream[: len(agent.stream) - count_fresh(agent.stream, world.open_day)]
        most = last or retrieval.last
        key = (settled, retrieval.strategy, most, world.settings.recall, world.settings.language)
        known = self._windows.get(agent.id)
        if known is None or known[0] != key:
            language = world.settings.language
            chosen, notices = choose_settled(agent.id, settled, retrieval.strategy, most, self._means(world), language)
            self._say(notices)
            known = self._windows[agent.id] = (key, chosen)
        return select_chosen(agent.stream, known[1], retrieval, world.open_day)

    def mind(self, world: World, scene: Scene, agent: Agent, remembered: Collection[str]) -> tuple[Node, ...]:
        """Find the memories that a scene calls up in somebody, oldest first, without those before their eyes anyway.

        Args:
            world: The world before the scene.
            scene: What is being played.
            agent: Who remembers.
            remembered: Ids of the memories that the prompt shows.
        """
        rag = scene.type.rag or world.settings.rag
        if not rag.limit or scene.type.reply != "scene":
            return ()
        query = make_query(world, agent, scene, self._assembler.cue(world, agent, scene, rag.query_template))
        found = self._called_up(world, agent, query, rag.limit, remembered)
        return tuple(
            sorted(
                _within(found, rag.budget_tokens), key=lambda node: (node.when, highest_number(agent.id, (node.id,)))
            )
        )

    def taken_over(self, world: World, scene: Scene, agent: Agent, remembered: Collection[str]) -> tuple[Node, ...]:
        """Find what a scene calls up of the memories that somebody has taken over from others, the best first.

        They are in no window: without this, whoever was given memories would hardly ever think of them.
        """
        most = world.settings.share.shown
        if not most or scene.type.reply != "scene" or not any("copied_from" in node.metadata for node in agent.beside):
            return ()
        query = make_query(world, agent, scene, self._assembler.cue(world, agent, scene, ""))
        return tuple(self._called_up(world, agent, query, most, remembered, COPIES))

    def _called_up(
        self,
        world: World,
        agent: Agent,
        query: Query,
        most: int,
        remembered: Collection[str],
        filters: Filters = ANY,
    ) -> list[Node]:
        """Find what something speaks for, without what the prompt shows anyway."""
        looked_at = most * SPARE + len(remembered)

        def keep(hit: Hit) -> bool:
            return hit.entry.id not in remembered and speaks(hit)

        return self.search(world, agent, query, looked_at, filters=filters, keep=keep)[:most]

    def search(
        self,
        world: World,
        agent: Agent,
        query: Query,
        most: int,
        *,
        strategy: str = "hybrid",
        filters: Filters = ANY,
        keep: Callable[[Hit], bool] = lambda _hit: True,
    ) -> list[Node]:
        """Look for memories of somebody's own, the best first. Single utterances do not come to mind: they are found
        when somebody asks for them.

        Args:
            world: The world as it is.
            agent: Who remembers.
            query: What is looked for.
            most: How many are looked at, at most.
            strategy: As in ``recall.strategy``.
            filters: What a memory must be to be looked at.
            keep: Chooses among those that were found.
        """
        if self._index is None:
            self._index = WordIndex(self._layout, world.settings.language)
        own = {node.id: node for node in (*agent.stream, *agent.beside)}
        utterances = {node.id for node in agent.beside if is_utterance(node.metadata)}
        most += len(utterances)  # they are looked at, and left out
        lenses = lenses_of(world.settings, agent)
        index = self._index

        def keep_lived(hit: Hit) -> bool:
            return hit.entry.id not in utterances and keep(hit)

        def find(streams: tuple[Columns, ...]) -> list[Node]:
            found = rank(strategy, query, streams, filters, most, self._means(world))
            self._say(found.notices)
            near = associate(found.hits, query.text, lenses, streams, filters)
            # as the world was read: an edit meanwhile is noticed before the scene lands
            nodes = (
                index.read_node(hit) if index.kept_in(hit) else own.get(hit.entry.id) for hit in near if keep_lived(hit)
            )
            return [node for node in nodes if node is not None]

        return index.ask((agent.id,), find)

    def known_from_start(self, agent: Agent) -> tuple[Node, ...]:
        """Read the gifted memories of somebody; lines that cannot be read are left out."""
        return read_gifted(self._layout, agent.id).nodes

    def _means(self, world: World) -> Means:
        settings = world.settings
        fading = self._strengths.fading(settings)
        return Means(
            settings.recall, settings.glossary, self._similarity, fading=fading, languages=settings.index.made_for
        )

    def _say(self, notices: Sequence[str]) -> None:
        for notice in notices:
            if notice not in self._said:
                self._said.add(notice)
                self._notice(notice)


def make_query(world: World, agent: Agent, scene: Scene, text: str, purpose: Purpose = "now") -> Query:
    """Put a question of somebody to its own memory, as of a scene."""
    return Query(
        text,
        agent.id,
        scene.ref.day,
        scene.ref.scene,
        purpose,
        people=tuple((other.id, other.name, other.call_name) for other in world.agents.values()),
        weekdays=world.settings.calendar.weekdays,
        first_date=ordinal_of(world.settings.calendar.start or ""),
    )


def speaks(hit: Hit) -> bool:
    """Tell whether words, neighbours or a date speak for a memory, and not only that it is recent."""
    return any(hit.parts.get(name, 0.0) > 0 for name in ("own", "beside", "date", "association"))


def _within(nodes: Sequence[Node], budget: int | None) -> list[Node]:
    """Keep the best that fit into a budget of estimated tokens."""
    kept: list[Node] = []
    left = budget
    for node in nodes:
        if left is not None:
            left -= estimate_tokens(node.description)
            if left < 0:
                break
        kept.append(node)
    return kept
