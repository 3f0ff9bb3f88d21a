"""Small values for tests, with defaults for everything that a test does not talk about."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from gm.base.config import Settings, ThreadsSettings
from gm.layers.relationships import RELATIONSHIPS, Relationship
from gm.model.calendar import SceneRef, parse_ref
from gm.model.clock import Clock, Post, ScheduledEvent
from gm.model.layer_replies import Regard
from gm.model.logged import LogEntry
from gm.model.node import Node, NodeType
from gm.model.persona import Persona
from gm.model.scene import EVERYONE, Play, Scene, SceneType
from gm.model.scene_reply import (
    Line,
    NewArtifact,
    NewMemory,
    Opened,
    Plan,
    PlanningReply,
    SceneReply,
    Takeaway,
    Talk,
)
from gm.model.solo_replies import Insight, ReflectionReply
from gm.model.state import AgentState
from gm.model.thread import Thread
from gm.model.world import Agent, Change, World
from gm.scene.dialogue.speakers import next_speaker
from gm.scene.dialogue.turns import Turn
from gm.scene.directing.director import next_step
from gm.scene.evening.nightfall import close_day
from gm.scene.folding.advance import advance
from gm.scene.folding.apply import fold_scene
from gm.scene.folding.conclude import Reflected, fold_reflection
from gm.scene.planning.schedule import open_day

SCENE_TYPES: dict[str, SceneType] = {
    kind.name: kind
    for kind in (
        SceneType("ARRIVAL", "scenes/arrival.j2", plan=True, disperse=True),
        SceneType(
            "ENCOUNTER",
            "scenes/encounter.j2",
            play="sequential",
            cast=(2, 3),
            times=("morning", "noon", "afternoon"),
            rounds=(2, 2),
            regular=False,
            suits={"noon": 1.0, "afternoon": 0.5},
            daily=True,
            share=2,
        ),
        SceneType(
            "WORK",
            "scenes/work.j2",
            cast=(1, 3),
            times=("morning", "noon", "afternoon"),
            regular=False,
            suits={"morning": 1.0, "afternoon": 0.5},
            daily=True,
            share=3,
        ),
        SceneType(
            "MEETING",
            "scenes/meeting.j2",
            play="sequential",
            cast=(3, 99),
            times=("morning", "afternoon"),
            who=EVERYONE,
            suits={"morning": 0.5},
            share=1,
        ),
        SceneType("EVENT", "scenes/event.j2", play="sequential", cast=(2, 99)),
        SceneType("REFLECTION", "scenes/reflection.j2", play="solo", reply="reflection", cast=(1, 1)),
    )
}


def words(key: str, /, **values: Any) -> str:
    """Stand in for the sentences of ``words.yaml``: the key and what the sentence would be about."""
    return " ".join((f"<{key}>", *(f"{name}={value}" for name, value in values.items())))


def never(path: str) -> bool:
    """Stand in for a gallery in which no path is taken."""
    return False


def node(
    number: int = 1,
    *,
    agent: str = "vera",
    created: str = "day-001/scene-01",
    type: NodeType = "observation",
    depth: int = 0,
    description: str = "Ich sah den Turm.",
    importance: int = 5,
    tags: Sequence[str] = (),
    evidence: Sequence[str] = (),
    metadata: Mapping[str, Any] | None = None,
) -> Node:
    """Make a memory of Vera's."""
    return Node(
        f"{agent}-{number:03d}",
        created,
        type,
        depth,
        description,
        importance,
        tuple(tags),
        tuple(evidence),
        metadata or {},
    )


def agent(
    name: str = "vera",
    *,
    called: str = "",
    at: str = "atelier",
    home: str = "",
    task: str = "",
    plan: Sequence[str] = (),
    accumulator: int = 0,
    last_reflection: str | None = None,
    stream: Sequence[Node] = (),
    archived: int = 0,
) -> Agent:
    """Make a character; ``vera`` is called Vera."""
    state = AgentState(
        name=called or name.capitalize(),
        position=at,
        current_task=task,
        today_plan=tuple(plan),
        importance_accumulator=accumulator,
        last_reflection=last_reflection,
    )
    return Agent(name, state, Persona({"home": home}) if home else None, tuple(stream), archived)


