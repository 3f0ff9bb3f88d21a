"""What characters think of each other, as tables and as a graph."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from gm.errors import Problem
from gm.layers.relationships import HISTORY, KEYS, RELATIONSHIPS
from gm.model.character import find_agent
from gm.model.world import World
from gm.store.layers.minds import load_history
from gm.store.layout import Layout
from gm.tools.cast import known_agent


def describe_relationships(
    layout: Layout, world: World, agent: str | None = None, other: str | None = None, *, history: bool = False
) -> tuple[dict[str, Any], list[Problem]]:
    """Describe what characters think of each other, in the form of ``gm relationships --json``.

    Args:
        layout: Where the world is.
        world: The world.
        agent: Whose relationships; None = everybody's.
        other: Only those to this one; None = to everybody.
        history: Whether to tell how they have changed.

    Returns:
        The document, and what could not be read of the histories.

    Raises:
        UsageError: Nobody is called that.
    """
    names = [known_agent(world.agents, agent)] if agent else list(world.agents)
    about = known_agent(world.agents, other) if other else None
    found = [
        {"agent": name, "with": key, **{part: getattr(regard, part) for part in KEYS}}
        for name in names
        for key, regard in world.agents[name].mind[RELATIONSHIPS].items()
        if about is None or find_agent(world.agents, key) == about
    ]
    document: dict[str, Any] = {"on": RELATIONSHIPS.name in world.layers, "relationships": found}
    problems: list[Problem] = []
    if history:
        document["history"] = []
        for name in names:
            lines, wrong = load_history(layout, RELATIONSHIPS, name, HISTORY)
            problems += wrong
            document["history"] += [
                {"agent": name, **line.record}
                for line in lines
                if about is None or find_agent(world.agents, str(line.record.get("with", ""))) == about
            ]
    return document, problems


def describe_graph(world: World, document: dict[str, Any]) -> dict[str, Any]:
    """Put relationships into the form of nodes and directed edges."""
    return {
        "nodes": [{"id": name, "name": agent.name} for name, agent in world.agents.items()],
        "edges": [
            {
                "from": item["agent"],
                "to": item["with"],
                "type": item["relationship_type"],
                "trust": item["trust_level"],
                "tone": item["emotional_tone"],
                "interactions": item["interaction_count"],
            }
            for item in document["relationships"]
        ],
    }


def render_dot(graph: dict[str, Any]) -> str:
    """Write a graph in the language of Graphviz. Texts are quoted, so that none of them can become a command."""
    lines = ["digraph relationships {"]
    lines += [f"  {_quoted([item['id']])} [label={_quoted([item['name']])}];" for item in graph["nodes"]]
    for edge in graph["edges"]:
        label = _quoted([edge["type"], f"{edge['trust']:+g}" if edge["trust"] else "0", edge["tone"]])
        colour = "darkgreen" if edge["trust"] > 0 else "red3" if edge["trust"] < 0 else "gray50"
        lines.append(f"  {_quoted([edge['from']])} -> {_quoted([edge['to']])} [label={label}, color={colour}];")
    return "\n".join([*lines, "}"])


def _quoted(parts: Iterable[str]) -> str:
    """Write words as one quoted text of the DOT language, which knows the escapes of JSON's quote and backslash."""
    text = ", ".join(" ".join(part.split()) for part in parts if part)
    return json.dumps(text, ensure_ascii=False)
