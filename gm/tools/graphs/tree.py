"""What a character's insights rest on: reflections, and what they cite, down to what was lived."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from gm.model.fold import fold
from gm.tools.graphs.base import Cast, Graph, Lived, Table, graph_id, shortened

MOST_TOPS = 12
MOST_NODES = 120
MOST_BELOW = 30
"""Most memories below one insight at the top."""
TEXT = 200
"""Most characters of a text in the tree."""

Texts = Callable[[Sequence[Lived]], Sequence[str]]
"""Reads the texts of some memories."""


def draw_tree(cast: Cast, agent: str, stream: Sequence[Lived], texts: Texts) -> Graph:
    """Draw the newest insights that nothing rests on yet, each above what it cites.

    Args:
        cast: All characters of the world.
        agent: Whose.
        stream: All memories that can be cited, archived ones too, in the order in which they were made.
        texts: Reads what is shown.
    """
    say = cast.say
    by_id = {fold(node.id): node for node in stream}
    cited = {fold(item) for node in stream if node.depth for item in node.evidence if item != node.id}
    insights = [node for node in reversed(stream) if node.depth > 0]
    # where insights cite each other in a circle, there is none on which nothing rests
    tops = [node for node in insights if fold(node.id) not in cited] or insights
    tops.sort(key=lambda node: -node.depth)  # of those equally deep, the newest first
    grown = _Grown(by_id)
    roots = [grown.grow(node) for node in tops[:MOST_TOPS] if grown.has_room]
    said = dict(zip(grown.nodes, texts(list(grown.nodes.values())), strict=True))
    data = {
        "root": {**cast.face(agent), "children": [_described(root, grown.nodes, said) for root in roots]},
        "words": {"help": say("tree.help"), "again": say("tree.gone"), "importance": say("tree.importance")},
    }
    note = say("tree.note", shown=len(roots), all=len(tops)) if tops else ""
    if not grown.has_room:
        note += " " + say("tree.cut", most=MOST_NODES)
    return Graph(
        "tree",
        graph_id("tree", agent),
        say("tree.title", who=cast.called(agent)),
        _finding(cast, agent, roots, grown.nodes, said),
        note,
        _table(cast, grown.nodes, said),
        data if roots else {},
        (agent,) if roots else (),
        tuple(node.id for node in grown.nodes.values()),
    )


class _Grown:
    """A tree while it grows: a memory stands in it once with what it rests on, and then only by its name."""

    def __init__(self, by_id: Mapping[str, Lived]) -> None:
        self._by_id = by_id
        self._limit = 0
        self.nodes: dict[str, Lived] = {}

    @property
    def has_room(self) -> bool:
        """Whether another insight fits in."""
        return len(self.nodes) < MOST_NODES

    def grow(self, node: Lived) -> dict[str, Any]:
        """Put an insight into the tree, with what lies below it as far as it fits."""
        self._limit = min(MOST_NODES, len(self.nodes) + 1 + MOST_BELOW)
        return self._grow(node)

    def _grow(self, node: Lived) -> dict[str, Any]:
        key = fold(node.id)
        if key in self.nodes:
            return {"key": key, "again": True, "children": []}
        self.nodes[key] = node
        children = []
        # an observation may cite as well, but it was lived: there is nothing below it
        for item in dict.fromkeys(map(fold, node.evidence if node.depth else ())):
            below = self._by_id.get(item)
            if below is not None and item != key and (len(self.nodes) < self._limit or item in self.nodes):
                children.append(self._grow(below))
        return {"key": key, "again": False, "children": children}


def _described(branch: Mapping[str, Any], nodes: Mapping[str, Lived], said: Mapping[str, str]) -> dict[str, Any]:
    node = nodes[branch["key"]]
    return {
        "memory": node.id,
        "text": shortened(said[branch["key"]], TEXT),
        "depth": node.depth,
        "importance": node.importance,
        "again": branch["again"],
        "children": [_described(child, nodes, said) for child in branch["children"]],
    }


def _finding(
    cast: Cast, agent: str, roots: Sequence[Mapping[str, Any]], nodes: Mapping[str, Lived], said: Mapping[str, str]
) -> str:
    say = cast.say
    if not roots:
        return say("tree.none", who=cast.called(agent))
    highest = nodes[roots[0]["key"]]
    below = set(_keys(roots[0]["children"]))
    text = say("quoted", text=shortened(said[roots[0]["key"]], TEXT))
    return say("tree.finding", depth=highest.depth, text=text, n=len(below))


def _keys(branches: Iterable[Mapping[str, Any]]) -> Iterable[str]:
    for branch in branches:
        yield branch["key"]
        yield from _keys(branch["children"])


def _table(cast: Cast, nodes: Mapping[str, Lived], said: Mapping[str, str]) -> Table:
    heads = tuple(cast.say(f"tree.{key}") for key in ("id", "depth", "importance", "text", "rests"))
    rows = tuple(
        (node.id, str(node.depth), str(node.importance), shortened(said[key], TEXT), ", ".join(node.evidence))
        for key, node in nodes.items()
    )
    return Table(heads, rows, frozenset({1, 2}))
