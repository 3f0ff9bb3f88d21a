"""Events of the calendar that are due."""

from __future__ import annotations

from collections.abc import Iterator

from gm.model.calendar import time_rank
from gm.model.clock import ScheduledEvent
from gm.model.scene import ENCOUNTER, EVENT, Candidate
from gm.model.world import World
from gm.scene.grounding.attendance import attending, gathering_place
from gm.scene.grounding.mentions import choose_type, everyone
from gm.scene.pieces.waiting import find_answered
from gm.scene.planning.events import events_to_come
from gm.scene.score import reason


def propose(world: World, time: str) -> Iterator[Candidate]:
    """Yield today's events due by now."""
    for key, event in events_to_come(world, find_answered(world)):
        cast = find_attending(world, event)
        if time_rank(event.time) > time_rank(time) or not cast:
            continue
        yield Candidate(
            type=choose_type(world, (event.type, EVENT, ENCOUNTER), len(cast)),
            cast=cast,
            place=event.place or gathering_place(world),
            reasons=(reason(world, "event", 1.0, event=event.event),),
            premise=("premise_event", {"event": event.event}),
            topic=event.event,
            answers=(key,),
        )


def find_attending(world: World, event: ScheduledEvent) -> tuple[str, ...]:
    """Return the attending among those an event names, else among all; the lead first."""
    here = attending(world)
    named = dict.fromkeys(filter(None, (world.find_agent(name) for name in event.cast)))
    cast = [name for name in named or everyone(world) if name in here]
    lead = world.find_agent(event.lead) if event.lead else None
    if lead in here:
        cast = [lead, *(name for name in cast if name != lead)]
    return tuple(cast)
