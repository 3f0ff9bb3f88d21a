"""What a question is about, as plain data, for backends that do not read prose."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gm.day.mindfacts import mind_facts
from gm.layers.goals import GOALS
from gm.layers.relationships import RELATIONSHIPS
from gm.model.calendar import weekday
from gm.model.character import Agent, find_agent
from gm.model.node import Node
from gm.model.scene import Scene
from gm.model.thread import Thread
from gm.model.weighing import REPLY
from gm.model.world import World
from gm.prompt.people import call_name, part_of
from gm.prompt.turn_context import Moment
from gm.scene.evening import PURPOSE, parts_of_day
from gm.scene.exchange import wanted_of
from gm.scene.threads import open_threads_of

RECENT_ARTIFACTS = 6
MOST_THREADS = 12
DAYS_AHEAD = 3
GAME = "DND"
TOPIC_KINDS = {"bulletin": "brief", "event": "event", "gallery": "artifact"}


def gather_facts(
    world: World, agent: Agent, scene: Scene, moment: Moment, memories: Sequence[Node], seed: int
) -> dict[str, Any]:
    """Put a question into data: who is asked, with whom, where, what was said, what is remembered."""
    return {
        "kind": scene.type.reply,
        "seed": seed,
        "language": world.settings.language,
        "agent": _self(world, agent, scene),
        "others": [_person(world.agents[name]) for name in scene.cast if name != agent.id],
        "people": [_person(other) for other in world.agents.values() if other.id != agent.id],
        "places": list(world.settings.places),
        "scene": _scene(world, scene, agent),
        "turn": moment.turn,
        "turns": len(scene.cast) * scene.type.rounds[1] if scene.type.play == "sequential" else 1,
        "last_turn": moment.last_turn,
        "closing": moment.closing,
        "dialogue": [
            {"agent": line.agent, "name": call_name(world, line.agent), "text": line.text, "to": line.to}
            for line in moment.dialogue
            if line.aloud
        ],
        "wants_plan": scene.type.plan,
        "replan": [{"kind": reason.part, **reason.values} for reason in moment.replan],
        "threads": [_thread(thread, agent) for thread in open_threads_of(world, agent.id, scene.cast)[:MOST_THREADS]],
        "ahead": [
            {"day": day, "weekday": weekday(day, world.settings.calendar.weekdays)}
            for day in range(scene.ref.day + 1, scene.ref.day + 1 + DAYS_AHEAD)
        ],
        "brief": next((post.content for post in reversed(world.posts) if post.waits), ""),
        "artifacts": _artifacts(world, agent),
        "memories": [_memory(node) for node in memories],
        "kept": [memory.description for reply in moment.own for memory in reply.memories],
        "insights": list(world.settings.reflection.insights),
        **mind_facts(world, agent, moment.own),
        **({"regards": _regards(agent, scene)} if RELATIONSHIPS.name in world.layers else {}),
        **_asked_otherwise(world),
        **({"exchange": exchange} if (exchange := _exchange(world, agent, moment)) else {}),
    }


def _regards(agent: Agent, scene: Scene) -> dict[str, Any]:
    """What a character thinks of those who are there, by their ids."""
    known = agent.mind[RELATIONSHIPS]
    return {
        name: {"type": known[name].relationship_type, "trust": known[name].trust_level}
        for name in scene.cast
        if name in known
    }


def evening_facts(world: World, agent: Agent, scene: Scene, memories: Sequence[Node], seed: int) -> dict[str, Any]:
    """Put the question for a diary into data: that of a scene, and what was done of the plan."""
    facts = gather_facts(world, agent, scene, Moment(), memories, seed)
    talks = [part for part in parts_of_day(world, agent.id) if part.others and part.lines]
    return facts | {"kind": PURPOSE, "met": [{"others": list(part.others)} for part in talks]}


def _asked_otherwise(world: World) -> dict[str, Any]:
    """Say in which form importance is asked for, where it is not the usual one."""
    source = world.settings.importance.from_
    return {} if source == REPLY else {"importance_from": source}


def _exchange(world: World, agent: Agent, moment: Moment) -> dict[str, Any]:
    """What is asked for beside a reply: memories, goals, decisions, finer kinds; empty where nothing is."""
    found: dict[str, Any] = {}
    if "share" in world.layers:
        wanted = [{"id": item.asker, "about": list(item.about)} for item in wanted_of(world, agent.id, moment.own)]
        found["share"] = {"wanted": wanted, "asked": [item.giver for item in world.links if item.asker == agent.id]}
    if "goals" in world.layers:
        goals = [goal for goal in agent.mind[GOALS] if goal.is_open]
        found["goals"] = [{"id": goal.id, "text": goal.text, "steps": goal.steps} for goal in goals]
    if "decisions" in world.layers:
        found["decisions"] = True
    if "kinds" in world.layers:
        found["kinds"] = True
    return found


def _scene(world: World, scene: Scene, agent: Agent) -> dict[str, Any]:
    return {
        "ref": str(scene.ref),
        "day": scene.ref.day,
        "scene": scene.ref.scene,
        "weekday": weekday(scene.ref.day, world.settings.calendar.weekdays),
        "type": scene.type.name,
        "play": scene.type.play,
        "time_of_day": scene.time_of_day,
        "place": scene.place,
        "place_text": world.settings.places.get(scene.place, ""),
        "topic": scene.topic,
        "topic_kind": TOPIC_KINDS.get(scene.answers[0].partition("/")[0], "") if scene.answers else "",
        "intent": scene.intent if scene.cast[0] == agent.id else "",
        "premise": scene.premise,
        "starter": scene.cast[0],
        "leader": scene.cast[0] if scene.type.chair else "",
        "is_game": scene.type.name == GAME or any(part_of(world.agents[name], scene) for name in scene.cast),
        "passages": [{"place": passage.place, "title": passage.title} for passage in scene.passages],
        **({"note": scene.note} if scene.note else {}),
    }


def _thread(thread: Thread, agent: Agent) -> dict[str, Any]:
    return {
        "id": thread.id,
        "kind": thread.kind,
        "mine": thread.by == agent.id,
        "by": thread.by,
        "to": list(thread.to),
        "text": thread.text,
        "since": thread.since.day,
        "due": thread.due,
    }


def _self(world: World, agent: Agent, scene: Scene) -> dict[str, Any]:
    """Who is asked: as in the files, and its place among the cast."""
    names = list(world.agents)
    return {
        "id": agent.id,
        "name": agent.name,
        "call_name": agent.call_name,
        "index": names.index(agent.id),
        "count": len(names),
        "persona": dict(agent.persona.front) if agent.persona else {},
        "part": part_of(agent, scene),
        "mood": agent.state.mood,
        "position": agent.state.position,
        "current_task": agent.state.current_task,
        "today_plan": list(agent.state.today_plan),
    }


def _memory(node: Node) -> dict[str, Any]:
    return {
        "id": node.id,
        "type": node.type,
        "depth": node.depth,
        "description": node.description,
        "importance": node.importance,
        "tags": list(node.tags),
    }


def _person(agent: Agent) -> dict[str, str]:
    front = agent.persona.front if agent.persona else {}
    return {
        "id": agent.id,
        "name": agent.name,
        "call_name": agent.call_name,
        "role": str(front.get("role", "")),
    }


def _artifacts(world: World, agent: Agent) -> list[dict[str, str]]:
    """Other people's work that this character has seen, newest last."""
    found = []
    for node in reversed(agent.stream[-60:]):
        path = node.metadata.get("artifact_path")
        if node.type != "observation" or not isinstance(path, str):
            continue
        maker = next(filter(None, (find_agent(world.agents, tag) for tag in node.tags)), None)
        if maker:
            title = node.metadata.get("title") or path.rsplit("/", 1)[-1]
            found.append({"title": str(title), "maker": maker, "path": path})
    return found[:RECENT_ARTIFACTS][::-1]
