"""The Director: what comes next in a day, the same for the same world and seed.

Progress is read from the logbook, so an interrupted day continues where it stopped.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from gm.base.texts import text_at
from gm.memory.reflect import select_due
from gm.model.calendar import SceneRef, time_rank, weekday
from gm.model.character import Agent
from gm.model.scene import ARRIVAL, MEETING, REFLECTION, Candidate, LogEntry, Premise, Scene
from gm.model.thread import time_of_day
from gm.model.world import World
from gm.scene.candidates import board, calendar, list_candidates
from gm.scene.directing.select import WeighedCandidate, survey
from gm.scene.grounding.attendance import attending, in_house, place_after
from gm.scene.grounding.mentions import mentioned
from gm.scene.ledger import Sentences
from gm.scene.planning.events import events_on
from gm.scene.planning.marks import is_struck
from gm.scene.planning.schedule import Slot, coming_slot, most_together, played_today
from gm.scene.score import SILENT_PARTS, type_to_play

MOST_REASONS = 3
LEAST_TOLD = 1.0
"""Points below which a reason is not given when there are better ones."""
SIDES = {
    "premise_visit": ("own_visitor", "own_visited"),
    "premise_artifact": ("own_reader", "own_maker"),
    "premise_chance": ("own_chance", "own_chance"),
}
"""Sentences for the starter and for the other one, by the sentence that opens the scene for both."""
MET = "met"


@dataclass(frozen=True, slots=True)
class NextScenes:
    """Independent scenes; none when the day can be closed."""

    scenes: tuple[Scene, ...]


class Director(Protocol):
    """Decides what a day needs next."""

    def next_step(self, world: World) -> NextScenes:
        """Return what comes next; an empty step closes the day."""
        ...


@dataclass(frozen=True, slots=True)
class RulesDirector:
    """Chooses by score.

    Attributes:
        focus: A character's id; empty = none.
        one_by_one: Whether no two scenes are played at the same time, even if ``day.together`` allows it.
    """

    seed: int
    words: Sentences
    focus: str = ""
    one_by_one: bool = False

    def next_step(self, world: World) -> NextScenes:
        most = 1 if self.one_by_one else most_together(world)
        return next_step(world, self.seed, self.words, self.focus, most=most)


def next_step(world: World, seed: int, words: Sentences, focus: str = "", *, most: int = 1) -> NextScenes:
    """Return what comes next: ARRIVAL, scenes until the day is full, reflections, the close.

    Calendar events are played even on a full day.

    Args:
        most: Scenes at the same time, at most.
    """
    if not has_arrived(world):
        return NextScenes((arrival_scene(world, words),))
    chosen = choose_together(world, seed, focus, most=most)
    if not chosen:
        return last_step(world, words)
    return NextScenes(tuple(scene_of(world, *one, words, place) for place, one in enumerate(_in_order(world, chosen))))


def choose_together(world: World, seed: int, focus: str = "", *, most: int = 1) -> list[tuple[Candidate, str]]:
    """Return the scenes of the coming step with their times of day, best first; none when nothing can be played.

    Once a time of day has all its scenes, those of the next one join, as long as its best has nothing to do with them;
    they are weighed as if those before had been played.
    """
    chosen: list[tuple[Candidate, str]] = []
    then = world
    while len(chosen) < most and (slot := coming_slot(world, seed, focus, ahead=len(chosen))):
        room, beside = min(most - len(chosen), slot.rest), [item for item, _ in chosen]
        taken_up = {one for item in beside for one in item.answers}
        found = [item for item in _playable(then, seed, slot, focus) if taken_up.isdisjoint(item.answers)]
        more = side_by_side(found, room, beside)
        chosen += [(item, slot.time) for item in more]
        if len(more) < slot.rest:
            break
        then = _as_if_played(world, chosen)
    return chosen


def _in_order(world: World, chosen: Sequence[tuple[Candidate, str]]) -> list[tuple[Candidate, str]]:
    # the logbook has them in the order of their times
    return sorted(chosen, key=lambda one: _rank_time(*_choose_time(world, *one)))


def _as_if_played(world: World, chosen: Sequence[tuple[Candidate, str]]) -> World:
    """Return the world with scenes in its logbook, and their people where they are afterwards."""
    agents, log = dict(world.agents), list(world.log)
    for place, (item, time) in enumerate(_in_order(world, chosen)):
        kind = world.scene_types[item.type]
        cast = item.cast[: kind.cast[1]]
        for name in cast:
            position = place_after(kind, item.place, agents[name], cast[0])
            agents[name] = replace(agents[name], state=replace(agents[name].state, position=position))
        part, clock = _choose_time(world, item, time)
        record = {
            "scene": next_ref(world, place).scene,
            "type": item.type,
            "time_of_day": part,
            "location": item.place,
            "participants": list(cast),
            "why": f"{item.topic} {item.intent}",
            "answers": list(item.answers),
            "clock": clock,
        }
        log.append(LogEntry(world.clock.day, record))
    counted = replace(world.clock, scenes_today=world.clock.scenes_today + len(chosen))
    return replace(world, agents=agents, log=tuple(log), clock=counted)


def side_by_side(found: Sequence[Candidate], most: int, beside: Sequence[Candidate] = ()) -> list[Candidate]:
    """Return the best candidate, and the next ones that have nothing to do with those before.

    Args:
        beside: Those of the same step at an earlier time; the result is empty if the best has to do with them.
    """
    chosen: list[Candidate] = []
    taken = {one for item in beside for one in _takes(item)}
    for item in found:
        if len(chosen) >= most:
            break
        if taken.isdisjoint(takes := _takes(item)) and not _is_round(item, *beside, *chosen[:1]):
            chosen.append(item)
            taken |= takes
        elif not chosen:
            break
    return chosen


def _takes(item: Candidate) -> set[tuple[str, str]]:
    # one alone leaves the place to others
    places = [item.place] if item.place and len(item.cast) > 1 else []
    named = (("person", item.cast), ("matter", item.answers), ("place", places))
    return {(kind, one) for kind, names in named for one in names}


def _is_round(*items: Candidate) -> bool:
    # a round of many is for all: it has a step of its own
    return len(items) > 1 and any(item.type == MEETING for item in items)


def _rank_time(time: str, clock: str) -> tuple[int, str]:
    return time_rank(time), clock


def has_arrived(world: World) -> bool:
    """Return whether all have arrived; True without an ARRIVAL type."""
    today = world.scenes_of(world.clock.day)
    return ARRIVAL not in world.scene_types or any(ARRIVAL in entry.type for entry in today)


def last_step(world: World, words: Sentences) -> NextScenes:
    """Return what a full day needs: missed events, yesterday's posts, evening scenes, reflections, the close."""
    missed = sorted(calendar.propose(world, "evening"), key=lambda item: -item.score)
    if missed:
        return NextScenes((scene_of(world, missed[0], time_of(world, missed[0]), words),))
    if any(post.day < world.clock.day for post in board.unanswered_posts(world)):
        for item in board.meetings(world):
            return NextScenes((scene_of(world, item, "evening", words),))
    for item in _in_the_evening(world):
        return NextScenes((scene_of(world, item, "evening", words),))
    return NextScenes(reflection_scenes(world, words))


