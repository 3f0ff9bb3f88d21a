"""One character: who it is, how it is now, what it remembers, and what it is in the middle of."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from heapq import nlargest
from typing import Any

from gm.config import ReflectionSettings, Settings
from gm.errors import Problem
from gm.layers import LAYERS
from gm.layers.declare import Layer
from gm.layers.goals import GOALS, Goal
from gm.layers.relationships import RELATIONSHIPS
from gm.memory.due import is_due
from gm.memory.private import PRIVATE, is_private
from gm.model.calendar import SceneRef
from gm.model.mind import Mind
from gm.model.state import AgentState, Persona
from gm.model.thread import Thread
from gm.store.layers.minds import load_layer, without_switched_off
from gm.store.layout import Layout
from gm.store.load import load_threads
from gm.store.now import load_settings, load_state
from gm.store.streams.gifted import read_gifted
from gm.store.streams.memories import Memories
from gm.store.streams.rows import BY_TIME
from gm.tools.graphs.base import Cast, Met
from gm.tools.graphs.reading import source_of
from gm.tools.views.bank import Bank, Cited, OwnPiece, Remembered
from gm.tools.views.course import DayOf, view_course
from gm.tools.views.frame import Frame
from gm.tools.views.persona import Fact, PersonaView, view_persona

NEWEST, STRONGEST, REFLECTIONS, PIECES, SETTLED, DAYS_OF_SCENES = 6, 6, 5, 8, 5, 8


@dataclass(frozen=True, slots=True)
class Now:
    """How a character is.

    Attributes:
        mood: Its mood; empty = none is known.
        place: Where it is.
        task: What it works on.
        plan: What it has in mind for today.
        accumulator: The importance summed up since its last reflection.
        threshold: What that has to exceed for the next one.
        is_due: Whether it does.
    """

    mood: str
    place: str
    task: str
    plan: tuple[str, ...]
    accumulator: int
    threshold: int
    is_due: bool


@dataclass(frozen=True, slots=True)
class Insight:
    """A reflection, and what it rests on."""

    memory: Remembered
    evidence: tuple[Cited, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """A scene that a character took part in.

    Attributes:
        at: When; scene 0 where the logbook says none.
        type: Scene type, as it stands.
        others: Who else was there, by id.
    """

    at: SceneRef
    type: str
    others: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Memory:
    """What a character remembers, in figures and in a few examples.

    Attributes:
        count: How many lines the stream has.
        beside: How many of them are copies of others' memories and single utterances.
        archived: How many have gone to the archive.
        reflections: How many rest on others.
        newest: The newest of the stream, the newest first.
        strongest: Those that weigh most.
        insights: Its reflections, the newest first.
        given: What it knew from the start.
    """

    count: int
    beside: int
    archived: int
    reflections: int
    newest: tuple[Remembered, ...]
    strongest: tuple[Remembered, ...]
    insights: tuple[Insight, ...]
    given: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Portrait:
    """One character, whole.

    Attributes:
        agent: Its id.
        now: How it is.
        persona: Who it is.
        days: How its latest days went, the newest first.
        memory: What it remembers.
        goals: What it wants to reach, what is open first.
        told: The layers of its mind that are told in words, by name.
        open_threads: What is open between it and others.
        settled_threads: What was settled last, the newest first.
        pieces: How many pieces it has finished, and the newest.
        scenes: How many scenes it took part in, and those of the latest days, the newest day first.
        problems: What could not be read for this.
    """

    agent: str
    now: Now
    persona: PersonaView
    days: tuple[DayOf, ...]
    memory: Memory
    goals: tuple[Goal, ...]
    told: tuple[tuple[str, tuple[Fact, ...]], ...]
    open_threads: tuple[Thread, ...]
    settled_threads: tuple[Thread, ...]
    pieces: tuple[int, tuple[OwnPiece, ...]]
    scenes: tuple[int, tuple[tuple[SceneRef, tuple[Part, ...]], ...]]
    problems: tuple[Problem, ...] = ()


def view_portrait(memories: Memories, frame: Frame, agent: str, hidden: Collection[str] = ()) -> Portrait:
    """Show one character, whole.

    Args:
        memories: The memories of the world.
        frame: What stands around its page.
        agent: Its id.
        hidden: What is left out, of ``publish.private``.
    """
    layout = memories.layout
    with memories.still():
        settings, _ = load_settings(layout)  # the frame tells what is wrong with them
        shown, persona, problems = view_persona(layout, agent, hidden)
        state, found = load_state(layout, agent, persona)
        problems += found
        bank = Bank(memories, agent, hidden)
        problems += bank.problems
        mind, found = _mind(layout, settings, agent, hidden)
        goals = mind[GOALS]
        problems += found
        threads, found = load_threads(layout)
        problems += found
        given, found = _given(layout, agent, hidden)
        problems += found
        cast = cast_of(frame)
        return Portrait(
            agent=agent,
            now=_now(state, settings.reflection),
            persona=shown,
            days=view_course(layout, cast, agent, bank.rows, hidden),
            memory=_memory(bank, given),
            goals=tuple(sorted(goals, key=lambda goal: not goal.is_open)),
            told=tuple((layer.name, facts) for layer in LAYERS if not layer.page and (facts := _facts(mind, layer))),
            open_threads=tuple(thread for thread in threads if thread.is_open and thread.concerns(agent)),
            settled_threads=_settled(threads, agent),
            pieces=bank.pieces(PIECES),
            scenes=parts_of(source_of(layout).scenes(cast), agent),
            problems=tuple(dict.fromkeys(problems)),
        )


def cast_of(frame: Frame) -> Cast:
    """Name the cast as graphs and logbooks look for it."""
    return Cast(frame.language, {face.id: face.name for face in frame.cast})


def parts_of(
    scenes: Sequence[Met], agent: str, days: int = DAYS_OF_SCENES
) -> tuple[int, tuple[tuple[SceneRef, tuple[Part, ...]], ...]]:
    """Count the scenes of a character, and list those of its latest days in their order, the newest day first."""
    own = [scene for scene in scenes if agent in scene.cast]
    latest = nlargest(days, {scene.day for scene in own})
    parts = tuple((SceneRef(day), tuple(_part(scene, agent) for scene in own if scene.day == day)) for day in latest)
    return len(own), parts


def _part(scene: Met, agent: str) -> Part:
    return Part(SceneRef(scene.day, scene.scene), scene.type, tuple(name for name in scene.cast if name != agent))


def _now(state: AgentState, reflection: ReflectionSettings) -> Now:
    total = state.importance_accumulator
    return Now(
        mood=state.mood,
        place=state.position,
        task=state.current_task,
        plan=state.today_plan,
        accumulator=total,
        threshold=reflection.threshold,
        is_due=is_due(total, reflection),
    )


def _memory(bank: Bank, given: tuple[str, ...]) -> Memory:
    reflections = [row for row in bank.rows if row.depth > 0]
    newest = nlargest(REFLECTIONS, reflections, key=BY_TIME)
    evidence = {row.id: row.evidence for row in newest}
    return Memory(
        count=len(bank.stream) + bank.beside,
        beside=bank.beside,
        archived=len(bank.archive),
        reflections=len(reflections),
        newest=bank.newest(NEWEST),
        strongest=bank.strongest(STRONGEST),
        insights=tuple(Insight(node, bank.cited(evidence.get(node.id, ()))) for node in bank.read(newest)),
        given=given,
    )


def _mind(layout: Layout, settings: Settings, agent: str, hidden: Collection[str]) -> tuple[Mind, list[Problem]]:
    """Read the layers that this page shows, without those that are kept back."""
    mind, problems = Mind(), list[Problem]()
    for layer in LAYERS:
        if layer.page in ("", "agent") and layer.private not in hidden:
            value, found = load_layer(layout, layer, agent)
            mind, problems = mind.with_value(layer, value), [*problems, *found]
    return mind, without_switched_off(layout, settings, problems)


def _facts(mind: Mind, layer: Layer[Any, Any]) -> tuple[Fact, ...]:
    return tuple(Fact(key, tuple(texts)) for key, texts in layer.words(mind[layer]).items() if texts)


def _given(layout: Layout, agent: str, hidden: Collection[str]) -> tuple[tuple[str, ...], list[Problem]]:
    """Read what somebody knew from the start; what a persona says of friends and quarrels is among it."""
    file = read_gifted(layout, agent)
    shown = [node for node in file.nodes if not (PRIVATE in hidden and is_private(node.tags))]
    if RELATIONSHIPS.private in hidden:
        shown = [node for node in shown if node.metadata.get("category") != "relationship"]
    return tuple(node.description for node in shown), list(file.problems)


def _settled(threads: Sequence[Thread], agent: str) -> tuple[Thread, ...]:
    own = [thread for thread in threads if not thread.is_open and thread.concerns(agent)]
    return tuple(reversed(own[-SETTLED:]))


def persona_words(persona: Persona | None, key: str) -> dict[str, str]:
    """Read what a persona says of others under a key: ``friends: {nami: …}``."""
    value = persona.front.get(key) if persona else None
    items = value.items() if isinstance(value, dict) else ()
    return {str(name): text for name, text in items if isinstance(text, str) and text.strip()}