def world(
    *agents: Agent,
    day: int = 1,
    scenes_today: int = 0,
    log: Sequence[LogEntry] = (),
    posts: Sequence[Post] = (),
    events: Sequence[ScheduledEvent] = (),
    settings: Settings | None = None,
    types: Mapping[str, SceneType] = SCENE_TYPES,
) -> World:
    """Make a world whose day is open, on its first morning."""
    clock = Clock(
        day=day,
        time_of_day="morning",
        scenes_today=scenes_today,
        scenes_total=scenes_today,
        scheduled_events=tuple(events),
        day_open=True,
    )
    return World(
        settings or Settings(),
        clock,
        tuple(posts),
        {one.id: one for one in sorted(agents, key=lambda one: one.id)},
        tuple(log),
        types,
    )


CAST = (agent("vera"), agent("emre"), agent("finn"))


def cast_with(*threads: Thread, day: int = 1, log: list[LogEntry] | None = None, days: int | None = 7) -> World:
    """Make a world of three characters with threads."""
    settings = Settings(threads=ThreadsSettings(days=days))
    return replace(world(*CAST, day=day, log=log or [], settings=settings), threads=threads)


def studio(*names: str, day: int = 0, **others: Any) -> World:
    """Make a closed world before its first day: characters with a room of their own, and rooms for all."""
    names = names or ("emre", "finn", "nami", "vera")
    cast = [agent(name, at=f"{name}s-room", home=f"{name}s-room") for name in names]
    settings = Settings(places={"hall": "Long tables.", **{f"{name}s-room": "A desk." for name in names}})
    made = world(*cast, day=day, **{"settings": settings, **others})
    return replace(made, clock=replace(made.clock, day_open=False, time_of_day="evening"))


def scene(
    *cast: str,
    type: str = "WORK",
    play: Play | None = None,
    at: str = "day-001/scene-02",
    place: str = "atelier",
    time: str = "morning",
    **others: Any,
) -> Scene:
    """Make a scene that is about to be folded."""
    kind = SCENE_TYPES[type]
    if play:
        kind = replace(kind, play=play)
    ref = parse_ref(at)
    assert ref is not None
    return Scene(ref, kind, time, place, cast or ("vera",), why="because", premise="it begins", **others)


def entry(day: int, type: str, *participants: str, scene: int = 1, place: str = "hall", **record: Any) -> LogEntry:
    """Make a logbook line."""
    return LogEntry(
        day, {"scene": scene, "type": type, "location": place, "participants": list(participants), **record}
    )


def post(
    content: str = "Build me a tower.", *, author: str = "Creative Director", day: int = 1, index: int = 0
) -> Post:
    """Make a post on the bulletin board."""
    return Post(index, author, "brief", content, day)


def line(text: str, to: str | None = None) -> Line:
    """Make one thing said aloud."""
    return Line(text=text, to=to)


def reply(*lines: str | Line, mood: str = "calm", **others: Any) -> SceneReply:
    """Make an answer to one turn of a scene."""
    said = [line(item) if isinstance(item, str) else item for item in lines]
    return SceneReply(dialogue=said, mood=mood, **others)


def memory(description: str = "Der Turm steht schief.", **others: Any) -> NewMemory:
    """Make a memory as a reply carries it."""
    return NewMemory(**{"type": "observation", "description": description, "importance": 5, **others})


def artifact(title: str = "Der Turm", **others: Any) -> NewArtifact:
    """Make a finished piece of work as a reply carries it."""
    defaults = {"kind": "concepts", "description": "Ein Turm aus Asche.", "body": "# Turm", "importance": 8}
    return NewArtifact(**{"title": title, **defaults, **others})


