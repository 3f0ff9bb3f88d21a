"""One character: persona, current state, memories, open threads, scenes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest

from gm.api.reports.why.origin import CitedMemory
from gm.api.views.bank import Bank, DayOf, OwnPiece, daily_trend
from gm.api.views.cast import Frame, Standing, gather_cast
from gm.api.views.filtering import is_kept_back
from gm.api.views.graphs.base import Met
from gm.api.views.graphs.source import source_of
from gm.api.views.logbook import shown_day
from gm.api.views.persona import Fact, PersonaView, view_persona
from gm.api.views.threads import known_threads
from gm.base.config import Settings
from gm.base.errors import Problem
from gm.files.layers import load_layer, without_switched_off
from gm.files.layout import Layout
from gm.files.story.now import load_clock, load_settings, load_state
from gm.files.streams.find import FoundMemory
from gm.files.streams.gifted import read_gifted
from gm.files.streams.memories import Memories
from gm.files.streams.nodefile import read_last_memories
from gm.layers import LAYERS
from gm.layers.declare import AnyLayer
from gm.layers.goals import GOALS, Goal
from gm.layers.relationships import RELATIONSHIPS
from gm.memory.recall.words import split_sentences
from gm.memory.share import MEMORIES, PRIVATE, is_secret, is_withheld
from gm.model.calendar import SceneRef
from gm.model.logged_parts import PlanEnd
from gm.model.mind import Mind
from gm.model.persona import Persona
from gm.model.state import AgentState
from gm.model.thread import Thread
from gm.scene.planning.marks import bare, state_of
from gm.scene.planning.plans import is_plan

MOST_NEWEST, MOST_STRONGEST, MOST_REFLECTIONS, MOST_PIECES, MOST_SETTLED = 6, 6, 5, 8, 5
"""How many memories, reflections, pieces and settled threads a portrait shows."""
DAYS_OF_SCENES = 8
"""How many of the last days it shows scenes of."""


@dataclass(frozen=True, slots=True)
class InsightView:
    """A reflection and its evidence."""

    memory: FoundMemory
    evidence: tuple[CitedMemory, ...]


@dataclass(frozen=True, slots=True)
class SceneAttended:
    """A scene that a character took part in; scene 0 if the logbook has no number."""

    at: SceneRef
    type: str
    title: str
    others: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MemoryFigures:
    """A character's memories, in figures and examples.

    Attributes:
        count: Lines of the stream.
        beside: How many of those are copies and single utterances.
        reflections: Memories of depth 1 or more, archived ones included.
    """

    count: int
    beside: int
    archived: int
    reflections: int
    newest: tuple[FoundMemory, ...]
    strongest: tuple[FoundMemory, ...]
    insights: tuple[InsightView, ...]
    given: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Portrait:
    """One character in full.

    Attributes:
        plan: Today's list, or the last day's.
        pieces: Their number, and the latest; None = kept back with the memories that name them.
        settled_threads: The latest, newest first.
        scenes: Number of scenes, and those of the latest days, newest first.
    """

    agent: str
    now: Standing
    plan: tuple[PlanEnd, ...]
    persona: PersonaView
    days: tuple[DayOf, ...]
    memory: MemoryFigures
    goals: tuple[Goal, ...]
    layer_facts: tuple[tuple[str, tuple[Fact, ...]], ...]
    open_threads: tuple[Thread, ...]
    settled_threads: tuple[Thread, ...]
    pieces: tuple[int, tuple[OwnPiece, ...]] | None
    scenes: tuple[int, tuple[tuple[SceneRef, tuple[SceneAttended, ...]], ...]]
    problems: tuple[Problem, ...] = ()


def view_portrait(memories: Memories, frame: Frame, agent: str, hidden: Collection[str] = ()) -> Portrait:
    """Return the portrait of a character."""
    layout = memories.layout
    with memories.shared_lock():
        settings, _ = load_settings(layout)  # the frame reports its problems
        shown, persona, problems = view_persona(layout, agent, hidden)
        state, found = load_state(layout, agent, persona)
        problems += found
        bank = Bank(memories, agent, hidden)
        problems += bank.problems
        mind, found = _mind(layout, settings, agent, hidden)
        goals = mind[GOALS]
        problems += found
        threads, wrong = known_threads(layout)
        threads = tuple(one for one in threads if not is_kept_back(one.kind, hidden))
        problems += wrong
        given, found = _given(layout, agent, hidden, (shown.prose, persona.prose if persona else ""))
        problems += found
        cast = gather_cast(frame)
        return Portrait(
            agent=agent,
            now=Standing(agent, state, settings.reflection),
            plan=_plan_outcomes(layout, state, agent, hidden),
            persona=shown,
            days=daily_trend(layout, cast, agent, bank.rows.days, hidden),
            memory=_memory_figures(bank, given),
            goals=tuple(sorted(goals, key=lambda goal: not goal.is_open)),
            layer_facts=tuple(
                (layer.name, facts) for layer in LAYERS if not layer.page and (facts := _layer_facts(mind, layer))
            ),
            open_threads=tuple(thread for thread in threads if thread.is_open and thread.concerns(agent)),
            settled_threads=_find_settled(threads, agent),
            pieces=None if MEMORIES in hidden else bank.pieces(MOST_PIECES),
            scenes=_recent_scenes(layout, source_of(layout).scenes(cast), agent, hidden),
            problems=tuple(dict.fromkeys(problems)),
        )


def _recent_scenes(
    layout: Layout, scenes: Sequence[Met], agent: str, hidden: Collection[str]
) -> tuple[int, tuple[tuple[SceneRef, tuple[SceneAttended, ...]], ...]]:
    clock, _ = load_clock(layout)
    own = [scene for scene in scenes if agent in scene.cast]
    parts = []
    for day in nlargest(DAYS_OF_SCENES, {scene.day for scene in own}):
        titles = {scene.scene: scene.title for scene in shown_day(layout, clock, day, hidden).scenes}
        parts.append((SceneRef(day), tuple(_attended_scene(scene, agent, titles) for scene in own if scene.day == day)))
    return len(own), tuple(parts)


def _attended_scene(scene: Met, agent: str, titles: Mapping[str, str]) -> SceneAttended:
    others = tuple(name for name in scene.cast if name != agent)
    return SceneAttended(SceneRef(scene.day, scene.scene), scene.type, titles.get(str(scene.scene), ""), others)


def _memory_figures(bank: Bank, given: tuple[str, ...]) -> MemoryFigures:
    rows = bank.rows
    insights = bank.read(rows.newest_reflections(MOST_REFLECTIONS))
    return MemoryFigures(
        count=rows.lived + rows.beside,
        beside=rows.beside,
        archived=bank.archived,
        reflections=rows.reflections,
        newest=bank.read(rows.newest(MOST_NEWEST)),
        strongest=bank.read(rows.strongest(MOST_STRONGEST)),
        insights=tuple(InsightView(found, bank.cited(found.node.evidence)) for found in insights),
        given=given,
    )


def _mind(layout: Layout, settings: Settings, agent: str, hidden: Collection[str]) -> tuple[Mind, list[Problem]]:
    mind, problems = Mind(), list[Problem]()
    for layer in LAYERS:
        if layer.page in ("", "agent") and layer.name not in hidden:
            value, found = load_layer(layout, layer, agent)
            mind, problems = mind.with_value(layer, value), [*problems, *found]
    return mind, without_switched_off(layout, settings, problems)


def _layer_facts(mind: Mind, layer: AnyLayer) -> tuple[Fact, ...]:
    return tuple(Fact(key, tuple(texts)) for key, texts in layer.words(mind[layer]).items() if texts)


def _given(
    layout: Layout, agent: str, hidden: Collection[str], prose: tuple[str, str]
) -> tuple[tuple[str, ...], list[Problem]]:
    """Leave out what repeats a sentence of the prose (shown, whole) that is not shown."""
    file = read_gifted(layout, agent)
    shown_prose, whole = (" ".join(text.split()) for text in prose)
    shown = [
        node
        for node in file.nodes
        if not is_withheld(node, hidden)
        and not any(
            part in whole and part not in shown_prose for part in split_sentences(" ".join(node.description.split()))
        )
    ]
    if RELATIONSHIPS.name in hidden:
        shown = [node for node in shown if node.metadata.get("category") != "relationship"]
    return tuple(node.description for node in shown), list(file.problems)


def _plan_outcomes(layout: Layout, state: AgentState, agent: str, hidden: Collection[str]) -> tuple[PlanEnd, ...]:
    if MEMORIES in hidden:
        return ()
    if PRIVATE in hidden:
        last = read_last_memories(layout.stream(agent), load_clock(layout)[0].day)
        plans = [node for node in last if is_plan(node)]
        if plans and is_secret(plans[-1], hidden):
            return ()
    return tuple(PlanEnd(bare(item), state_of(item)) for item in state.today_plan)


def _find_settled(threads: Sequence[Thread], agent: str) -> tuple[Thread, ...]:
    own = [thread for thread in threads if not thread.is_open and thread.concerns(agent)]
    return tuple(reversed(own[-MOST_SETTLED:]))


def persona_words(persona: Persona | None, key: str) -> dict[str, str]:
    """Return what a persona says of others under a key, such as ``friends: {nami: …}``."""
    said: Mapping[str, str] = getattr(persona.front_values, key) if persona else {}
    return {name: text for name, text in said.items() if text.strip()}
