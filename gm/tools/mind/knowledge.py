"""Who one is, where one is, and who the others are: the tools with fixed questions (S0-22 … S0-26)."""

from __future__ import annotations

from typing import Any

from gm.errors import UsageError
from gm.memory.gifted import CHARACTER, KNOWLEDGE, SCENE, SCENE_CATEGORIES, canonical_queries
from gm.model.calendar import weekday
from gm.model.fold import fold
from gm.model.node import Node
from gm.store.layout import Layout
from gm.store.load import load_clock
from gm.store.snapshot import snapshot
from gm.tools.mind.mind import Mind, answer, choose, open_mind, rank_gifted

NO_GIFTS = "run: gm gift"


def query_self(layout: Layout, agent: str) -> dict[str, Any]:
    """Retrieve your core identity - who you are, your personality, background."""
    return _own(layout, agent, "identity", 5)


def query_background(layout: Layout, agent: str) -> dict[str, Any]:
    """Retrieve your personal history and background."""
    return _own(layout, agent, "background", 5)


def query_communication_style(layout: Layout, agent: str) -> dict[str, Any]:
    """Learn how you communicate and interact with others."""
    return _own(layout, agent, "communication", 3)


def query_scene(layout: Layout, agent: str) -> dict[str, Any]:
    """Understand where you are and the current atmosphere.

    What the clock and the agent's file say now comes first; then one memory of each category, that of the place first.
    """
    mind = open_mind(layout, agent)
    nodes = choose(mind.gifted(shared=True), type=(SCENE,))
    place = fold(mind.agent.state.position)
    chosen: list[tuple[Node, float]] = []
    for category in SCENE_CATEGORIES:
        here = [
            node for node in choose(nodes, category=(category,)) if fold(str(node.metadata["about"])) in ("", place)
        ]
        queries = canonical_queries(category, mind.words)
        ranked = rank_gifted(here, queries[0] if queries else "", mind.settings.language)
        chosen += sorted(ranked, key=lambda item: (-item[1], fold(str(item[0].metadata["about"])) != place))[:1]
    now = {"content": _now(mind), "relevance": 1.0}
    return {"memories": [now, *answer(chosen, 4)["memories"]]}


def query_character(layout: Layout, agent: str, name: str) -> dict[str, Any]:
    """Learn about another agent in the simulation."""
    mind = open_mind(layout, agent)
    other = mind.other(name)
    if other.id == mind.agent.id:
        raise UsageError(f"{other.name} is you", "use query_self to learn about yourself")
    nodes = choose(_given(mind), type=(KNOWLEDGE,), about=(other.id,))
    queries = canonical_queries("other", mind.words, other.call_name)
    ranked = rank_gifted(nodes, queries[0] if queries else other.name, mind.settings.language)
    return {"character": other.name, **answer(ranked, 3)}


def _own(layout: Layout, agent: str, category: str, most: int) -> dict[str, Any]:
    mind = open_mind(layout, agent)
    nodes = choose(_given(mind), type=(CHARACTER,), category=(category,))
    queries = canonical_queries(category, mind.words)
    return answer(rank_gifted(nodes, queries[0] if queries else category, mind.settings.language), most)


def _given(mind: Mind) -> tuple[Node, ...]:
    """Read what the character was given.

    Raises:
        UsageError: Nobody has given it anything yet.
    """
    nodes = mind.gifted()
    if not nodes:
        raise UsageError(f"{mind.agent.id} has no gifted memories yet", f"in the folder of the world, {NO_GIFTS}")
    return nodes


def _now(mind: Mind) -> str:
    """Say when and where it is, and who else is there."""
    with snapshot(mind.layout):
        clock, _ = load_clock(mind.layout)
    place = mind.agent.state.position
    others = [
        other.call_name
        for other in mind.cast.values()
        if place and other.id != mind.agent.id and fold(other.state.position) == fold(place)
    ]
    return mind.words(
        "scene_now",
        day=clock.day,
        weekday=weekday(clock.day, mind.settings.calendar.weekdays),
        time=clock.time_of_day if clock.day_open else "",
        open=clock.day_open,
        place=place,
        others=others,
    )
