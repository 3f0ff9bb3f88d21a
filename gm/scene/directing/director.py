"""The Director: what comes next in a day, the same for the same world and seed.

Progress is read from the logbook, so an interrupted day continues where it stopped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from gm.memory.reflect import select_due
from gm.model.calendar import time_rank
from gm.model.scene import ARRIVAL, MEETING, REFLECTION, Candidate, LogEntry, Scene
from gm.model.world import Sentences, World
from gm.scene.candidates import board, calendar, list_candidates
from gm.scene.directing.scenes import arrival_scene, choose_time, next_ref, reflection_scene, scene_of, time_of
from gm.scene.directing.select import WeighedCandidate, survey
from gm.scene.grounding.attendance import attending, place_after_scene
from gm.scene.planning.schedule import Slot, coming_slot, most_together, played_today


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
    return sorted(chosen, key=lambda one: _rank_time(*choose_time(world, *one)))


def _as_if_played(world: World, chosen: Sequence[tuple[Candidate, str]]) -> World:
    """Return the world with scenes in its logbook, and their people where they are afterwards."""
    agents, log = dict(world.agents), list(world.log)
    for place, (item, time) in enumerate(_in_order(world, chosen)):
        kind = world.scene_types[item.type]
        cast = item.cast[: kind.cast[1]]
        for name in cast:
            position = place_after_scene(kind, item.place, agents[name], cast[0])
            agents[name] = replace(agents[name], state=replace(agents[name].state, position=position))
        part, clock = choose_time(world, item, time)
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


def reflection_scenes(world: World, words: Sentences) -> tuple[Scene, ...]:
    """Return the evening's reflection scenes, one for each due agent.

    Each is alone: one whose place is another's home, or which another has taken for this, goes home.
    """
    here = attending(world)
    due = select_due((world.agents[name] for name in here), world.settings.reflection)
    taken = {entry.place for entry in world.scenes_of(world.clock.day) if entry.type == REFLECTION}
    homes = {world.agents[name].home: name for name in due}
    scenes = []
    for number, name in enumerate(due):
        scene = reflection_scene(world, name, words, place=number)
        if scene.place in taken or homes.get(scene.place, name) != name:
            scene = replace(scene, place=world.agents[name].home or scene.place)
        taken.add(scene.place)
        scenes.append(scene)
    return tuple(scenes)
