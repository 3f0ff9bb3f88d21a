"""New nodes of a step, numbered, with checked evidence and depths."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, Protocol

from gm.base.casefold import casefold
from gm.memory.importance import NO_RATINGS, Ratings, rate_by_rule
from gm.memory.lens import Lens, form_through, lenses_of, original_text
from gm.memory.reflect import check_evidence, depth_of
from gm.model.calendar import SceneRef, render_day
from gm.model.ids import agent_of, render_node_id
from gm.model.node import BY_GAME_MASTER, BY_RULE, Node, NodeType, is_beside
from gm.model.state import AgentStateChange
from gm.model.world import World

if TYPE_CHECKING:
    from gm.model.reply_form import Facets

MOST_TAGS = 12
BENT = ("observation", "reflection", "conversation")
"""Types of memories that a lens may bend at formation; not plans and artifacts."""


@dataclass(frozen=True, slots=True)
class NewNode:
    """A memory without id, moment and depth yet; ``importance`` None = to be rated."""

    description: str
    importance: int | None
    type: NodeType = "observation"
    tags: Sequence[str] = ()
    evidence: Sequence[str] = ()
    metadata: Mapping[str, object] = field(default_factory=dict)


def make_observation(text: str, importance: int, tags: Sequence[str], **metadata: object) -> NewNode:
    """Return an observation by the Game Master."""
    return NewNode(text, importance, tags=tags, metadata={**metadata, "importance_by": BY_GAME_MASTER})


@dataclass(slots=True)
class Ledger:
    """New nodes of one step, by agent and in order.

    Attributes:
        cite_new: Whether they may cite each other.
        ratings: Importance of memories without one; the rest is rated by rule.
        tag: Added to all; may be empty.
    """

    world: World
    created: str
    cite_new: bool = True
    ratings: Ratings = NO_RATINGS
    tag: str = ""
    nodes: dict[str, list[Node]] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    _numbers: dict[str, int] = field(default_factory=dict)
    _said: dict[str, set[str]] = field(default_factory=dict)
    _new: dict[str, int] = field(default_factory=dict)
    _old: dict[str, _Depths] = field(default_factory=dict)
    _owners: dict[str, str | None] = field(default_factory=dict)
    _lenses: dict[str, tuple[Lens, ...]] = field(default_factory=dict)

    def add(self, agent: str, new: NewNode, *, least: int = 1) -> Node:
        """Append a memory of at least importance ``least``."""
        depths = {item: self._depth(item) for item in (text.strip() for text in new.evidence)}
        known, unknown = check_evidence(new.evidence, depths.get)
        for item in unknown:
            self.warnings.append(f"{agent}: evidence {item!r} does not exist and was dropped")
        details, importance = dict(new.metadata), new.importance
        description = " ".join(new.description.split())
        if importance is None:
            importance, details["importance_by"] = self._rate(agent, description)
        if importance < least:
            importance, details["importance_given"] = least, importance
        if new.type in BENT and (lenses := self._lenses_of(agent)):
            bent = form_through(description, importance, new.tags, details, lenses)
            description, importance, details = bent.description, bent.importance, dict(bent.metadata)
        number = self.next_number(agent)
        node = Node(
            id=render_node_id(agent, number),
            created=self.created,
            type=new.type,
            depth=depth_of(new.type, [depths[item] or 0 for item in known]),
            description=description,
            importance=importance,
            tags=clean_tags((*filter(None, (self.tag,)), *new.tags), agent),
            evidence=known,
            metadata=details,
        )
        self._numbers[agent] = number + 1
        self._append(agent, (node,))
        return node

    def add_once(self, agent: str, new: NewNode) -> Node | None:
        """Append a memory, or warn of a repeated description.

        Without ``reflection.enabled`` a reflection is kept as an observation, with a warning.
        """
        description = " ".join(new.description.split())
        if new.type == "reflection" and not self.world.settings.reflection.enabled:
            self.warnings.append(
                f"{agent}: reflection.enabled is false, so a reflection is kept as an observation: {description[:60]!r}"
            )
            new = replace(new, type="observation")
        if description not in self._said.get(agent, ()):
            return self.add(agent, new)
        self.warnings.append(f"{agent}: the same memory twice in one scene, kept once: {description[:60]!r}")
        return None

    def added(self) -> dict[str, tuple[Node, ...]]:
        return {agent: tuple(nodes) for agent, nodes in self.nodes.items()}

    def gained(self, agent: str) -> int:
        """Return an agent's new importance, without records beside the stream."""
        return sum([node.importance for node in self.nodes.get(agent, ()) if not is_beside(node.metadata)])

    def accumulated(self, agent: str) -> int:
        return self.world.agents[agent].state.importance_accumulator + self.gained(agent)

    def accumulators(self) -> dict[str, AgentStateChange]:
        """Return the changed accumulators as ``Change.agents``."""
        return {agent: {"importance_accumulator": self.accumulated(agent)} for agent in self.nodes}

    def next_number(self, agent: str) -> int:
        return self._numbers.get(agent) or self.world.agents[agent].next_number

    def next_id(self, agent: str) -> str:
        return render_node_id(agent, self.next_number(agent))

    def take_over(self, agent: str, nodes: Sequence[Node]) -> None:
        """Append complete nodes, numbered from ``next_number`` on."""
        if nodes:
            self._numbers[agent] = self.next_number(agent) + len(nodes)
            self._append(agent, nodes)

    def _append(self, agent: str, nodes: Sequence[Node]) -> None:
        self.nodes.setdefault(agent, []).extend(nodes)
        self._said.setdefault(agent, set()).update([original_text(node) for node in nodes])
        self._new.update([(casefold(node.id), node.depth) for node in nodes])

    def _lenses_of(self, agent: str) -> tuple[Lens, ...]:
        if agent not in self._lenses:
            self._lenses[agent] = lenses_of(self.world.settings, self.world.agents[agent])
        return self._lenses[agent]

    def _rate(self, agent: str, description: str) -> tuple[int, str]:
        given = self.ratings.find(agent, description)
        if given is not None:
            return given, self.ratings.by
        settings = self.world.settings
        return rate_by_rule(description, settings.language, settings.importance.signals), BY_RULE

    def _depth(self, identifier: str) -> int | None:
        named = agent_of(identifier)
        if named not in self._owners:
            self._owners[named] = self.world.find_agent(named)
        owner = self._owners[named]
        if owner is None:
            return None
        wanted = casefold(identifier)
        if self.cite_new and wanted in self._new:
            return self._new[wanted]
        if owner not in self._old:
            known = self.world.agents[owner]
            self._old[owner] = _Depths(
                chain.from_iterable(map(reversed, (known.stream, known.beside, known.summaries)))
            )
        depth = self._old[owner].find(wanted)
        return self.world.archived.get(wanted) if depth is None else depth


