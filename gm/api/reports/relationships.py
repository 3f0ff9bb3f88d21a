"""Relationships between characters, as tables and as a graph."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from gm.api.answers.document import part
from gm.base.errors import Problem
from gm.files.layers import load_history
from gm.files.layout import Layout
from gm.layers.relationships import HISTORY, KEYS, RELATIONSHIPS, Relationship
from gm.model.world import World, find_agent, known_agent


def _regard_record(regard: Relationship) -> dict[str, Any]:
    return {key: getattr(regard, key) for key in KEYS}


@dataclass(frozen=True, slots=True)
class Regard:
    """What a character thinks of another; ``other`` as spelled in its file."""

    agent: str
    other: str = part("with")
    regard: Relationship = part(inline=True, by=_regard_record)


@dataclass(frozen=True, slots=True)
class RegardChange:
    """A line of a character's relationship history, as stored."""

    agent: str
    line: Mapping[str, Any] = part(inline=True)


@dataclass(frozen=True, slots=True)
class Relationships:
    """Relationships; ``on`` = this world keeps them; ``history`` None = not asked for."""

    on: bool
    relationships: tuple[Regard, ...]
    history: tuple[RegardChange, ...] | None = part(omit=None)


@dataclass(frozen=True, slots=True)
class GraphNode:
    """A character in the graph."""

    id: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphEdge:
    """What one character thinks of another; ``trust`` ranges from -1 to 1."""

    agent: str = part("from")
    other: str = part("to")
    type: str
    trust: float
    tone: str
    interactions: int


@dataclass(frozen=True, slots=True)
class RelationshipGraph:
    """Relationships as nodes and directed edges."""

    nodes: tuple[GraphNode, ...]
    edges: tuple[GraphEdge, ...]


def describe_relationships(
    layout: Layout, world: World, agent: str | None = None, other: str | None = None, *, history: bool = False
) -> tuple[Relationships, list[Problem]]:
    """Return relationships, and problems in their histories.

    Args:
        agent: Whose; None = all.
        other: Only to this character; None = to all.
        history: Whether every change is returned as well.

    Raises:
        UsageError: No such character.
    """
    names = [known_agent(world.agents, agent)] if agent else list(world.agents)
    about = known_agent(world.agents, other) if other else None

    def is_meant(key: object) -> bool:
        return about is None or find_agent(world.agents, str(key)) == about

    found = tuple(
        Regard(name, key, regard)
        for name in names
        for key, regard in world.agents[name].mind[RELATIONSHIPS].items()
        if is_meant(key)
    )
    on = RELATIONSHIPS.name in world.layers
    if not history:
        return Relationships(on, found), []
    changes: list[RegardChange] = []
    problems: list[Problem] = []
    for name in names:
        lines, wrong = load_history(layout, RELATIONSHIPS, name, HISTORY)
        problems += wrong
        changes += [RegardChange(name, line.record) for line in lines if is_meant(line.record.get("with", ""))]
    return Relationships(on, found, tuple(changes)), problems


def describe_graph(world: World, found: Relationships) -> RelationshipGraph:
    """Return relationships as nodes and directed edges."""
    return RelationshipGraph(
        tuple(GraphNode(name, agent.name) for name, agent in world.agents.items()),
        tuple(
            GraphEdge(
                agent=item.agent,
                other=item.other,
                type=item.regard.relationship_type,
                trust=item.regard.trust_level,
                tone=item.regard.emotional_tone,
                interactions=item.regard.interaction_count,
            )
            for item in found.relationships
        ),
    )


def render_relationships_dot(graph: RelationshipGraph) -> str:
    """Render a graph for Graphviz. Texts are quoted, so that none becomes a command."""
    lines = ["digraph relationships {"]
    lines += [f"  {_quote_texts([item.id])} [label={_quote_texts([item.name])}];" for item in graph.nodes]
    for edge in graph.edges:
        label = _quote_texts([edge.type, f"{edge.trust:+g}" if edge.trust else "0", edge.tone])
        colour = "darkgreen" if edge.trust > 0 else "red3" if edge.trust < 0 else "gray50"
        lines.append(f"  {_quote_texts([edge.agent])} -> {_quote_texts([edge.other])} [label={label}, color={colour}];")
    return "\n".join([*lines, "}"])


def _quote_texts(parts: Iterable[str]) -> str:
    text = ", ".join(" ".join(part.split()) for part in parts if part)
    return json.dumps(text, ensure_ascii=False)
