"""Memories in prompts, a line each, as their owner sees them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from gm.ask.prompt.people import shown_name
from gm.ask.prompt.render import Prompts, View, inner_quotes
from gm.ask.prompt.turn_context import TurnContext
from gm.base.untyped import text_at
from gm.memory.care import began, ended
from gm.memory.lens import Lens, lenses_of, read_through
from gm.memory.share import owner_of_copy
from gm.model.calendar import parse_ref
from gm.model.node import FINER_KINDS, NODE_TYPES, Node
from gm.model.stream import named
from gm.model.world import Agent, Sentences, World
from gm.scene.evening.asked import RecalledTalk

LEAST_WORDS = 8
"""Words from which a spoken line is looked for in the memories that quote it."""


@dataclass(frozen=True, slots=True)
class Perspective:
    """How one character's memories are shown.

    ``names`` are call names by id; ``kinds``: finer kinds are shown.
    """

    names: Mapping[str, str] = field(default_factory=dict)
    lenses: Sequence[Lens] = ()
    kinds: bool = False

    def read(self, node: Node) -> str:
        return read_through(node, self.lenses)[0] if self.lenses else node.description

    def kind(self, node: Node, usual: str, words: Callable[..., str]) -> str:
        """Return a memory's kind; ``usual`` is its type's name."""
        owner = owner_of_copy(node)
        if owner:
            lived = parse_ref(str(node.metadata.get("lived", "")))
            return words("kind_copied", name=self.names.get(owner, owner), kind=usual, day=lived.day if lived else 0)
        if self.kinds and node.kind in FINER_KINDS:
            return words("kind_finer", kind=usual, finer=words(f"kind_{node.kind}"))
        return usual


PLAIN = Perspective()


def perspective_of(world: World, agent: Agent) -> Perspective:
    """Return the perspective of a character."""
    lenses = lenses_of(world.settings, agent)
    if not agent.beside and not lenses and "kinds" not in world.layers:
        return PLAIN
    names = {other.id: other.call_name for other in world.agents.values()}
    return Perspective(names, lenses, "kinds" in world.layers)


_WORD = re.compile(r"\w+")
_Rendered = dict[str, tuple[Node, str]]
_NO_LINE: tuple[Node | None, str] = (None, "")


class MemoryLines:
    """Renders memories as their owner sees them, each once, since a memory is shown in many prompts."""

    def __init__(self, prompts: Prompts) -> None:
        self._prompts = prompts
        self._lines: _Rendered = {}
        self._eras: _Rendered = {}
        self._places: dict[str, str] = {}
        self._kinds: dict[str, str] = {}
        self._perspectives: dict[str, Perspective] = {}

    def lines_of(self, world: World, agent: Agent, nodes: Sequence[Node]) -> list[str]:
        return self._lines_of(self._see_as(world, agent), nodes)

    def eras(self, world: World, agent: Agent, summaries: Sequence[Node]) -> list[str]:
        """Render summaries, oldest first."""
        ordered = sorted(summaries, key=lambda node: (began(node), ended(node)))
        view = partial(_view_era, self._see_as(world, agent))
        return self._rendered(self._eras, "summary.j2", "summary", ordered, view)

    def _see_as(self, world: World, agent: Agent) -> Perspective:
        seen = perspective_of(world, agent)
        if self._perspectives.setdefault(agent.id, seen) != seen:
            self._perspectives[agent.id] = seen
            self._lines.clear()
            self._eras.clear()
        return seen

    def _lines_of(self, seen: Perspective, nodes: Sequence[Node]) -> list[str]:
        return self._rendered(self._lines, "memory.j2", "node", nodes, partial(self._node, seen))

    def _rendered(
        self, known: _Rendered, template: str, variable: str, nodes: Sequence[Node], view: Callable[[Node], View]
    ) -> list[str]:
        fresh = [node for node in nodes if known.get(node.id, _NO_LINE)[0] is not node]
        if fresh:
            self._name_places(fresh)
            views = [view(node) for node in fresh]
            lines = self._prompts.render_each(template, variable, views)
            known |= {node.id: (node, line.strip()) for node, line in zip(fresh, lines, strict=True)}
        return [known[node.id][1] for node in nodes]

    def called_up(self, world: World, agent: Agent, context: TurnContext) -> dict[str, object]:
        lines_of = partial(self._lines_of, self._see_as(world, agent))
        shown = (*named(agent.stream, context.remembered), *context.in_mind) if context.spoken else ()
        quotable = dict(zip((node.id for node in shown), lines_of(shown), strict=True))
        return {
            "recalled": lines_of(context.recalled),
            "in_mind": lines_of(context.in_mind),
            "sources": [
                View(source=part.source, lines=lines_of(part.nodes), known=part.known) for part in context.gathered
            ],
            "mind_left_out": context.mind_left_out,
            "taken_over": lines_of(context.taken_over),
            "spoken": [self._exchange(world, agent, exchange, quotable) for exchange in context.spoken],
            "material": _listed(context.material, lines_of(context.material), context.remembered),
            "asked": _asked(context, lines_of),
        }

    def _exchange(self, world: World, agent: Agent, exchange: RecalledTalk, shown: Mapping[str, str]) -> View:
        # A line that a shown memory quotes is only referred to.
        node = exchange.node
        quoting = {identifier: _words_of(line) for identifier, line in shown.items()}
        self._name_places([node])
        return View(
            id=node.id,
            moment=self._places[node.created],
            place=text_at(node.metadata, "location"),
            lines=[
                View(
                    mine=speaker == agent.id,
                    name=shown_name(world, speaker),
                    text=text,
                    quoted_in=_quoted_in(_words_of(text), quoting),
                )
                for speaker, text in exchange.lines
            ],
            is_cut=exchange.is_cut,
        )

    def forget(self, gone: Iterable[str]) -> None:
        """Drop the cached lines of memories with these ids."""
        for identifier in gone:
            self._lines.pop(identifier, None)
            self._eras.pop(identifier, None)

    def _node(self, perspective: Perspective, node: Node) -> View:
        return View(
            id=node.id,
            place=self._places[node.created],
            kind=perspective.kind(node, self._kind(node.type), self._prompts.words),
            importance=node.importance,
            description=perspective.read(node),
            evidence=node.evidence if node.depth else (),
            tags=node.tags,
        )

    def _name_places(self, nodes: Iterable[Node]) -> None:
        moments = {node.created: node.when for node in nodes if node.created not in self._places}
        for created, when in moments.items():
            scene = f"{when.scene}{when.suffix}" if when.scene else ""
            self._places[created] = self._prompts.words("node_place", day=when.day, scene=scene)

    def _kind(self, kind: str) -> str:
        if kind not in self._kinds:
            self._kinds[kind] = kind_name(self._prompts.words, kind)
        return self._kinds[kind]


def _view_era(perspective: Perspective, node: Node) -> View:
    return View(
        id=node.id,
        title=inner_quotes(node.title),
        first=began(node).day,
        last=ended(node).day,
        importance=node.importance,
        description=perspective.read(node),
    )


def _asked(context: TurnContext, lines_of: Callable[[Sequence[Node]], list[str]]) -> list[View]:
    shown = set(context.remembered)
    asked = []
    for item in context.asked:
        asked.append(View(text=" ".join(item.text.split()), nodes=_listed(item.nodes, lines_of(item.nodes), shown)))
        shown |= {node.id for node in item.nodes}
    return asked


def _listed(nodes: Sequence[Node], lines: Sequence[str], remembered: Collection[str]) -> list[View]:
    return [View(id=node.id, line=line, shown=node.id in remembered) for node, line in zip(nodes, lines, strict=True)]


def view_span(nodes: Sequence[Node]) -> View:
    """Return the number of memories, the first and last id, and when the first was formed."""
    first = nodes[0]
    when = first.when
    return View(count=len(nodes), first=first.id, last=nodes[-1].id, day=when.day, scene=when.scene)


def _words_of(text: str) -> str:
    return " ".join(_WORD.findall(text))


def _quoted_in(words: str, texts: Mapping[str, str]) -> str:
    if words.count(" ") < LEAST_WORDS - 1:
        return ""
    return next((identifier for identifier, text in texts.items() if words in text), "")


def kind_name(words: Sentences, kind: str) -> str:
    """Return a memory type's name in the world's language."""
    return words(f"kind_{kind}") if kind in NODE_TYPES else kind
