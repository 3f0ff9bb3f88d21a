"""The tools with fixed questions: on oneself, the scene and other characters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gm.api.mind.mind import Mind, answer, choose, rank_gifted
from gm.base.casefold import casefold
from gm.base.errors import UsageError
from gm.files.commits.snapshot import snapshot
from gm.files.layers.minds import load_layer
from gm.files.load import load_clock
from gm.layers.soul import SOUL
from gm.memory.seed_memories import CHARACTER, KNOWLEDGE, SCENE, SCENE_CATEGORIES, canonical_queries
from gm.model.calendar import weekday
from gm.model.mind import OFF
from gm.model.node import Node


def query_self(mind: Mind) -> dict[str, Any]:
    """Return the identity: the soul first and complete, then seed memories."""
    soul = [{"content": text, "relevance": 1.0} for text in _soul(mind)]
    return {"memories": [*soul, *_own(mind, "identity", 5)["memories"]]}


def query_background(mind: Mind) -> dict[str, Any]:
    """Return the personal history."""
    return _own(mind, "background", 5)


def query_communication_style(mind: Mind) -> dict[str, Any]:
    """Return how the character communicates."""
    return _own(mind, "communication", 3)


def query_scene(mind: Mind) -> dict[str, Any]:
    """Return place and atmosphere: the present state, then one memory per category, preferring those of the place."""
    nodes = choose(mind.shared_gifts(), type=(SCENE,))
    place = casefold(mind.here.place if mind.here else mind.agent.state.position)
    chosen: list[tuple[Node, float]] = []
    for category in SCENE_CATEGORIES:
        here = [
            node for node in choose(nodes, category=(category,)) if casefold(str(node.metadata["about"])) in ("", place)
        ]
        queries = canonical_queries(category, mind.words)
        ranked = rank_gifted(here, queries[0] if queries else "", mind.settings.language)
        chosen += sorted(ranked, key=lambda item: (-item[1], casefold(str(item[0].metadata["about"])) != place))[:1]
    now = {"content": _now(mind), "relevance": 1.0}
    return {"memories": [now, *answer(chosen, 4)["memories"]]}


def query_character(mind: Mind, name: str) -> dict[str, Any]:
    """Return seed memories about another character."""
    other = mind.other(name)
    if other.id == mind.agent.id:
        raise UsageError(f"{other.name} is you", "use query_self to learn about yourself")
    nodes = choose(mind.own_gifts(), type=(KNOWLEDGE,), about=(other.id,))
    queries = canonical_queries("other", mind.words, other.call_name)
    ranked = rank_gifted(nodes, queries[0] if queries else other.name, mind.settings.language)
    return {"character": other.name, **answer(ranked, 3)}


def _soul(mind: Mind) -> list[str]:
    if mind.settings.soul == OFF:
        return []
    with snapshot(mind.layout):
        soul, _ = load_layer(mind.layout, SOUL, mind.agent.id)
    return [entry.text for entry in soul.entries]


def _own(mind: Mind, category: str, most: int) -> dict[str, Any]:
    nodes = choose(mind.own_gifts(), type=(CHARACTER,), category=(category,))
    queries = canonical_queries(category, mind.words)
    return answer(rank_gifted(nodes, queries[0] if queries else category, mind.settings.language), most)


def _now(mind: Mind) -> str:
    if mind.here is not None:
        return _said(mind, mind.here.day, mind.here.time_of_day, mind.here.place, mind.here.others)
    with snapshot(mind.layout):
        clock, _ = load_clock(mind.layout)
    place = mind.agent.state.position
    others = [
        other.call_name
        for other in mind.cast.values()
        if place and other.id != mind.agent.id and casefold(other.state.position) == casefold(place)
    ]
    return _said(mind, clock.day, clock.time_of_day, place, others, is_open=clock.day_open)


def _said(mind: Mind, day: int, time: str, place: str, others: Sequence[str], *, is_open: bool = True) -> str:
    return mind.words(
        "scene_now",
        day=day,
        weekday=weekday(day, mind.settings.calendar.weekdays),
        time=time if is_open else "",
        open=is_open,
        place=place,
        others=list(others),
    )
