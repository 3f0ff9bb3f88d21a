"""Self-care and pruning by hand, done or previewed."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from gm.api.answers.document import part
from gm.base.config import RetentionSettings
from gm.files.layout import Layout
from gm.llm.base import REHEARSAL
from gm.llm.choose import Choice
from gm.llm.rehearsal.backend import Rehearsal
from gm.memory.care import NONE, Batch, Pruned, cost, is_at_home, plan_care, select_movable, select_pruned
from gm.model.ids import parse_node_id
from gm.model.node import Node, node_record
from gm.model.world import Agent, World, known_agents
from gm.play.care import Cared, care_for, prune
from gm.play.master import game_master
from gm.play.report import Report


@dataclass(frozen=True, slots=True)
class DueBatch:
    """Nodes to be summarised together; ``first`` and ``last`` are ids."""

    cause: str
    memories: int
    first: str
    last: str
    tokens: int


@dataclass(frozen=True, slots=True)
class AgentCare:
    """The size of a character's memory."""

    memories: int
    tokens: int
    summaries: int
    summary_tokens: int
    movable: int
    position: str
    home: str
    at_home: bool
    wanted: bool
    due: tuple[DueBatch, ...]


@dataclass(frozen=True, slots=True)
class Ceilings:
    """Upper limits in tokens."""

    tokens: int
    summary_tokens: int


@dataclass(frozen=True, slots=True)
class Rules:
    """Least number of memories for a summary, and whether characters must be at home."""

    min: int
    at_home: bool


@dataclass(frozen=True, slots=True)
class CareDone:
    """Ids of archived nodes, and their summaries."""

    agent: str
    cause: str
    archived: tuple[str, ...]
    summaries: tuple[Node, ...] = part(by=node_record)


@dataclass(frozen=True, slots=True)
class Care:
    """Memory sizes and what is due; ``cared`` is what was done (None = read only)."""

    enabled: bool
    ceilings: Ceilings
    rules: Rules
    agents: Mapping[str, AgentCare]
    cared: tuple[CareDone, ...] | None = part(omit=None)


def describe_care(world: World, names: Sequence[str] = (), *, now: bool = False) -> Care:
    """Return memory sizes and what self-care would summarise.

    Args:
        now: Take the oldest memories though nothing is due.

    Raises:
        UsageError: A name is unknown.
    """
    care = world.settings.selfcare
    agents = {name: _agent_care(world, world.agents[name], now=now) for name in known_agents(world.agents, names)}
    return Care(care.enabled, Ceilings(care.token_ceiling, care.summary_ceiling), Rules(care.min, care.at_home), agents)


def _agent_care(world: World, agent: Agent, *, now: bool) -> AgentCare:
    settings, wanted = world.settings, agent.state.care_wanted
    budget = settings.context.budget_for(settings.models.summary or settings.model)
    batches = plan_care(agent, settings, world.open_day, budget or settings.selfcare.prompt_tokens, now=now or wanted)
    return AgentCare(
        memories=len(agent.stream),
        tokens=cost(agent.stream),
        summaries=len(agent.summaries),
        summary_tokens=cost(agent.summaries),
        movable=len(select_movable(agent, settings, world.open_day)),
        position=agent.state.position,
        home=agent.home,
        at_home=is_at_home(agent),
        wanted=wanted,
        due=tuple(map(_describe_due_batch, batches)),
    )


def run_care(layout: Layout, choice: Choice, report: Report, names: Sequence[str] = (), *, now: bool = False) -> Care:
    """Let characters summarise old memories where due.

    Raises:
        UsageError: A name is unknown.
        WaitingError: Answers are awaited from outside.
        LockedError: Another process is writing.
    """
    with game_master(layout, choice, report, command="gm care") as master:
        wanted = known_agents(master.world.agents, names)
        cared = care_for(master.table, wanted, now=now)
        return replace(describe_care(master.world, wanted), cared=tuple(map(_describe_done, cared)))


@dataclass(frozen=True, slots=True)
class PrunedMemory:
    """An archived node and its value by the strategy."""

    id: str
    value: float


@dataclass(frozen=True, slots=True)
class AgentPruning:
    """The pruned nodes, how many remain, and how many of these are held above a limit."""

    pruned: tuple[PrunedMemory, ...]
    kept: int
    held: int


@dataclass(frozen=True, slots=True)
class Pruning:
    """What pruning archives; the newest ``window`` nodes always stay."""

    strategy: str
    max_observations: int | None
    max_reflections: int | None
    dry_run: bool
    window: int
    agents: Mapping[str, AgentPruning]


def describe_pruning(world: World, names: Sequence[str], strategy: str | None) -> Pruning:
    """Return what pruning would archive.

    Args:
        strategy: None = as configured.

    Raises:
        UsageError: A name is unknown.
    """
    retention = _retention(world, strategy)
    pruned = {
        name: select_pruned(world.agents[name], world.settings, retention, world.clock.day)
        for name in known_agents(world.agents, names)
    }
    return _make_pruning(world, retention, pruned, dry_run=True)


def run_pruning(layout: Layout, report: Report, names: Sequence[str], strategy: str | None) -> Pruning:
    """Archive memories by a strategy, without calling a model.

    Raises:
        UsageError: A name is unknown.
        LockedError: Another process is writing.
    """
    with game_master(layout, Choice(Rehearsal(), REHEARSAL), report, command="gm prune") as master:
        retention = _retention(master.world, strategy)
        pruned = {name: prune(master.table, name, retention) for name in known_agents(master.world.agents, names)}
        return _make_pruning(master.world, retention, pruned, dry_run=False)


def _retention(world: World, strategy: str | None) -> RetentionSettings:
    retention = world.settings.retention
    return replace(retention, strategy=strategy) if strategy else retention


def _make_pruning(
    world: World, retention: RetentionSettings, pruned: dict[str, tuple[Pruned, ...]], *, dry_run: bool
) -> Pruning:
    agents = {}
    for name, items in pruned.items():
        agent, gone = world.agents[name], {item.node.id for item in items}
        kept = len(agent.stream) - (len(items) if dry_run else 0)
        went = tuple(PrunedMemory(item.node.id, item.value) for item in items)
        agents[name] = AgentPruning(went, kept, _count_held(agent, retention, gone))
    return Pruning(
        retention.strategy,
        retention.max_observations,
        retention.max_reflections,
        dry_run,
        world.settings.retrieval.last,
        agents,
    )


def _count_held(agent: Agent, retention: RetentionSettings, gone: Collection[str]) -> int:
    if retention.strategy == NONE:
        return 0
    deep = [node.depth > 0 for node in agent.stream if node.id not in gone]
    limits = ((False, retention.max_observations), (True, retention.max_reflections))
    return sum(max(0, deep.count(is_deep) - most) for is_deep, most in limits if most is not None)


def _describe_due_batch(batch: Batch) -> DueBatch:
    return DueBatch(batch.cause, len(batch.nodes), batch.nodes[0].id, batch.nodes[-1].id, cost(batch.nodes))


def _describe_done(cared: Cared) -> CareDone:
    change = cared.change
    archived = sorted(change.to_archive.get(cared.agent, ()), key=lambda one: parse_node_id(one) or ("", 0))
    return CareDone(cared.agent, cared.cause, tuple(archived), tuple(change.summaries.get(cared.agent, ())))
