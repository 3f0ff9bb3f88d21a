"""Lookups for a scene beside window and ``rag``."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, zip_longest

from gm.ask.prompt.situation import list_hanging
from gm.ask.prompt.turn_context import Gathered
from gm.base.casefold import casefold
from gm.layers.relationships import RELATIONSHIPS
from gm.memory.recall.query import Filters, Hit
from gm.model.node import Node
from gm.model.passage import Passage
from gm.model.scene import Scene
from gm.model.stream import since
from gm.model.world import Agent, World
from gm.play.memory_search import ANY, MemorySearch, Search, is_relevant, make_query, search_memories
from gm.play.reminders import SPARE, choose_seeds, read_seeds
from gm.scene.grounding.attendance import present_with
from gm.scene.planning.marks import is_struck

LATELY_DAYS, WEIGHTY_IMPORTANCE = 7, 7
"""Days of the recent memories among which weighty ones are looked up, and the importance from which one is weighty."""
BOND = "relationship"
SEEDS = "seeds"
KNOWN_ABOUT = (BOND, "observed")
"""Categories of seed memories about others that are not common knowledge."""

Find = Callable[[str], Sequence[Passage]]


def gather(
    means: MemorySearch, world: World, scene: Scene, agent: Agent, remembered: Collection[str]
) -> tuple[Gathered, ...]:
    """Look up ``context.sources``, in order; other seed memories come last, as source ``seeds``.

    Returns:
        Per source at most ``context.memories_per_source`` memories, oldest first, each shown once; nothing that hangs
            on the board. Empty sources are left out.
    """
    context = world.settings.context
    if scene.type.reply != "scene":
        return ()
    posts = {post.key: post.day for post in list_hanging(world)}
    lately = since(agent.stream, min(posts.values())) if posts and context.sources else ()
    shown = {*remembered, *(node.id for node in lately if node.post in posts)}
    found = []
    for source in context.sources:
        occasion = Occasion(means, world, scene, agent, frozenset(shown))
        nodes: list[Node] = []
        for node in FINDERS[source](occasion):
            if node.id not in shown and len(nodes) < context.memories_per_source:
                nodes.append(node)
                shown.add(node.id)
        known = occasion.known_about_present() if source == "about_present" else ()
        if nodes or known:
            found.append(Gathered(source, tuple(sorted(nodes, key=lambda node: node.when)), known))
    known_texts = {text for part in found for text in part.known}
    seeds = tuple(text for text in choose_seeds(means, world, scene, agent) if text not in known_texts)
    return (*found, *((Gathered(SEEDS, (), seeds),) if seeds else ()))


@dataclass(frozen=True, slots=True)
class Occasion:
    """A scene in which a character looks something up."""

    means: MemorySearch
    world: World
    scene: Scene
    agent: Agent
    shown: frozenset[str]

    def about_present(self) -> Iterable[Node]:
        """Yield memories about those present, in turns, best fit first."""
        about = " ".join(filter(None, (self.scene.topic, self.scene.premise)))
        each = []
        for other in self._present():
            names = tuple(casefold(name) for name in (other.id, other.name, other.call_name))
            each.append(self._search(about, Filters(about=names), lambda _hit: True))
        return (node for node in chain.from_iterable(zip_longest(*each)) if node is not None)

    def location(self) -> Iterable[Node]:
        """Return memories that mention the place, then those of scenes there, newest first."""
        place = self.scene.place
        there = (node for node in reversed(self.agent.stream) if node.metadata.get("location") == place)
        return (*self._by_words(place.replace("-", " ")), *there) if place else ()

    def goal(self) -> Iterable[Node]:
        state = self.agent.state
        plan = [item for item in state.today_plan if not is_struck(item)]
        return self._by_words(" ".join((state.current_task, *plan)))

    def important_recent(self) -> Iterable[Node]:
        """Return memories of seven days with importance 7 or more, most important, then newest first."""
        lately = since(self.agent.stream, self.scene.ref.day - LATELY_DAYS + 1)
        weighty = [(place, node) for place, node in enumerate(lately) if node.importance >= WEIGHTY_IMPORTANCE]
        return [node for _, node in sorted(weighty, key=lambda item: (-item[1].importance, -item[0]))]

    def known_about_present(self) -> tuple[str, ...]:
        """Return seed memories about those present, shown relationships aside."""
        people = {casefold(other.id) for other in self._present()}
        are_bonds_shown = RELATIONSHIPS.name in self.world.layers
        known = [
            " ".join(node.description.split())
            for node in read_seeds(self.means.layout, self.agent.id)
            if casefold(node.about) in people
            and (category := node.metadata.get("category")) in KNOWN_ABOUT
            and not (category == BOND and are_bonds_shown)
        ]
        return tuple(known[: self.world.settings.context.memories_per_source])

    def _present(self) -> list[Agent]:
        return [self.world.agents[name] for name in present_with(self.world, self.scene, self.agent.id)]

    def _by_words(self, text: str) -> Sequence[Node]:
        return self._search(text, ANY, is_relevant) if text.strip() else ()

    def _search(self, text: str, filters: Filters, keep: Callable[[Hit], bool]) -> Sequence[Node]:
        most = self.world.settings.context.memories_per_source * SPARE + len(self.shown)
        query = make_query(self.world, self.agent, self.scene, text)
        return search_memories(
            self.means,
            self.world,
            self.agent,
            Search(query, most, filters=filters),
            lambda hit: hit.entry.id not in self.shown and keep(hit),
        )


FINDERS: Mapping[str, Callable[[Occasion], Iterable[Node]]] = {
    "about_present": Occasion.about_present,
    "location": Occasion.location,
    "goal": Occasion.goal,
    "important_recent": Occasion.important_recent,
}


def look_up(scene: Scene, find: Find) -> Scene:
    """Return a scene with its passages, best first, if its type uses the library."""
    if not scene.type.library:
        return scene
    return replace(scene, passages=tuple(find(scene.topic or scene.intent)))
