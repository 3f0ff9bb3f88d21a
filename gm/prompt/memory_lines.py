"""Memories as prompts show them: a line each, seen with the eyes of whoever remembers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from gm.memory.spans import began, ended
from gm.model.character import Agent
from gm.model.node import NODE_TYPES, Node
from gm.model.world import World
from gm.prompt.eyes import PLAIN_EYES, Eyes, eyes_of
from gm.prompt.moment import Moment
from gm.prompt.render import Prompts, inner_quotes, view
from gm.scene.ledger import Words

_NO_LINE: tuple[Node | None, str] = (None, "")


class MemoryLines:
    """Renders memories, each once; a memory is shown in many prompts.

    Args:
        prompts: The templates of the world.
    """

    def __init__(self, prompts: Prompts) -> None:
        self._prompts = prompts
        self._lines: dict[str, tuple[Node, str]] = {}
        self._places: dict[str, str] = {}
        self._kinds: dict[str, str] = {}
        self._eyes: dict[str, Eyes] = {}

    def see_as(self, world: World, agent: Agent) -> None:
        """Show the memories of a character from now on as it sees them in this world."""
        self._eyes[agent.id] = eyes_of(world, agent)

    def lines_of(self, nodes: Sequence[Node]) -> list[str]:
        """Render memories, a line each; one that was rendered before is taken from there."""
        fresh = [node for node in nodes if self._lines.get(node.id, _NO_LINE)[0] is not node]
        lines = self._prompts.render_each("memory.j2", "node", map(self._node, fresh))
        self._lines |= {node.id: (node, line.strip()) for node, line in zip(fresh, lines, strict=True)}
        return [self._lines[node.id][1] for node in nodes]

    def eras(self, summaries: Sequence[Node]) -> list[str]:
        """Render summaries, oldest first, a line each."""
        shown = [
            view(
                {
                    "id": node.id,
                    "title": inner_quotes(str(node.metadata.get("title") or "")),
                    "first": began(node).day,
                    "last": ended(node).day,
                    "importance": node.importance,
                    "description": self._eyes_for(node).read(node),
                }
            )
            for node in sorted(summaries, key=lambda node: (began(node), ended(node)))
        ]
        # a world's own language may not have the template before there is anything to show
        lines = self._prompts.render_each("summary.j2", "summary", shown) if shown else ()
        return [line.strip() for line in lines]

    def asked(self, moment: Moment) -> list[Any]:
        """Questions to oneself with what memory says to each; a memory's line is shown once."""
        shown = set(moment.remembered)
        asked = []
        for item in moment.asked:
            asked.append(view({"text": " ".join(item.text.split()), "nodes": self.listed(item.nodes, shown)}))
            shown |= {node.id for node in item.nodes}
        return asked

    def listed(self, nodes: Sequence[Node], remembered: Collection[str]) -> list[Any]:
        """Name memories: id and line of each, and whether the line stands in the prompt anyway."""
        lines = self.lines_of(nodes)
        return [
            view({"id": node.id, "line": line, "shown": node.id in remembered})
            for node, line in zip(nodes, lines, strict=True)
        ]

    def forget(self, gone: Iterable[str]) -> None:
        """Let go of memories that are in no prompt any more."""
        for identifier in gone:
            self._lines.pop(identifier, None)

    def _node(self, node: Node) -> Any:
        eyes = self._eyes_for(node)
        return view(
            {
                "id": node.id,
                "place": self._place(node),
                "kind": eyes.kind(node, self._kind(node.type), self._prompts.words),
                "importance": node.importance,
                "description": eyes.read(node),
                "evidence": node.evidence if node.depth else (),
                "tags": node.tags,
            }
        )

    def _eyes_for(self, node: Node) -> Eyes:
        return self._eyes.get(node.id.rpartition("-")[0], PLAIN_EYES)

    def _place(self, node: Node) -> str:
        """Say when a memory was made; most scenes have left several."""
        if node.created not in self._places:
            when = node.when
            scene = f"{when.scene}{when.suffix}" if when.scene else ""
            self._places[node.created] = self._prompts.words("node_place", day=when.day, scene=scene)
        return self._places[node.created]

    def _kind(self, kind: str) -> str:
        if kind not in self._kinds:
            self._kinds[kind] = kind_name(self._prompts.words, kind)
        return self._kinds[kind]


def kind_name(words: Words, kind: str) -> str:
    """Say what a type of memory is called in the language of the world."""
    return words(f"kind_{kind}") if kind in NODE_TYPES else kind
