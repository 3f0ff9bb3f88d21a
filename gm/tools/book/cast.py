"""The cast: who they are, in a few lines and a few numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable

from gm.model.character import Agent
from gm.model.node import Node
from gm.tools.book.sources import Sources
from gm.tools.book.texts import said
from gm.tools.book.values import Chapter, Person

_COLOUR = re.compile(r"#[0-9a-fA-F]{6}\Z")


def cast_chapter(sources: Sources) -> Chapter | None:
    """Tell who takes part in the days of the book; None when nobody does."""
    seen = {name for log in sources.log.values() for entry in log.entries for name in entry.participants}
    persons = tuple(person(sources, agent) for name, agent in sources.world.agents.items() if name in seen)
    return Chapter("cast", "", sources.say("cast"), "", persons) if persons else None


def person(sources: Sources, agent: Agent) -> Person:
    """Tell who somebody is: role, portrait, and how it is now where the book goes up to now."""
    front = agent.persona.front if agent.persona else {}
    nodes = nodes_of(sources, agent)
    facts = [("age", said(front.get("age"))), ("home", sources.place(agent.home))]
    if sources.wish.shows("numbers") and not agent_days_end_early(sources):
        facts += [("mood", said(agent.state.mood)), ("task", said(agent.state.current_task))]
    if sources.wish.shows("numbers"):
        insights = sum(1 for node in nodes if node.depth > 0)
        facts += [("memories_count", str(len(nodes))), ("insights_count", str(insights) if insights else "")]
    colour = front.get("color")
    return Person(
        name=sources.named(agent.id),
        role=said(front.get("role")),
        portrait=said(front.get("archetype")),
        colour=colour if isinstance(colour, str) and _COLOUR.match(colour) else "",
        facts=tuple((sources.say(key), value) for key, value in facts if value),
    )


def agent_days_end_early(sources: Sources) -> bool:
    """Tell whether the book ends before the world does, so that nobody's state of now belongs into it."""
    return bool(sources.days) and sources.days[-1] < sources.world.clock.day


def nodes_of(sources: Sources, agent: Agent) -> list[Node]:
    """Give the memories of somebody that come from the days of the book, archived ones left out."""
    return in_days(sources, agent.stream)


def in_days(sources: Sources, nodes: Iterable[Node]) -> list[Node]:
    """Keep the memories that come from the days of the book; all of them in a book that is about no days."""
    wanted = set(sources.days)
    return [node for node in nodes if not wanted or node.when.day in wanted]