class _Depths:
    # Read lazily, newest first: most cited nodes are new.
    def __init__(self, nodes: Iterator[Node]) -> None:
        self._left = nodes
        self._known: dict[str, int] = {}

    def find(self, wanted: str) -> int | None:
        while wanted not in self._known:
            node = next(self._left, None)
            if node is None:
                return None
            self._known.setdefault(casefold(node.id), node.depth)
        return self._known[wanted]


class Rated(Protocol):
    """A part of a reply that may carry facets."""

    @property
    def facets(self) -> Facets | None: ...


def facets_of(said: Rated) -> dict[str, object]:
    """Return the metadata for a reply's facets."""
    return {"facets": said.facets.model_dump()} if said.facets else {}


def clean_tags(tags: Sequence[str], owner: str) -> tuple[str, ...]:
    """Return tags in lower case with hyphens for spaces, each once, without the owner's id."""
    cleaned: dict[str, str] = {}
    for tag in tags:
        cleaned.setdefault(casefold("-".join(tag.split())), "-".join(unicodedata.normalize("NFC", tag).lower().split()))
    return tuple(tag for key, tag in cleaned.items() if key and key != casefold(owner))[:MOST_TAGS]


def memory_list(nodes: Mapping[str, Sequence[Node]]) -> list[dict[str, object]]:
    """Return new memories for a logbook line, records beside the stream aside."""
    return [
        {"agent": agent, "id": node.id, "importance": node.importance}
        for agent, added in nodes.items()
        for node in added
        if not is_beside(node.metadata)
    ]


def rated_by_rule(nodes: Mapping[str, Sequence[Node]]) -> list[tuple[str, Node]]:
    """Return new memories rated by rule, with their agents."""
    return [(agent, node) for agent, added in nodes.items() for node in added if node.importance_by == BY_RULE]


def after_last_scene(world: World) -> Ledger:
    """Return the ledger of what is remembered after the last scene of the day; of the day itself without scenes."""
    day = world.clock.day
    entries = world.scenes_of(day)
    number = entries[-1].number if entries else None
    return Ledger(world, render_day(day) if number is None else str(SceneRef(day, number)))
