"""Fold a reflection scene into a change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gm.memory.importance import NO_RATINGS, Ratings
from gm.memory.reflect import BEFORE
from gm.model.consulted import Consulted
from gm.model.node import Node
from gm.model.scene import Scene
from gm.model.solo_replies import ReflectionReply
from gm.model.state import AgentStateChange
from gm.model.turns import PlayedTurn, unless_blank
from gm.model.world import Agent, Change, Sentences, World
from gm.scene.folding.advance import clock_after, log_entry
from gm.scene.folding.conversation import add_formed, recalled_in, reinforced_in, wants_care
from gm.scene.folding.keeping import formed_within, say_over
from gm.scene.folding.minds import fold_replies, mind_record
from gm.scene.ledger import Ledger, NewNode, facets_of
from gm.scene.pieces.waiting import deliver


@dataclass(frozen=True, slots=True)
class Reflected:
    """The result of a reflection.

    Attributes:
        questions: Those that each insight answers; may be empty.
        consulted: The tool calls before the reply.
        angle: What an insight was asked to be about; may be empty.
    """

    reply: ReflectionReply
    questions: tuple[tuple[str, ...], ...] = ()
    consulted: tuple[Consulted, ...] = ()
    angle: str = ""


def fold_reflection(
    world: World, scene: Scene, reflected: Reflected, words: Sentences, *, ratings: Ratings = NO_RATINGS
) -> Change:
    """Add insights as reflection nodes, reset the accumulator and record where this reflection ended.

    Insights above ``reflection.insights[1]`` and unknown evidence are dropped with a warning; one without evidence
    stays, at depth 1. Missing importance comes from ``ratings``, else by rule, at least ``reflection.min_importance``.
    Memories formed with tools count for the next reflection.
    """
    reply = reflected.reply
    agent = world.agents[scene.cast[0]]
    # insights of one reflection cannot cite each other: evidence is checked against the stream as it was
    ledger = Ledger(world, str(scene.ref), cite_new=False, ratings=ratings)
    _add_insights(ledger, agent.id, reflected)
    added = tuple(ledger.nodes[agent.id])
    # after the insights, which cannot cite it: it counts for the next reflection
    consulted = _add_formed(ledger, agent, reflected.consulted)
    delivered = deliver(ledger, words)
    minds = fold_replies(world, scene, {agent.id: [(reply, consulted)]}, ledger, words)
    return Change(
        day=scene.ref.day,
        nodes=ledger.added(),
        agents=_agent_changes(ledger, agent, reply, added, cares=wants_care(consulted)),
        minds=minds,
        clock=clock_after(world.clock, scene),
        log=log_entry(
            scene,
            words(
                "reflection_summary",
                name=agent.call_name,
                count=len(added),
                insights=[node.description for node in added],
            ),
            ledger.nodes,
            (PlayedTurn(agent.id, thought=unless_blank(reply.thoughts), round=1),),
            {"angle": reflected.angle, **mind_record(minds), **delivered},
        ),
        warnings=tuple(ledger.warnings),
        reinforced=reinforced_in(consulted),
        recalled=recalled_in(world, ledger, consulted),
    )


def _add_formed(ledger: Ledger, agent: Agent, consulted: Sequence[Consulted]) -> tuple[Consulted, ...]:
    kept, over = formed_within(ledger.world, agent, consulted)
    limit = ledger.world.settings.allowance.memories_per_day
    ledger.warnings += [say_over(agent.id, formed.description, limit) for formed in over]
    add_formed(ledger, agent.id, kept)
    return kept


def _agent_changes(
    ledger: Ledger, agent: Agent, reply: ReflectionReply, insights: Sequence[Node], *, cares: bool
) -> dict[str, AgentStateChange]:
    world = ledger.world
    counted = 0 if world.settings.reflection.reset == BEFORE else len(insights)
    values: AgentStateChange = {
        "importance_accumulator": sum(node.importance for node in ledger.nodes[agent.id][counted:]),
        "last_reflection": insights[-1].id,
    }
    if reply.mood:
        values["mood"] = reply.mood
    if cares:
        values["care_wanted"] = True
    return {**ledger.accumulators(), agent.id: values}


def _add_insights(ledger: Ledger, agent: str, reflected: Reflected) -> None:
    reply, questions = reflected.reply, reflected.questions
    most = ledger.world.settings.reflection.insights[1]
    if len(reply.insights) > most:
        ledger.warnings.append(f"{agent}: {len(reply.insights) - most} insights above {most} were dropped")
    settings = ledger.world.settings.reflection
    for number, insight in enumerate(reply.insights[:most]):
        answered = list(questions[number]) if questions else []
        ledger.add(
            agent,
            NewNode(
                insight.description,
                insight.importance,
                "reflection",
                tags=insight.tags,
                evidence=insight.evidence,
                metadata={**facets_of(insight), **({"questions": answered} if answered else {})},
            ),
            least=settings.min_importance or 1,
        )
