"""Accumulated importance since the last reflection, as stored and as recomputed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from gm.api.answers.document import part
from gm.api.editing.desk import editing
from gm.base.casefold import casefold
from gm.files.layout import Layout
from gm.files.streams.archive import read_archive
from gm.memory.reflect import BEFORE, is_reflection_due, sum_importance
from gm.model.ids import highest_number
from gm.model.node import SUMMARY_KIND, Node, is_beside
from gm.model.state import AgentStateChange
from gm.model.world import Agent, Change, World, known_agents

ReadArchive = Callable[[str], Sequence[Node]]


@dataclass(frozen=True, slots=True)
class Accumulator:
    """Importance accumulated since the last reflection.

    Attributes:
        recomputed: None = not asked for, as all below.
        difference: ``recomputed - accumulator``.
    """

    accumulator: int
    due: bool
    last_reflection: str | None
    recomputed: int | None = part(omit=None)
    difference: int | None = part(omit=None)
    last_reflection_found: bool | None = part(omit=None)


@dataclass(frozen=True, slots=True)
class Accumulators:
    """Accumulators by agent; ``written`` names the corrected ones (None = read only)."""

    threshold: int
    agents: Mapping[str, Accumulator]
    written: tuple[str, ...] | None = part(omit=None)


def describe_accumulators(
    world: World,
    names: Sequence[str] = (),
    *,
    recompute: bool = False,
    read_archive: ReadArchive = lambda _name: (),
) -> Accumulators:
    """Return accumulators.

    Args:
        recompute: Compare with recomputed sums.
        read_archive: Archived nodes since the last reflection count.

    Raises:
        UsageError: A name is unknown.
    """
    archive = read_archive if recompute else None
    agents = {
        name: _describe_accumulator(world, world.agents[name], archive) for name in known_agents(world.agents, names)
    }
    return Accumulators(world.settings.reflection.threshold, agents)


def rewrite_accumulators(layout: Layout, names: Sequence[str] = ()) -> tuple[Accumulators, list[str]]:
    """Recompute accumulators and write those that differ.

    Returns:
        The accumulators before that; notes.

    Raises:
        BrokenWorldError: A file of an agent cannot be read.
    """
    with editing(layout, "gm accumulators") as desk:
        found = describe_accumulators(desk.world, names, recompute=True, read_archive=partial(read_archive, layout))
        for name in found.agents:
            desk.need_agent(name)
        changes: dict[str, AgentStateChange] = {
            name: {"importance_accumulator": item.recomputed}
            for name, item in found.agents.items()
            if item.recomputed is not None and item.difference
        }
        desk.land(Change(desk.world.clock.day, agents=changes))
    return replace(found, written=tuple(changes)), desk.notes


def _describe_accumulator(world: World, agent: Agent, archive: ReadArchive | None) -> Accumulator:
    held = agent.state.importance_accumulator
    found = Accumulator(held, is_reflection_due(held, world.settings.reflection), agent.state.last_reflection)
    if archive is None:
        return found
    total = _sum_since(agent, archive(agent.id), world.settings.reflection.reset)
    return replace(found, recomputed=total, difference=total - held, last_reflection_found=_is_found(agent))


def _sum_since(agent: Agent, archive: Sequence[Node], reset: str) -> int:
    last = agent.state.last_reflection
    above = highest_number(agent.id, (last,)) if last else 0
    lived = [node for node in archive if not (is_beside(node.metadata) or node.kind == SUMMARY_KIND)]
    written = next((node for node in (*agent.stream, *lived) if last and casefold(node.id) == casefold(last)), None)
    in_archive = written is not None and any(node is written for node in lived)

    def is_insight(node: Node) -> bool:
        """Return whether an insight of the last reflection counts for the next one."""
        of_it = written is not None and node.created == written.created and node.type == "reflection"
        return reset == BEFORE and of_it and highest_number(agent.id, (node.id,)) <= above

    def counts(node: Node) -> bool:
        return highest_number(agent.id, (node.id,)) > above or is_insight(node)

    # while the stream holds the last reflection, its order of lines decides
    if in_archive:
        return sum(node.importance for node in (*agent.stream, *lived) if counts(node))
    return sum_importance(agent.stream, last, reset) + sum(node.importance for node in lived if counts(node))


def _is_found(agent: Agent) -> bool:
    wanted = agent.state.last_reflection
    return wanted is None or any(casefold(node.id) == casefold(wanted) for node in agent.stream)
