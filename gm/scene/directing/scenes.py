"""The scene of a candidate: its time, its reasons in sentences, and what each of its cast knows of it at first."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from gm.base.texts import end_sentence
from gm.memory.retrieve import select_tagged
from gm.memory.search import carries
from gm.model.calendar import SceneRef, time_rank, weekday
from gm.model.node import Node
from gm.model.scene import ARRIVAL, REFLECTION, Candidate, Premise, Scene, SceneType
from gm.model.thread import time_of_day
from gm.model.world import Agent, Sentences, World
from gm.scene.grounding.attendance import attending, in_house
from gm.scene.grounding.mentions import mentioned
from gm.scene.ledger import MOST_TAGS, clean_tags
from gm.scene.planning.events import events_on
from gm.scene.planning.marks import is_struck
from gm.scene.score import SILENT_PARTS, type_to_play

TAGS = "tags"  # retrieval.strategy
LONGEST_TAG = 80
MOST_RECALLED = 8
"""Memories with a tag of the scene, beside the window, that a prompt recalls at most."""


def focus(world: World, scene: Scene) -> Scene:
    """Return a scene with its ``focus_tags``."""
    return replace(scene, tags=focus_tags(world, scene.type, scene.tags, scene.topic, scene.cast))


def focus_tags(world: World, kind: SceneType, tags: Sequence[str], topic: str, cast: Sequence[str]) -> tuple[str, ...]:
    """Return the tags by which a scene is focused; empty = it is not.

    Args:
        kind: Its tags count where ``tags`` is empty.
        tags: The user's, under any strategy.
        topic: Under ``retrieval.strategy: tags`` it is a tag, if a memory of the cast has it.
    """
    if said := clean_tags(tags or kind.tags, ""):
        return said
    if world.settings.retrieval.strategy != TAGS or len(topic) > LONGEST_TAG:
        return ()
    wanted = clean_tags((topic,), "")
    found = any(carries(node, wanted) for name in cast for node in world.agents[name].everything)
    return wanted if found else ()


def check_tags(tags: Sequence[str]) -> str:
    """Return what is wrong with the user's tags; empty = nothing."""
    if len(tags) > MOST_TAGS:
        return f"found {len(tags)} tags, expected {MOST_TAGS} at most"
    if any(not tag.strip() for tag in tags):
        return "found an empty tag, expected a word"
    if long := next((tag for tag in tags if len(tag) > LONGEST_TAG), ""):
        return f"found a tag of {len(long)} characters, expected {LONGEST_TAG} at most"
    return ""


def recall_alike(agent: Agent, scene: Scene, remembered: Collection[str]) -> tuple[Node, ...]:
    """Return the newest memories tagged with the scene's type, ``remembered`` aside."""
    if not scene.type.tag:
        return ()
    tagged = select_tagged(agent.stream, (scene.type.tag,)).window
    return tuple(node for node in tagged if node.id not in remembered)[-MOST_RECALLED:]


MOST_REASONS = 3
LEAST_TOLD = 1.0
"""Points below which a reason is not given when there are better ones."""
SIDES = {
    "premise_visit": ("own_visitor", "own_visited"),
    "premise_artifact": ("own_reader", "own_maker"),
    "premise_chance": ("own_chance", "own_chance"),
}
"""Sentences for the starter and for the other one, by the sentence that opens the scene for both."""


def next_ref(world: World, place: int = 0) -> SceneRef:
    """Return the reference of a coming scene: the next one, or the one ``place`` after it."""
    numbers = [entry.number or 0 for entry in world.scenes_of(world.clock.day)]
    return SceneRef(world.clock.day, max(numbers, default=0) + 1 + place)


def arrival_scene(world: World, words: Sentences) -> Scene:
    """Return the scene in which all arrive and plan."""
    name = weekday(world.clock.day, world.settings.calendar.weekdays)
    return Scene(
        ref=next_ref(world),
        type=world.scene_types[ARRIVAL],
        time_of_day=world.settings.day.times[0],
        place="",
        cast=attending(world),
        why=words("why_arrival"),
        premise=words("premise_arrival", weekday=name or str(world.clock.day)),
    )


