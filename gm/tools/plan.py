"""What the Game Master would play next by its rules, and why: every candidate with its score. Writes nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from gm.memory.reflect import select_due
from gm.model.calendar import weekday
from gm.model.scene import LogEntry, Scene
from gm.model.world import World
from gm.scene.advance import advance
from gm.scene.attendance import absences_on, attending
from gm.scene.candidates import list_candidates
from gm.scene.daybreak import open_day
from gm.scene.director import arrival_scene, explain, has_arrived, last_step, parts_of
from gm.scene.focus import focus_tags
from gm.scene.schedule import Slot, coming_slot, deadlines_ahead, events_on
from gm.scene.select import Option, survey

DAYS_AHEAD = 7

Words = Callable[..., str]


def describe_plan(world: World, words: Words, seed: int, *, focus: str = "", tomorrow: bool = False) -> dict[str, Any]:
    """Describe the candidates for the next scene, in the form of ``gm plan --json``.

    When no day is open, the coming one is opened in thought; its first scene is ARRIVAL, and the candidates for the one
    after it are shown with the plans that people have now.

    Args:
        world: The world.
        words: Renders the Game Master's own sentences.
        seed: Dice of the Game Master.
        focus: Id of the character whose day is expanded; empty = nobody's.
        tomorrow: For the day after, as if an open day were closed as it is.

    Raises:
        GmError: The calendar leaves no day to play.
    """
    if tomorrow or not world.clock.day_open:
        world = advance(replace(world, clock=replace(world.clock, day_open=False)), open_day(world))
    first = None
    played = len(world.scenes_of(world.clock.day))
    if not has_arrived(world):
        first = arrival_scene(world, words)
        world = _after_arrival(world, first)
    slot = coming_slot(world, seed, focus)
    options = survey(list_candidates(world, slot.time), world, seed, slot, focus) if slot else []
    open_options = [option for option in options if option.bar is None]
    return {
        "day": world.clock.day,
        "day_of_week": weekday(world.clock.day, world.settings.calendar.weekdays),
        "scenes": {"played": played, "planned": slot.total if slot else played},
        "first": _scene(first) if first else None,
        "time_of_day": slot.time if slot else "",
        "candidates": [
            _option(world, words, option, slot, chosen=open_options[:1] == [option]) for option in options if slot
        ],
        "last": [] if open_options else [_scene(scene) for scene in last_step(world, words).scenes],
        "reflections_due": _due(world),
        "events": [_event(world, key, event.time, event.event) for key, event in events_on(world, world.clock.day)],
        "deadlines": [
            {"days_left": left, "day": event.day, "event": event.event}
            for left, event in deadlines_ahead(world, DAYS_AHEAD)
        ],
        "away": absences_on(world, world.clock.day),
        "focus": focus,
    }


def _after_arrival(world: World, scene: Scene) -> World:
    """The world as it would be if everybody had come to their place with the plans that they have now."""
    agents = {
        name: replace(agent, state=replace(agent.state, position=agent.home)) if name in scene.cast else agent
        for name, agent in world.agents.items()
    }
    record = {
        "scene": scene.ref.scene,
        "type": scene.type.name,
        "time_of_day": scene.time_of_day,
        "participants": list(scene.cast),
    }
    clock = replace(world.clock, scenes_today=world.clock.scenes_today + 1)
    return replace(world, agents=agents, clock=clock, log=(*world.log, LogEntry(scene.ref.day, record)))


def _option(world: World, words: Words, option: Option, slot: Slot, *, chosen: bool) -> dict[str, Any]:
    item = option.candidate
    kind = world.scene_types[item.type]
    tags = focus_tags(world, kind, (), item.topic, item.cast)
    told = {reason.part: words(reason.phrase, **reason.values) for reason in item.reasons if reason.phrase}
    return {
        "score": round(item.score, 2),
        "chosen": chosen,
        "type": item.type,
        "cast": list(item.cast[: kind.cast[1]]),
        "location": item.place,
        "time_of_day": slot.time,
        "why": explain(item, words),
        "parts": [
            {"part": part, "points": points, "why": told.get(part, "")}
            for part, points in sorted(parts_of(item).items(), key=lambda pair: -abs(pair[1]))
        ],
        "takes_up": list(item.answers),
        **({"tags": list(tags)} if tags else {}),
        "ruled_out": words(option.bar.phrase, **option.bar.values) if option.bar else None,
    }


def _scene(scene: Scene) -> dict[str, Any]:
    return {
        "type": scene.type.name,
        "cast": list(scene.cast),
        "location": scene.place,
        "time_of_day": scene.time_of_day,
        "why": scene.why,
    }


def _event(world: World, key: str, time: str, event: str) -> dict[str, Any]:
    taken = {answer for entry in world.log for answer in entry.answers}
    return {"time": time, "event": event, "played": key in taken}


def _due(world: World) -> Sequence[str]:
    return list(select_due((world.agents[name] for name in attending(world)), world.settings.reflection))