def takeaway(description: str, importance: int | None = 5, valence: float | None = None) -> Takeaway:
    """Make what remains of a conversation."""
    return Takeaway(description=description, importance=importance, valence=valence)


def promise(text: str = "Ich bringe dir die Maße.", *, to: str | None = None, **others: Any) -> Opened:
    """Make a promise as a reply carries it; ``kind="question"`` for a question."""
    return Opened(**{"kind": "promise", "to": to, "text": text, **others})


def regard(other: str = "emre", **others: Any) -> Regard:
    """Make what a reply says of another character."""
    return Regard.model_validate({"with": other, **others})


def regarding(one: Agent, **others: Relationship) -> Agent:
    """Return a character with what it thinks of others."""
    return replace(one, mind=one.mind.with_value(RELATIONSHIPS, others))


def thread(number: int = 1, by: str = "vera", *to: str, **others: Any) -> Thread:
    """Make an open promise of the first day."""
    values = {"kind": "promise", "text": "Ich bringe die Maße.", "opened": "day-001/scene-01", **others}
    return Thread(f"thread-{number:03d}", by=by, to=to, **{"touched": values["opened"], **values})


def plan(*work: str, talk_to: Iterable[tuple[str, str]] = (), **others: Any) -> Plan:
    """Make a plan for the day."""
    talks = [Talk(to=name, about=about) for name, about in talk_to]
    return Plan(**{"work": list(work) or ["den Turm"], "talk_to": talks, "importance": 4, **others})


def insights(*descriptions: str, evidence: Sequence[str] = ("vera-001",), **others: Any) -> ReflectionReply:
    """Make an answer to a reflection scene; all insights cite the same evidence."""
    return ReflectionReply(
        insights=[Insight(description=text, importance=7, evidence=list(evidence)) for text in descriptions], **others
    )


def ref(text: str) -> SceneRef:
    """Read a point in story time that is known to be well formed."""
    found = parse_ref(text)
    assert found is not None
    return found


Answer = Callable[[World, Scene, str], SceneReply]


def plain_answer(world: World, scene: Scene, name: str) -> SceneReply:
    """Answer as a dull character would: plan to work, say a word, finish what one starts in a WORK scene."""
    if scene.type.plan:
        return PlanningReply(mood="calm", plan=plan(f"{name}s Turm {world.clock.day}"), memories=[memory()])
    if scene.type.name == "WORK" and scene.cast[0] == name:
        return reply(artifact=artifact(f"{name}s Turm {scene.ref.day}"), memories=[memory()])
    return reply("Guten Tag.", memories=[memory()])


def perform(world: World, scene: Scene, answer: Answer = plain_answer) -> Change:
    """Play one scene with made-up answers and fold it."""
    if scene.type.is_reflection:
        return fold_reflection(world, scene, Reflected(insights("Es wiederholt sich.")), words)
    turns: list[Turn] = []
    if scene.type.is_turn_by_turn:
        kind = replace(scene.type, max_turns=None, chair=False)
        while name := next_speaker(scene.cast, turns, kind):
            turns.append(Turn(name, answer(world, scene, name)))
    else:
        turns = [Turn(name, answer(world, scene, name)) for name in scene.cast]
    return fold_scene(world, scene, turns, words, taken=never)


def play_day(world: World, seed: int = 1, answer: Answer = plain_answer) -> World:
    """Open the next day, play it as the Director wants it, and close it: a day without files and models."""
    world = advance(world, open_day(world))
    while scenes := next_step(world, seed, words).scenes:
        for item in scenes:
            world = advance(world, perform(world, item, answer))
    return advance(world, close_day(world, words))


def types_of(world: World, day: int) -> list[str]:
    """Name the types of the scenes of a day, in order, without reflections."""
    return [item.type for item in world.scenes_of(day) if item.type != "REFLECTION"]