def scene_of(world: World, chosen: Candidate, time: str, words: Sentences, place: int = 0) -> Scene:
    """Return a candidate's scene, with sentences that explain it; ``place`` among those at the same time, from 0."""
    played = {entry.type for entry in world.scenes_of(world.clock.day)}
    kind = type_to_play(world.scene_types[chosen.type], chosen.reasons, world.settings.day.raise_at, played)
    key, values = chosen.premise
    time, clock = choose_time(world, chosen, time)
    own = {name: words(said, **about) for name, (said, about) in premises_of(world, chosen).items()}
    return Scene(
        ref=next_ref(world, place),
        type=kind,
        time_of_day=time,
        place=chosen.place,
        cast=chosen.cast[: kind.cast[1]],
        why=give_reasons(chosen, words),
        premise=words(key, **values, together=_together(world, chosen)),
        topic=chosen.topic,
        intent=chosen.intent,
        answers=chosen.answers,
        premises={name: text for name, text in own.items() if text},
        score=score_parts(chosen),
        clock=clock,
    )


def choose_time(world: World, chosen: Candidate, time: str) -> tuple[str, str]:
    """Return the time of day and the clock time at which a candidate is played; the clock may be empty."""
    today = world.scenes_of(world.clock.day)
    if not chosen.clock or chosen.clock < max((entry.clock for entry in today), default=""):
        return time, ""
    part = time_of_day(chosen.clock)
    if any(entry.clock == chosen.clock and {*entry.participants} & {*chosen.cast} for entry in today):
        return part, ""  # no character is in two scenes at once: the letters say after which hour it is
    latest = max((entry.time_of_day for entry in today), key=time_rank, default=part)
    return (part, chosen.clock) if time_rank(latest) <= time_rank(part) else (time, "")


def give_reasons(candidate: Candidate, words: Sentences) -> str:
    """Return a scene's strongest reasons as sentences, best first."""
    parts = {item.part for item in candidate.reasons}
    speaks = [
        item
        for item in candidate.reasons
        if item.phrase
        and item.part not in SILENT_PARTS
        # "tension" already says that they have not met
        and not (item.part == "unmet" and "tension" in parts)
    ]
    strongest = sorted((item for item in speaks if item.points >= LEAST_TOLD), key=lambda item: -item.points)
    reasons = strongest[:MOST_REASONS] or sorted(speaks, key=lambda item: -item.points)[:1]
    reasons += [item for item in speaks if item.part == "company" and item not in reasons]
    return " ".join(end_sentence(words(item.phrase, **item.values)) for item in reasons)


def score_parts(candidate: Candidate) -> dict[str, float]:
    """Return a candidate's points by part."""
    points: dict[str, float] = {}
    for item in candidate.reasons:
        points[item.part] = round(points.get(item.part, 0.0) + item.points, 2)
    return {part: value for part, value in points.items() if value}


def reflection_scene(world: World, name: str, words: Sentences, *, place: int = 0, asked: bool = False) -> Scene:
    """Return an agent's reflection scene, after ``place`` others of the step."""
    agent = world.agents[name]
    ref = next_ref(world)
    values: Mapping[str, object] = {
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


def time_of(world: World, chosen: Candidate) -> str:
    """Return the time of a candidate's event, else the evening."""
    return next((event.time for key, event in events_on(world, world.clock.day) if key in chosen.answers), "evening")


def premises_of(world: World, chosen: Candidate) -> Mapping[str, Premise]:
    """Return what only one of the cast knows at first; the candidate's premises win."""
    sides = SIDES.get(chosen.premise[0])
    if sides is None or len(chosen.cast) != 2:
        return chosen.premises
    made: dict[str, Premise] = {}
    together = _together(world, chosen)
    for name, other, key in zip(chosen.cast, reversed(chosen.cast), sides, strict=True):
        agent, partner = world.agents[name], world.agents[other]
        awaited = key == "own_visited" and _is_seeking(world, agent, partner)
        values = {
            "other": partner.call_name,
            "task": agent.state.current_task.rstrip("."),
            "plan": chosen.intent if name == chosen.cast[0] else "",
            "title": chosen.premise[1].get("title", ""),
            "together": together,
        }
        made[name] = ("own_awaited" if awaited else key, values)
    return {**made, **chosen.premises}


def _together(world: World, chosen: Candidate) -> Literal["", "1", "met"]:
    """Return whether two are at the place already ("1") or meet there ("met"); "" = neither, or not known."""
    here = in_house(world)
    places = [world.agents[name].state.position if name in here else "" for name in chosen.cast]
    if len(places) != 2 or not all(places):
        return ""
    if {*places} == {chosen.place or places[1]}:
        return "1"
    return "" if chosen.place in ("", places[1]) else "met"


def _is_seeking(world: World, agent: Agent, other: Agent) -> bool:
    planned = [item for item in (*agent.state.today_plan, agent.state.current_task) if not is_struck(item)]
    own = [thread for thread in world.threads if thread.is_pending and thread.by == agent.id]
    return any(mentioned(item, [other]) for item in planned) or any(other.id in thread.to for thread in own)
