"""Fold a played scene into one ``Change``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from gm.base.texts import clip
from gm.memory.importance import NO_RATINGS, Ratings
from gm.model.mind import MindChange
from gm.model.node import Node
from gm.model.scene import Scene
from gm.model.scene_reply import NewMemory, SceneReply
from gm.model.state import AgentStateChange
from gm.model.turns import PlayedTurn
from gm.model.world import Agent, Change, Sentences, World
from gm.scene.dialogue.turns import Turn, go_over, played_turns, woven
from gm.scene.folding.advance import clock_after, log_line
from gm.scene.folding.conversation import (
    add_conversations,
    add_formed,
    add_read,
    recalled_in,
    reinforced_in,
    resolve,
    wants_care,
)
from gm.scene.folding.decisions import fold_decisions
from gm.scene.folding.exchange import MemoryExchange, add_utterances, fold_exchange
from gm.scene.folding.keeping import Keeping, choose_kept
from gm.scene.folding.minds import fold_minds, mind_record
from gm.scene.folding.showing import add_read_pieces, add_shown
from gm.scene.grounding.attendance import known_places, place_after
from gm.scene.ledger import Ledger, NewNode, facets_of
from gm.scene.pieces.artifacts import add_artifact, posts_of, tasks_meanwhile
from gm.scene.pieces.waiting import deliver
from gm.scene.planning.plan_items import Happened, StruckPlan, collect_happened, says_task, strike_done, strike_reported
from gm.scene.planning.plans import add_plan
from gm.scene.threads.changes import FoldedThreads, brief_event, fold_threads


def fold_scene(
    world: World,
    scene: Scene,
    turns: Sequence[Turn],
    words: Sentences,
    *,
    taken: Callable[[str], bool],
    ratings: Ratings = NO_RATINGS,
) -> Change:
    """Fold a scene's replies into one change.

    Args:
        turns: In the order they count; sequential scenes may have several of one agent.
        taken: Whether a path of the world is in use.
        ratings: Importance of memories without one; the rest is rated by rule.
    """
    moved_scene, unmoved = go_over(scene, turns, known_places(world))
    ledger = Ledger(world, str(scene.ref), ratings=ratings, tag=scene.type.tag)
    folded = _fold_turns(ledger, moved_scene, turns, words, taken)
    turns, files = folded.kept.turns, folded.added.files
    happened = collect_happened(world, moved_scene, turns, folded.threads.events)
    consulted = [item for turn in turns for item in turn.consulted]
    # the record shows the scene as it began, and where it moved
    record = _log_record(ledger, replace(scene, moved=moved_scene.moved), folded.played, words)
    return Change(
        day=scene.ref.day,
        nodes=ledger.added(),
        agents=_agent_changes(ledger, happened, folded.struck, words),
        minds=folded.minds,
        links=folded.exchange.links,
        decisions=folded.decisions,
        posts=posts_of(moved_scene, turns, files),
        clock={
            **clock_after(world.clock, moved_scene),
            "artifacts_today": [*world.clock.artifacts_today, *files],
        },
        files=files,
        threads=tuple(folded.threads.events),
        log=record | _folded_record(folded),
        to_archive=folded.kept.outweighed,
        warnings=(*_warnings(folded), *unmoved, *_unsaid(turns)),
        reinforced=reinforced_in(consulted),
        recalled=recalled_in(world, ledger, consulted),
    )


@dataclass(frozen=True, slots=True)
class _Added:
    """What turns bring of their own, by agent or path; ``formed`` are ids of nodes made of memories.

    ``read`` are paths of pieces on the board, as in the logbook.
    """

    plans: Mapping[str, tuple[str, ...]]
    files: Mapping[str, str]
    formed: Mapping[str, Sequence[str]]
    read: Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class _Folded:
    """What follows from the turns of a scene, part by part."""

    ledger: Ledger
    kept: Keeping
    added: _Added
    played: tuple[PlayedTurn, ...]
    threads: FoldedThreads
    minds: Mapping[str, MindChange]
    exchange: MemoryExchange
    delivered: Mapping[str, object]
    struck: Mapping[str, StruckPlan]
    decisions: tuple[str, ...]
    undecided: tuple[str, ...]


def _fold_turns(
    ledger: Ledger, scene: Scene, turns: Sequence[Turn], words: Sentences, taken: Callable[[str], bool]
) -> _Folded:
    world = ledger.world
    kept = choose_kept(world, scene.ref, turns)
    turns = kept.turns
    added = _add_turns(ledger, scene, turns, words, taken)
    played = played_turns(turns, at_once=scene.type.is_at_once, paths=added.files)
    spoken = woven(played)
    add_conversations(ledger, scene, turns, spoken, words)
    threads = fold_threads(world, scene, turns, words)
    minds = fold_minds(world, scene, turns, ledger, words)
    add_utterances(ledger, scene, spoken, words)
    exchange = fold_exchange(world, scene, turns, ledger, words)
    delivered = deliver(ledger, words)
    struck = {name: strike_reported(world.agents[name], turns, added.plans.get(name)) for name in scene.cast}
    decided = fold_decisions(world, scene, turns)
    return _Folded(ledger, kept, added, played, threads, minds, exchange, delivered, struck, *decided)


def _folded_record(folded: _Folded) -> dict[str, object]:
    threads = [brief_event(event) for event in folded.threads.events]
    kept = folded.kept.log
    return {
        **({"threads": threads} if threads else {}),
        **_ends_record(folded.struck),
        **mind_record(folded.minds),
        **folded.exchange.log,
        **folded.delivered,
        **({"decisions": list(folded.decisions)} if folded.decisions else {}),
        **({"read": dict(folded.added.read)} if folded.added.read else {}),
        **kept,
        **({"formed_ids": folded.added.formed} if "formed" in kept else {}),
    }


def _warnings(folded: _Folded) -> tuple[str, ...]:
    return (
        *folded.kept.warnings,
        *folded.ledger.warnings,
        *folded.threads.warnings,
        *(warning for plan in folded.struck.values() for warning in plan.warnings),
        *folded.exchange.warnings,
        *folded.undecided,
    )


def _add_turns(
    ledger: Ledger, scene: Scene, turns: Sequence[Turn], words: Sentences, taken: Callable[[str], bool]
) -> _Added:
    cited = add_read(ledger, scene, words)
    files: dict[str, str] = {}
    plans: dict[str, tuple[str, ...]] = {}
    formed: dict[str, list[str]] = {}
    tasks = tasks_meanwhile(ledger.world, scene, turns)
    for turn in turns:
        if turn.reply.plan:
            plans[turn.agent] = add_plan(ledger, scene, turn.agent, turn.reply.plan, words)
        for memory in turn.reply.memories:
            node = _add_memory(ledger, turn.agent, memory, cited.get(turn.agent, {}))
            formed.setdefault(turn.agent, []).extend([node.id] if node else [])
        add_formed(ledger, turn.agent, turn.consulted)
        if turn.reply.artifact:
            # two artifacts of one scene may have the same name
            path, text = add_artifact(ledger, scene, turn, words, lambda name: name in files or taken(name), tasks)
            files[path] = text
    add_shown(ledger, scene, turns, words)
    return _Added(plans, files, formed, add_read_pieces(ledger, scene, turns, words))


def _add_memory(ledger: Ledger, agent: str, memory: NewMemory, cited: Mapping[str, str]) -> Node | None:
    return ledger.add_once(
        agent,
        NewNode(
            memory.description,
            memory.importance,
            memory.type,
            tags=memory.tags,
            evidence=[resolve(item, cited) for item in memory.evidence],
            metadata={
                **facets_of(memory),
                **({"kind": memory.kind} if memory.kind and "kinds" in ledger.world.layers else {}),
            },
        ),
    )


def _agent_changes(
    ledger: Ledger, happened: Happened, struck: Mapping[str, StruckPlan], words: Sentences
) -> dict[str, AgentStateChange]:
    world, scene, turns = ledger.world, happened.scene, happened.turns
    changes: dict[str, AgentStateChange] = {}
    for name in dict.fromkeys((*scene.cast, *ledger.nodes)):
        agent = world.agents[name]
        values: AgentStateChange = {}
        if name in scene.cast:
            replies = [turn.reply for turn in turns if turn.agent == name]
            values = _own_changes(world, scene, agent, replies)
        if name in struck:
            own = struck[name]
            # a new plan already takes account of what is done
            plan = own.plan if own.is_new else strike_done(world, agent, own.plan, happened, words)
            if own.is_new or plan != agent.state.today_plan:
                values["today_plan"] = list(plan)
        if wants_care(item for turn in turns if turn.agent == name for item in turn.consulted):
            values["care_wanted"] = True
        values["importance_accumulator"] = ledger.accumulated(name)
        changes[name] = values
    return changes


def _unsaid(turns: Sequence[Turn]) -> tuple[str, ...]:
    return tuple(
        f"{turn.agent}: after the end of the scene, left out: {clip(text)!r}" for turn in turns for text in turn.unsaid
    )


def _ends_record(struck: Mapping[str, StruckPlan]) -> dict[str, object]:
    ends = {name: list(plan.ends) for name, plan in struck.items() if plan.ends}
    return {"plan_status": ends} if ends else {}


def _own_changes(world: World, scene: Scene, agent: Agent, replies: Sequence[SceneReply]) -> AgentStateChange:
    values: AgentStateChange = {"position": place_after(scene.type, scene.place, agent, scene.cast[0])}
    known = known_places(world)
    for reply in replies:
        if reply.go_to in known:
            values["position"] = reply.go_to
        if reply.current_task:
            values["current_task"] = reply.current_task
        values["mood"] = reply.mood
    made = [reply.artifact for reply in replies if reply.artifact]
    task = agent.state.current_task
    if "current_task" not in values and any(says_task(f"{one.title} {one.description}", task) for one in made):
        values["current_task"] = ""
    return values


def _log_record(
    ledger: Ledger,
    scene: Scene,
    played: tuple[PlayedTurn, ...],
    words: Sentences,
) -> dict[str, object]:
    names = [ledger.world.agents[name].call_name for name in scene.cast]
    summary = words(
        "scene_summary",
        type=scene.type.name,
        names=names,
        place=scene.place,
        actions=[turn.action for turn in played if turn.action],
        said=sum(len(turn.lines) for turn in played),
        artifacts=[turn.artifact for turn in played if turn.artifact],
    )
    return {
        **log_line(scene, summary, ledger.nodes, played, scene.answers),
        **({"director_note": scene.director_note} if scene.director_note else {}),
        **({"premises": dict(scene.premises)} if scene.premises else {}),
        **({"note": scene.note} if scene.note else {}),
        **({"score": dict(scene.score)} if scene.score else {}),
    }
