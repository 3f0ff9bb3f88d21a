"""A character's reflections and their evidence, as a tree."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from gm.api.views.evidence import TreePlace, grow_tree
from gm.api.views.graphs.base import Cast, Graph, GraphTable, shorten_text
from gm.base.casefold import casefold
from gm.files.streams.rows import MemoryRow

MOST_TOPS = 12
MOST_NODES = 120
MOST_BELOW = 30
"""Maximum number of memories below one top reflection."""
TEXT = 200
"""Maximum length of a text, in characters."""

Texts = Callable[[Sequence[MemoryRow]], Sequence[str]]
"""Reads the texts of memories."""


def draw_tree(cast: Cast, agent: str, stream: Sequence[MemoryRow], texts: Texts) -> Graph:
    """Draw the deepest, newest reflections that no memory cites, each above its evidence."""
    say = cast.say
    by_id = {casefold(node.id): node for node in stream}
    cited = {casefold(item) for node in stream if node.depth for item in node.evidence if item != node.id}
    insights = [node for node in reversed(stream) if node.depth > 0]
    # with circular citations, every reflection is cited
    tops = [node for node in insights if casefold(node.id) not in cited] or insights
    tops.sort(key=lambda node: -node.depth)  # stable: newest first within a depth
    roots, is_full = _grow(tops, by_id)
    nodes = {place.id: by_id[place.id] for root in roots for place in root.walk()}
    said = dict(zip(nodes, texts(list(nodes.values())), strict=True))
    data = {
        "root": {**cast.shown_agent(agent), "children": [_describe_place(root, nodes, said) for root in roots]},
        "words": {"help": say("tree.help"), "again": say("tree.gone"), "importance": say("tree.importance")},
    }
    note = say("tree.note", shown=len(roots), all=len(tops)) if tops else ""
    if is_full:
        note += " " + say("tree.cut", most=MOST_NODES)
    finding, table = _state_finding(cast, agent, roots, nodes, said), _make_table(cast, nodes, said)
    memories = tuple(node.id for node in nodes.values())
    graph = Graph("tree", say("tree.title", who=cast.called(agent)), finding, note, table, only=agent)
    return replace(graph, data=data, agents=(agent,), memories=memories) if roots else graph


def _grow(tops: Sequence[MemoryRow], by_id: Mapping[str, MemoryRow]) -> tuple[list[TreePlace[str]], bool]:
    def rests_on(key: str) -> Iterator[tuple[str, str]]:
        node = by_id[key]
        # evidence of an observation is not shown
        cited = dict.fromkeys(map(casefold, node.evidence if node.depth else ()))
        return ((item, item) for item in cited if item in by_id and item != key)

    roots: list[TreePlace[str]] = []
    met: set[str] = set()
    count = 0
    for key in (casefold(node.id) for node in tops[:MOST_TOPS]):
        if count < MOST_NODES:
            most = min(MOST_NODES - count, 1 + MOST_BELOW)
            roots.append(grow_tree(key, key, rests_on, deepest=MOST_NODES, most=most, met=met))
            count += sum(1 for _ in roots[-1].walk())
    return roots, count >= MOST_NODES


def _describe_place(place: TreePlace[str], nodes: Mapping[str, MemoryRow], said: Mapping[str, str]) -> dict[str, Any]:
    node = nodes[place.id]
    return {
        "memory": node.id,
        "text": shorten_text(said[place.id], TEXT),
        "depth": node.depth,
        "importance": node.importance,
        "again": place.again,
        "children": [_describe_place(child, nodes, said) for child in place.below],
    }


def _state_finding(
    cast: Cast, agent: str, roots: Sequence[TreePlace[str]], nodes: Mapping[str, MemoryRow], said: Mapping[str, str]
) -> str:
    say = cast.say
    if not roots:
        return say("tree.none", who=cast.called(agent))
    highest = roots[0].id
    below = {place.id for place in roots[0].walk()} - {highest}
    text = say("quoted", text=shorten_text(said[highest], TEXT))
    return say("tree.finding", depth=nodes[highest].depth, text=text, n=len(below))


def _make_table(cast: Cast, nodes: Mapping[str, MemoryRow], said: Mapping[str, str]) -> GraphTable:
    heads = tuple(cast.say(f"tree.{key}") for key in ("id", "depth", "importance", "text", "rests"))
    rows = tuple(
        (node.id, str(node.depth), str(node.importance), shorten_text(said[key], TEXT), ", ".join(node.evidence))
        for key, node in nodes.items()
    )
    return GraphTable(heads, rows, frozenset({1, 2}))
