"""The contents of a question as values, for backends that do not read prose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from gm.ask.prompt.people import call_name, part_of
from gm.ask.prompt.turn_context import Moment
from gm.layers.goals import GOALS
from gm.layers.relationships import RELATIONSHIPS
from gm.layers.soul import SOUL
from gm.layers.working import WORKING, page_lines, page_now, shown_prefixes
from gm.llm.facts import (
    Aim,
    ComingDay,
    Cue,
    Exchange,
    Line,
    Made,
    Open,
    Paper,
    Passage,
    Person,
    Regard,
    Said,
    Self,
    Setting,
    Share,
    Talk,
    Wanted,
)
from gm.model.calendar import weekday
from gm.model.character import Agent, find_agent
from gm.model.node import Node
from gm.model.replies import SceneReply
from gm.model.scene import Scene
from gm.model.thread import Thread
from gm.model.world import World
from gm.scene.exchange import wanted_of
from gm.scene.off_scene import PURPOSE, parts_of_day
from gm.scene.threads import open_threads_of

RECENT_ARTIFACTS = 6
LOOKED_THROUGH = 60  # newest memories that are searched for artifacts
MOST_THREADS = 12
DAYS_AHEAD = 3
GAME = "DND"
TOPIC_KINDS = {"bulletin": "brief", "event": "event", "gallery": "artifact"}


def gather_facts(world: World, agent: Agent, scene: Scene, moment: Moment, memories: Sequence[Node], seed: int) -> Cue:
    """Return the facts of a scene question."""
    day, weekdays = scene.ref.day, world.settings.calendar.weekdays
    return Cue(
        kind=scene.type.reply,
        seed=seed,
        language=world.settings.language,
        agent=_self(world, agent, scene),
        others=tuple(_person(world.agents[name]) for name in scene.cast if name != agent.id),
        people=tuple(_person(other) for other in world.agents.values() if other.id != agent.id),
        places=tuple(world.settings.places),
        scene=_setting(world, scene, agent),
        turn=moment.turn,
        turns=len(scene.cast) * scene.type.rounds[1] if scene.type.play == "sequential" else 1,
        last_turn=moment.last_turn,
        closing=moment.closing,
        dialogue=tuple(
            Said(line.agent, call_name(world, line.agent), line.text, line.to) for line in moment.dialogue if line.aloud
        ),
        wants_plan=scene.type.plan,
        replan=tuple({"kind": reason.part, **reason.values} for reason in moment.replan),
        threads=tuple(_open(thread, agent) for thread in open_threads_of(world, agent.id, scene.cast)[:MOST_THREADS]),
        ahead=tuple(ComingDay(later, weekday(later, weekdays)) for later in range(day + 1, day + 1 + DAYS_AHEAD)),
        brief=next((post.content for post in reversed(world.posts) if post.waits), ""),
        artifacts=_artifacts(world, agent),
        memories=tuple(memories),
        kept=tuple(memory.description for reply in moment.own for memory in reply.memories),
        insights=world.settings.reflection.insights,
        soul=tuple(entry.text for entry in agent.mind[SOUL].entries) if SOUL.name in world.layers else None,
        page=_page(world, agent, moment.own) if "working" in world.layers else None,
        regards=_regards(agent, scene) if RELATIONSHIPS.name in world.layers else None,
        importance_from=world.settings.importance.from_,
        exchange=_exchange(world, agent, moment),
    )


def evening_facts(world: World, agent: Agent, scene: Scene, memories: Sequence[Node], seed: int) -> Cue:
    """Return the facts of a diary question: those of a scene, and whom the character talked with."""
    facts = gather_facts(world, agent, scene, Moment(), memories, seed)
    talks = (part for part in parts_of_day(world, agent.id) if part.others and part.lines)
    return replace(facts, kind=PURPOSE, met=tuple(Talk(tuple(part.others)) for part in talks))


def _self(world: World, agent: Agent, scene: Scene) -> Self:
    names = list(world.agents)
    return Self(
        id=agent.id,
        name=agent.name,
        call_name=agent.call_name,
        index=names.index(agent.id),
        count=len(names),
        persona=_front(agent),
        part=part_of(agent, scene),
        mood=agent.state.mood,
        position=agent.state.position,
        current_task=agent.state.current_task,
        today_plan=tuple(agent.state.today_plan),
    )


def _person(agent: Agent) -> Person:
    return Person(agent.id, agent.name, agent.call_name, str(_front(agent).get("role", "")))


def _front(agent: Agent) -> Mapping[str, Any]:
    return dict(agent.persona.front) if agent.persona else {}


def _setting(world: World, scene: Scene, agent: Agent) -> Setting:
    starter = scene.cast[0]
    return Setting(
        ref=str(scene.ref),
        day=scene.ref.day,
        scene=scene.ref.scene,
        weekday=weekday(scene.ref.day, world.settings.calendar.weekdays),
        type=scene.type.name,
        play=scene.type.play,
        time_of_day=scene.time_of_day,
        place=scene.place,
        place_text=world.settings.places.get(scene.place, ""),
        topic=scene.topic,
        topic_kind=TOPIC_KINDS.get(scene.answers[0].partition("/")[0], "") if scene.answers else "",
        intent=scene.intent if starter == agent.id else "",
        premise=scene.premise,
        starter=starter,
        leader=starter if scene.type.chair else "",
        is_game=scene.type.name == GAME or any(part_of(world.agents[name], scene) for name in scene.cast),
        passages=tuple(Passage(passage.place, passage.title) for passage in scene.passages),
        note=scene.note,
    )


def _open(thread: Thread, agent: Agent) -> Open:
    return Open(
        id=thread.id,
        kind=thread.kind,
        mine=thread.by == agent.id,
        by=thread.by,
        to=thread.to,
        text=thread.text,
        since=thread.since.day,
        due=thread.due,
    )


def _artifacts(world: World, agent: Agent) -> tuple[Made, ...]:
    """Newest last."""
    found = []
    for node in reversed(agent.stream[-LOOKED_THROUGH:]):
        path = node.metadata.get("artifact_path")
        if node.type != "observation" or not isinstance(path, str):
            continue
        maker = next(filter(None, (find_agent(world.agents, tag) for tag in node.tags)), None)
        title = str(node.metadata.get("title") or path.rsplit("/", 1)[-1])
        if maker and title.strip():
            found.append(Made(title, maker, path))
    return tuple(found[:RECENT_ARTIFACTS][::-1])


def _page(world: World, agent: Agent, own: Sequence[SceneReply]) -> Paper:
    settings = world.settings.working
    page = page_now(agent.mind[WORKING], [reply.working for reply in own], settings.lines)
    prefixes = shown_prefixes(settings.migrate_prefixes, world.settings.language)
    lines = tuple(Line(line.key, line.text) for line in page_lines(page))
    return Paper(lines, settings.lines, prefixes[0] if prefixes else "")


def _regards(agent: Agent, scene: Scene) -> dict[str, Regard]:
    known = agent.mind[RELATIONSHIPS]
    return {
        name: Regard(known[name].relationship_type, known[name].trust_level) for name in scene.cast if name in known
    }


def _exchange(world: World, agent: Agent, moment: Moment) -> Exchange | None:
    share = goals = None
    if "share" in world.layers:
        wanted = (Wanted(item.asker, item.about) for item in wanted_of(world, agent.id, moment.own))
        share = Share(tuple(wanted), tuple(item.giver for item in world.links if item.asker == agent.id))
    if "goals" in world.layers:
        goals = tuple(Aim(goal.id, goal.text, goal.steps) for goal in agent.mind[GOALS] if goal.is_open)
    found = Exchange(share, goals, decisions="decisions" in world.layers, kinds="kinds" in world.layers)
    return None if found == Exchange() else found
