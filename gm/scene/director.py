"""The Director: what comes next in a day. Pure: the same world and the same dice give the same step.

The day so far is read from the logbook, so that a day that was interrupted goes on where it stopped.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from gm.memory.reflect import select_due
from gm.model.calendar import SceneRef, weekday
from gm.model.scene import Candidate, Scene
from gm.model.world import World
from gm.scene.candidates import from_events, list_candidates
from gm.scene.ledger import Words
from gm.scene.premises import premises_of
from gm.scene.schedule import events_on, is_played, scenes_planned, times_of
from gm.scene.select import pick, weigh
from gm.scene.weight import type_to_play

ARRIVAL, REFLECTION = "ARRIVAL", "REFLECTION"
MOST_REASONS = 3


@dataclass(frozen=True, slots=True)
class Step:
    """What the day needs next: scenes that do not depend on each other, or none when it can be closed."""

    scenes: tuple[Scene, ...]


class Director(Protocol):
    """Decides what a day needs next. There are three: by rules, by a model, by a script that a person wrote."""

    def next_step(self, world: World) -> Step:
        """Decide what comes next in the open day; an empty step closes it."""
        ...


@dataclass(frozen=True, slots=True)
class RulesDirector:
    """Chooses by the score of the candidates: seeded, and the same every time.

    Attributes:
        seed: Dice of the Game Master.
        words: Renders the Game Master's own sentences.
    """

    seed: int
    words: Words

    def next_step(self, world: World) -> Step:
        """Decide what comes next in the open day."""
        return next_step(world, self.seed, self.words)


def next_step(world: World, seed: int, words: Words) -> Step:
    """Decide what comes next in the open day: ARRIVAL, scenes until the day is full, reflections, the close.

    What is in the calendar happens, even when the day is full.
    """
    day = world.clock.day
    played = [entry for entry in world.scenes_of(day) if REFLECTION not in entry.type]
    if not any(ARRIVAL in entry.type for entry in played) and ARRIVAL in world.scene_types:
        return Step((arrival_scene(world, words),))
    total = scenes_planned(world, day, seed)
    if len(played) < total:
        time = _times(world, total)[len(played)]
        best = pick(consider(world, seed, time, scenes_left=total - len(played)), world)
        if best:
            return Step((scene_of(world, best, time, words),))
    missed = pick(weigh(list(from_events(world, "evening")), world, seed, scenes_left=0), world)
    if missed:
        return Step((scene_of(world, missed, _time_of(world, missed), words),))
    return Step(reflection_scenes(world, words))


def consider(world: World, seed: int, time: str, *, scenes_left: int) -> list[Candidate]:
    """List the candidates for the coming scene with all their reasons, best first."""
    return weigh(list_candidates(world, time), world, seed, scenes_left=scenes_left)


def next_ref(world: World) -> SceneRef:
    """Number the coming scene: one above the highest of the day, so that hand-made logbooks are continued."""
    numbers = [entry.record.get("scene") for entry in world.scenes_of(world.clock.day)]
    return SceneRef(world.clock.day, max((n for n in numbers if isinstance(n, int)), default=0) + 1)


def arrival_scene(world: World, words: Words) -> Scene:
    """Make the scene in which everybody arrives and makes a plan."""
    name = weekday(world.clock.day, world.settings.calendar.weekdays)
    return Scene(
        ref=next_ref(world),
        type=world.scene_types[ARRIVAL],
        time_of_day="morning",
        place="",
        cast=tuple(world.agents),
        why=words("why_arrival"),
        premise=words("premise_arrival", weekday=name or str(world.clock.day)),
    )


def scene_of(world: World, chosen: Candidate, time: str, words: Words) -> Scene:
    """Turn the chosen candidate into a scene, with the words that explain it."""
    kind = type_to_play(world.scene_types[chosen.type], chosen.reasons, world.settings.day.raise_at)
    key, values = chosen.premise
    own = {name: words(said, **about) for name, (said, about) in premises_of(world, chosen).items()}
    return Scene(
        ref=next_ref(world),
        type=kind,
        time_of_day=time,
        place=chosen.place,
        cast=chosen.cast[: kind.cast[1]],
        why=explain(chosen, words),
        premise=words(key, **values),
        topic=chosen.topic,
        intent=chosen.intent,
        answers=chosen.answers,
        premises={name: text for name, text in own.items() if text},
    )


def explain(candidate: Candidate, words: Words) -> str:
    """Say why a scene was chosen: its strongest reasons, best first."""
    told = sorted((reason for reason in candidate.reasons if reason.phrase), key=lambda reason: -reason.points)
    return " ".join(words(reason.phrase, **reason.values) for reason in told[:MOST_REASONS])


def reflection_scenes(world: World, words: Words) -> tuple[Scene, ...]:
    """Make the evening's reflection scenes, one for each agent that is due."""
    due = select_due(world.agents.values(), world.settings.reflection)
    return tuple(reflection_scene(world, name, words, place=place) for place, name in enumerate(due))


def reflection_scene(world: World, name: str, words: Words, *, place: int = 0, asked: bool = False) -> Scene:
    """Make the reflection scene of one agent; ``place`` counts those before it in the same step."""
    agent = world.agents[name]
    ref = next_ref(world)
    values: Mapping[str, Any] = {
        "who": agent.call_name,
        "sum": agent.state.importance_accumulator,
        "threshold": world.settings.reflection.threshold,
    }
    return Scene(
        ref=SceneRef(ref.day, ref.scene + place),
        type=world.scene_types[REFLECTION],
        time_of_day="evening",
        place=agent.state.position,
        cast=(name,),
        why=words("why_reflection_asked" if asked else "why_reflection", **values),
        premise=words("premise_reflection", who=agent.call_name),
    )


def _time_of(world: World, chosen: Candidate) -> str:
    """Time of day of the event that a candidate takes up."""
    return next((event.time for key, event in events_on(world, world.clock.day) if key in chosen.answers), "evening")


def _times(world: World, total: int) -> tuple[str, ...]:
    evening = any(is_played(event) and event.time == "evening" for _, event in events_on(world, world.clock.day))
    return times_of(total, evening)
