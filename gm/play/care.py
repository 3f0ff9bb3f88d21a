"""Self-care and retention, on demand and at the close of a day."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from gm.ask.prompt.off_scene import render_care
from gm.ask.prompt.turn_context import TurnContext
from gm.ask.reply.parse import parse_reply
from gm.ask.reply.schema import schema_of
from gm.base.config import ReplySettings, RetentionSettings, Settings
from gm.files.questions.mailbox import sweep_mailbox
from gm.llm.base import Block
from gm.llm.rehearsal.facts import Cue
from gm.memory.care import Batch, Cause, Pruned, plan_care, select_pruned
from gm.model.calendar import SceneRef
from gm.model.ids import parse_node_id
from gm.model.scene import Scene, SceneType
from gm.model.solo_replies import SummaryReply
from gm.model.world import Agent, Change, World
from gm.play.fold import Fold
from gm.play.question import ExpectedReply, Prompt, QuestionName, SentQuestion
from gm.play.table import GameTable
from gm.scene.directing.scenes import next_ref
from gm.scene.evening.selfcare import fold_care

PURPOSE = "summary"
CARE = SceneType("CARE", "care.j2", play="solo", cast=(1, 1))
Plans = Mapping[str, tuple[Batch, ...]]


@dataclass(frozen=True, slots=True)
class Cared:
    """The result of self-care for one character."""

    agent: str
    cause: Cause
    change: Change


def care_for(table: GameTable, names: Sequence[str], *, now: bool = False) -> list[Cared]:
    """Do self-care until nothing is due; a cause not removed is left for another day.

    Args:
        now: Begin with the oldest memories of all ``names``, due or not; otherwise only of those that asked for it.
    """
    cared: list[Cared] = []
    pressed = tuple(names) if now else _list_asking(table, names)
    while plans := {
        name: batches
        for name, batches in _plan(table, names, pressed).items()
        # a cause that self-care did not remove is left for another day
        if not any(item.agent == name and item.cause == batches[0].cause for item in cared)
    }:
        at = last_ref(table.world)
        for name, folding in _ask(table, plans).items():
            change = table.live.land(partial(_grant_care, folding=folding, name=name))
            _report_archived(table, name, change)
            cared.append(Cared(name, plans[name][0].cause, change))
            table.live.report.cared(table.world, name, change)
        sweep_mailbox(table.live.layout, at)
        pressed = ()
    return cared


def _list_asking(table: GameTable, names: Sequence[str]) -> tuple[str, ...]:
    return tuple(name for name in names if table.world.agents[name].state.care_wanted)


def prune(table: GameTable, name: str, retention: RetentionSettings) -> tuple[Pruned, ...]:
    """Archive memories by a policy, without a summary; return them in stream order."""
    table.live.refresh()
    choose = partial(_choose_pruned, name=name, retention=retention)
    pruned = choose(table.world)
    if pruned:
        change = table.live.land(
            lambda world: Change(world.clock.day, to_archive={name: frozenset(item.node.id for item in choose(world))})
        )
        _report_archived(table, name, change)
    return pruned


def archive_due(table: GameTable) -> None:
    """Archive what is due at the close of a day."""
    names, retention = tuple(table.world.agents), table.world.settings.retention
    world = table.world
    cares = world.settings.selfcare.enabled and _plan(table, names, _list_asking(table, names))
    # memories influence which scenes come next: an interrupted command must not play more today
    if cares:
        table.end_day()
        care_for(table, names)
    for name in names:
        if _choose_pruned(table.world, name, retention):
            table.end_day()
            prune(table, name, retention)


def _report_archived(table: GameTable, name: str, change: Change) -> None:
    for warning in change.warnings:
        table.live.report.notice(warning)
    table.live.assembler.lines.forget(change.to_archive.get(name, ()))


def _plan(table: GameTable, names: Sequence[str], now: Collection[str] = ()) -> dict[str, tuple[Batch, ...]]:
    world, plans = table.world, {}
    for name in names:
        agent = world.agents[name]
        batches = plan_care(
            agent, world.settings, world.open_day, _budget(table, world.settings, agent), now=name in now
        )
        if batches:
            plans[name] = batches
    return plans


def _ask(table: GameTable, plans: Plans) -> dict[str, Fold]:
    world = table.world
    asked = [(name, batch) for name, batches in plans.items() for batch in batches]
    replied = table.make_interviewer().ask([_question(table, world, name, batch) for name, batch in asked])
    replies: dict[str, list[SummaryReply]] = {name: [] for name in plans}
    for (name, _), item in zip(asked, replied, strict=True):
        assert isinstance(item.reply, SummaryReply)
        replies[name].append(item.reply)
    at = last_ref(world)
    return {
        name: partial(fold_care, agent=name, batches=batches, replies=replies[name], at=at)
        for name, batches in plans.items()
    }


def _budget(table: GameTable, settings: Settings, agent: Agent) -> int:
    window = settings.context.budget_for(table.make_stage().asked.model(PURPOSE, agent))
    most = settings.selfcare.prompt_tokens
    return most if window is None else min(most, window)


def _question(table: GameTable, world: World, name: str, batch: Batch) -> SentQuestion:
    agent, settings = world.agents[name], world.settings
    place = agent.state.position
    scene = Scene(last_ref(world), CARE, "evening", place, (name,), why="", premise="")
    required = settings.importance.missing == "error"
    # there may be one theme per memory
    most = max(settings.reply.most_items, len(batch.nodes))
    limits = ReplySettings(**{**vars(settings.reply), "most_items": most})
    read = partial(parse_reply, form=SummaryReply, importance_required=required, limits=limits)
    persona, question = render_care(table.live.assembler, world, agent, batch, _budget(table, settings, agent))
    return table.make_stage().make_question(
        world,
        scene,
        agent,
        QuestionName(label_batch(name, batch), PURPOSE, f"{name} (self-care)"),
        Prompt(
            (Block(persona, cache=True),),
            question,
            Cue(world, agent, scene, TurnContext(), batch.nodes, table.seed, PURPOSE),
        ),
        ExpectedReply(schema_of(SummaryReply, table.live.prompts.reply_texts), read),
    )


def label_batch(name: str, batch: Batch) -> str:
    """Return a batch's question label: by its first memory, unique within its scene."""
    parsed = parse_node_id(batch.nodes[0].id)
    return f"{name}-care-{parsed[1]:03d}" if parsed else f"{name}-care"


def last_ref(world: World) -> SceneRef:
    """Return the current day's last scene; scene 1 if there was none."""
    ref = next_ref(world)
    return SceneRef(ref.day, max(1, ref.scene - 1))


def _grant_care(world: World, folding: Fold, name: str) -> Change:
    change = folding(world)
    if not world.agents[name].state.care_wanted:
        return change
    return replace(change, agents={**change.agents, name: {**change.agents.get(name, {}), "care_wanted": False}})


def _choose_pruned(world: World, name: str, retention: RetentionSettings) -> tuple[Pruned, ...]:
    return select_pruned(world.agents[name], world.settings, retention, world.clock.day)