def _in_the_evening(world: World) -> list[Candidate]:
    full = world.settings.weights.rhythm
    played = {entry.type for entry in world.scenes_of(world.clock.day)}
    due = [
        item
        for item in list_candidates(world, "evening")
        if item.type not in played and any(why.part == "rhythm" and why.points >= full > 0 for why in item.reasons)
    ]
    return sorted(due, key=lambda item: -item.score)


def survey_next(world: World, seed: int, focus: str = "") -> tuple[Slot | None, list[WeighedCandidate]]:
    """Return the coming scene's slot and surveyed candidates; none when the day is full."""
    slot = coming_slot(world, seed, focus)
    return slot, survey(list_candidates(world, slot.time), world, seed, slot, focus) if slot else []


def consider(world: World, seed: int, time: str, *, scenes_left: int, focus: str = "") -> list[Candidate]:
    """Return the candidates playable now with all reasons, best first.

    ``scenes_left`` includes the coming one.
    """
    slot = coming_slot(world, seed, focus)
    if slot is None or (slot.time, slot.left) != (time, scenes_left):
        # the caller asks about another scene than the next one
        played = len(played_today(world))
        slot = Slot(time, "evening" if scenes_left <= 1 else time, played, played + scenes_left)
    return _playable(world, seed, slot, focus)


