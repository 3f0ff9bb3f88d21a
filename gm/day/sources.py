"""What is looked up for a scene beside window and ``rag``: ``context.sources`` (S0-47), and seed memories (S2-14).

It goes into the question, which changes from call to call anyway. Nothing is shown twice: not what stands in the
window, not what another source has found.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, zip_longest

from gm.day.reminders import SPARE, Reminder, make_query, speaks
from gm.memory.recall.query import Filters, Hit
from gm.model.character import Agent
from gm.model.fold import fold
from gm.model.node import Node
from gm.model.passage import Passage
from gm.model.relationship import LAYER as RELATIONSHIPS
from gm.model.scene import Scene
from gm.model.stream import since
from gm.model.world import World
from gm.prompt.board import MOST_POSTS
from gm.prompt.turn_context import Gathered
from gm.scene.conversation import bystanders

LATELY_DAYS, WEIGHTY = 7, 7
BOND = "relationship"
SEEDS = "seeds"
KNOWN_ABOUT = (BOND, "observed")
"""Gifted memories of others that say more than everybody knows anyway."""

Find = Callable[[str], Sequence[Passage]]

Finder = Callable[[Reminder, World, Scene, Agent, Collection[str]], Iterable[Node]]


def gather(
    reminder: Reminder, world: World, scene: Scene, agent: Agent, remembered: Collection[str]
) -> tuple[Gathered, ...]:
    """Look up what the settings name, in their order.

    Args:
        reminder: Searches somebody's own memory.
        world: The world before the scene.
        scene: What is being played.
        agent: Who remembers.
        remembered: Ids of the memories that the prompt shows anyway.

    Returns:
        What was found by source, each at most ``context.memories_per_source`` memories, oldest first; a source that
        found nothing is left out. What hangs on the board is not said again. At the end seed memories that no prompt
        shows otherwise, as the source ``seeds``.
    """
    context = world.settings.context
    if scene.type.reply != "scene":
        return ()
    hanging = {post.key for post in world.posts[-MOST_POSTS:]}
    shown = {*remembered, *(node.id for node in agent.stream if node.metadata.get("post") in hanging)}
    found = []
    for source in context.sources:
        nodes: list[Node] = []
        for node in FINDERS[source](reminder, world, scene, agent, frozenset(shown)):
            if node.id not in shown and len(nodes) < context.memories_per_source:
                nodes.append(node)
                shown.add(node.id)
        known = tuple(_known_about(reminder, world, scene, agent)) if source == "about_present" else ()
        if nodes or known:
            found.append(Gathered(source, tuple(sorted(nodes, key=lambda node: node.when)), known))
    told = {text for part in found for text in part.known}
    seeds = tuple(text for text in reminder.seeds(world, scene, agent) if text not in told)
    return (*found, *((Gathered(SEEDS, (), seeds),) if seeds else ()))


def _present(world: World, scene: Scene, agent: Agent) -> list[Agent]:
    """Name who is there, whether they take part or not."""
    others = [world.agents[name] for name in scene.cast if name != agent.id]
    return [*others, *(other for other in bystanders(world, scene) if other.id != agent.id)]


def _about_present(
    reminder: Reminder, world: World, scene: Scene, agent: Agent, shown: Collection[str]
) -> Iterable[Node]:
    """Take turns among those who are there: what fits the scene best of what is remembered about each."""
    most = world.settings.context.memories_per_source
    query = make_query(world, agent, scene, _occasion(scene))
    each = []
    for other in _present(world, scene, agent):
        names = tuple(fold(name) for name in (other.id, other.name, other.call_name))
        looked = most * SPARE + len(shown)
        each.append(reminder.search(world, agent, query, looked, filters=Filters(about=names), keep=_not_in(shown)))
    return (node for node in chain.from_iterable(zip_longest(*each)) if node is not None)


def _location(reminder: Reminder, world: World, scene: Scene, agent: Agent, shown: Collection[str]) -> Iterable[Node]:
    """What is remembered of the place: where its name stands, then talks that took place there, the newest first."""
    if not scene.place:
        return ()
    named = _by_words(reminder, world, scene, agent, shown, scene.place.replace("-", " "))
    there = [node for node in reversed(agent.stream) if node.metadata.get("location") == scene.place]
    return (*named, *there)


def _goal(reminder: Reminder, world: World, scene: Scene, agent: Agent, shown: Collection[str]) -> Iterable[Node]:
    """What has to do with the task and with what is still to be done today."""
    plan = [item for item in agent.state.today_plan if not item.startswith("DONE")]
    return _by_words(reminder, world, scene, agent, shown, " ".join((agent.state.current_task, *plan)))


def _important_recent(
    _reminder: Reminder, _world: World, scene: Scene, agent: Agent, _shown: Collection[str]
) -> Iterable[Node]:
    """What weighed 7 or more in the last seven days, the weightiest first, then the newest."""
    lately = since(agent.stream, scene.ref.day - LATELY_DAYS + 1)
    weighty = [(place, node) for place, node in enumerate(lately) if node.importance >= WEIGHTY]
    return [node for _, node in sorted(weighty, key=lambda item: (-item[1].importance, -item[0]))]


FINDERS: Mapping[str, Finder] = {
    "about_present": _about_present,
    "location": _location,
    "goal": _goal,
    "important_recent": _important_recent,
}


def _by_words(
    reminder: Reminder, world: World, scene: Scene, agent: Agent, shown: Collection[str], text: str
) -> Sequence[Node]:
    if not text.strip():
        return ()
    most = world.settings.context.memories_per_source * SPARE + len(shown)
    unseen = _not_in(shown)
    return reminder.search(
        world, agent, make_query(world, agent, scene, text), most, keep=lambda hit: unseen(hit) and speaks(hit)
    )


def _not_in(shown: Collection[str]) -> Callable[[Hit], bool]:
    return lambda hit: hit.entry.id not in shown


def _occasion(scene: Scene) -> str:
    return " ".join(filter(None, (scene.topic, scene.premise)))


def _known_about(reminder: Reminder, world: World, scene: Scene, agent: Agent) -> Iterable[str]:
    """What somebody knows from the start of those who are there, as often as memories may be added.

    What one thinks of those in the scene is said by itself where there are relationships, and not here again.
    """
    people = {fold(other.id) for other in _present(world, scene, agent)}
    said = {fold(name) for name in scene.cast} if RELATIONSHIPS in world.layers else set()
    known = [
        " ".join(node.description.split())
        for node in reminder.known_from_start(agent)
        if fold(str(node.metadata.get("about", ""))) in people and node.metadata.get("category") in KNOWN_ABOUT
        if not (node.metadata.get("category") == BOND and fold(str(node.metadata.get("about", ""))) in said)
    ]
    return known[: world.settings.context.memories_per_source]


def look_up(scene: Scene, find: Find) -> Scene:
    """Give a scene the passages that it is about, if its type looks something up; else the scene as it is.

    Args:
        scene: What is about to be played.
        find: Finds passages of the library about something, best first.
    """
    if not scene.type.library:
        return scene
    return replace(scene, passages=tuple(find(scene.topic or scene.intent)))
