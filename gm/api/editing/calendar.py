"""Events of the calendar: planned, shown and removed by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from gm.api.answers.document import part
from gm.api.editing.desk import choose_item, editing
from gm.base.errors import UsageError, say
from gm.files.layout import Layout
from gm.model.calendar import is_time_of_day, weekday
from gm.model.clock import SCHEDULED_EVENT, ScheduledEvent
from gm.model.scene import ANY_NUMBER, EVENT, SceneType
from gm.model.thread import is_impossible_clock
from gm.model.world import World, known_agent
from gm.play import edits
from gm.play.prompts import open_prompts
from gm.scene.grounding.attendance import coming_day

USUAL_TIME = "afternoon"


@dataclass(frozen=True, slots=True)
class EventOptions:
    """An event to schedule; empty = as usual.

    Attributes:
        time: A time of day, or another word for a mere deadline.
        lead: The character that opens it.
    """

    text: str
    day: int | None = None
    in_days: int | None = None
    weekday: str = ""
    time: str = ""
    place: str = ""
    type: str = ""
    cast: tuple[str, ...] = ()
    lead: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedEvent:
    """An event of the calendar.

    Attributes:
        played: Whether it becomes a scene; if not, it is a deadline.
        number: In the list, from 1; None = not listed.
    """

    number: int | None = part(omit=None)
    event: ScheduledEvent = part(inline=True, by=SCHEDULED_EVENT.write)
    weekday: str
    played: bool


@dataclass(frozen=True, slots=True)
class RemovedEvent:
    """The removed event."""

    removed: PlannedEvent


@dataclass(frozen=True, slots=True)
class Calendar:
    """Dated events from ``first_day`` on, and the weekly ones as in ``gm.yaml``."""

    first_day: int
    events: tuple[PlannedEvent, ...]
    weekly: tuple[Mapping[str, Any], ...]


def schedule_event(layout: Layout, options: EventOptions, command: str = "gm event") -> tuple[PlannedEvent, list[str]]:
    """Add an event to the calendar.

    Raises:
        UsageError: The event is impossible; the hint says what would work.
        BrokenWorldError: A needed file cannot be read.
    """
    with editing(layout, command, layout.settings, layout.world) as desk:
        types = open_prompts(layout, desk.world.settings).scene_types()
        event = plan_event(replace(desk.world, scene_types=types), options)
        desk.commit(edits.event_steps(layout, desk.world, event))
    return _describe_event(desk.world, event), desk.notes


def remove_event(layout: Layout, which: str) -> tuple[RemovedEvent, list[str]]:
    """Remove an event, given by its number in the list, its beginning or a part."""
    with editing(layout, "gm event", layout.settings, layout.world) as desk:
        events = desk.world.clock.scheduled_events
        ahead = [(n, event) for n, event in enumerate(events, 1) if event.day >= coming_day(desk.world)]
        number = choose_item(which, ahead, lambda event: event.event, "event")
        desk.commit(edits.removal_steps(layout, desk.world, events[number - 1]))
    return RemovedEvent(_describe_event(desk.world, events[number - 1])), desk.notes


def plan_event(world: World, options: EventOptions) -> ScheduledEvent:
    """Turn options into an event.

    Raises:
        UsageError: Scene type, place, clock time or characters do not exist or fit.
    """
    kind = _find_scene_type(world, options.type)
    cast = tuple(dict.fromkeys(known_agent(world.agents, name) for name in options.cast))
    lead = known_agent(world.agents, options.lead) if options.lead else ""
    if lead and cast and lead not in cast:
        raise UsageError(
            say("{lead} opens the scene but does not take part in it", lead), say("also name {lead} in --with", lead)
        )
    places = world.settings.places
    if options.place and places and options.place not in places:
        raise UsageError(say("there is no place {place}", repr(options.place)), "the places: " + ", ".join(places))
    time = options.time.strip() or USUAL_TIME
    if is_impossible_clock(time):
        raise UsageError(say("{name} is not a time", repr(time)), "the clock goes from 00:00 to 23:59")
    if is_time_of_day(time):
        _require_fit(kind or world.scene_types.get(EVENT), cast or tuple(world.agents), is_all=not cast)
    return ScheduledEvent(
        day=_choose_day(world, options),
        event=" ".join(edits.require_text(options.text).split()),
        time=time,
        type=kind.name if kind else "",
        place=options.place,
        cast=cast,
        lead=lead,
    )


def describe_events(world: World) -> Calendar:
    """Return the calendar from today on, by day."""
    first = coming_day(world)
    dated = [
        _describe_event(world, event, number)
        for number, event in enumerate(world.clock.scheduled_events, 1)
        if event.day >= first
    ]
    weekly = tuple(dict(item) for item in world.settings.calendar.weekly)
    return Calendar(first, tuple(sorted(dated, key=lambda item: item.event.day)), weekly)


def _describe_event(world: World, event: ScheduledEvent, number: int | None = None) -> PlannedEvent:
    name = weekday(event.day, world.settings.calendar.weekdays)
    return PlannedEvent(number=number, event=event, weekday=name, played=is_time_of_day(event.time))


def _choose_day(world: World, options: EventOptions) -> int:
    if options.day is not None:
        return options.day
    if options.in_days is not None:
        return world.clock.day + options.in_days
    return edits.next_weekday(world, options.weekday) if options.weekday else coming_day(world)


def _find_scene_type(world: World, name: str) -> SceneType | None:
    if not name:
        return None
    kind = world.scene_types.get(name.upper())
    known = {key: item for key, item in world.scene_types.items() if item.reply == "scene" and not item.plan}
    if kind is None or kind.name not in known:
        what = f"there is no scene type {name!r}" if kind is None else f"{kind.name} cannot be put into the calendar"
        raise UsageError(what, "known: " + ", ".join(sorted(key.lower() for key in known)))
    return kind


def _require_fit(kind: SceneType | None, cast: Sequence[str], *, is_all: bool) -> None:
    fewest, most = kind.cast if kind else (1, len(cast))
    if kind and (len(cast) < fewest or (len(cast) > most and not is_all)):
        span = str(fewest) if fewest == most else f"{fewest} to {most}" if most < ANY_NUMBER else f"at least {fewest}"
        hint = "see --with, and gm event --type"
        if len(cast) < fewest:
            hint = (
                "name more with --with; or take --type work for fewer, or --time all-day for a deadline without a scene"
            )
        raise UsageError(say("{type} is played by {span}, {count} given", kind.name, span, len(cast)), hint)