def _playable(world: World, seed: int, slot: Slot, focus: str) -> list[Candidate]:
    options = survey(list_candidates(world, slot.time), world, seed, slot, focus)
    return [option.candidate for option in options if option.bar is None]


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
    time, clock = _choose_time(world, chosen, time)
    own = {name: words(said, **about) for name, (said, about) in premises_of(world, chosen).items()}
    return Scene(
        ref=next_ref(world, place),
        type=kind,
        time_of_day=time,
        place=chosen.place,
        cast=chosen.cast[: kind.cast[1]],
        why=explain(chosen, words),
        premise=words(key, **values, together=_together(world, chosen)),
        topic=chosen.topic,
        intent=chosen.intent,
        answers=chosen.answers,
        premises={name: text for name, text in own.items() if text},
        score=parts_of(chosen),
        clock=clock,
    )


def _choose_time(world: World, chosen: Candidate, time: str) -> tuple[str, str]:
    today = world.scenes_of(world.clock.day)
    if not chosen.clock or chosen.clock < max((text_at(entry.record, "clock") for entry in today), default=""):
        return time, ""
    part = time_of_day(chosen.clock)
    if any(
        text_at(entry.record, "clock") == chosen.clock and {*entry.participants} & {*chosen.cast} for entry in today
    ):
        return part, ""  # nobody is in two scenes at once: the letters say after which hour it is
    latest = max((entry.time_of_day for entry in today), key=time_rank, default=part)
    return (part, chosen.clock) if time_rank(latest) <= time_rank(part) else (time, "")


def explain(candidate: Candidate, words: Sentences) -> str:
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
    told = strongest[:MOST_REASONS] or sorted(speaks, key=lambda item: -item.points)[:1]
    told += [item for item in speaks if item.part == "company" and item not in told]
    return " ".join(words(item.phrase, **item.values) for item in told)


def parts_of(candidate: Candidate) -> dict[str, float]:
    """Return a candidate's points by part."""
    points: dict[str, float] = {}
    for item in candidate.reasons:
        points[item.part] = round(points.get(item.part, 0.0) + item.points, 2)
    return {part: value for part, value in points.items() if value}


def reflection_scenes(world: World, words: Sentences) -> tuple[Scene, ...]:
    """Return the evening's reflection scenes, one for each due agent."""
    here = attending(world)
    due = select_due((world.agents[name] for name in here), world.settings.reflection)
    return tuple(reflection_scene(world, name, words, place=place) for place, name in enumerate(due))


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


def _together(world: World, chosen: Candidate) -> str:
    here = in_house(world)
    places = [world.agents[name].state.position if name in here else "" for name in chosen.cast]
    if len(places) != 2 or not all(places):
        return ""
    if {*places} == {chosen.place or places[1]}:
        return "1"
    return "" if chosen.place in ("", places[1]) else MET


def _is_seeking(world: World, agent: Agent, other: Agent) -> bool:
    planned = [item for item in (*agent.state.today_plan, agent.state.current_task) if not is_struck(item)]
    own = [thread for thread in world.threads if thread.is_pending and thread.by == agent.id]
    return any(mentioned(item, [other]) for item in planned) or any(other.id in thread.to for thread in own)
