"""Due appointments, and talks about missed ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf

from gm.model.calendar import SceneRef, weekday
from gm.model.scene import ENCOUNTER, EVENT, Candidate, Premise, Reason
from gm.model.thread import Thread
from gm.model.world import World
from gm.scene.candidates.threads import thread_values
from gm.scene.grounding.attendance import gathering_place, in_house, talk_place
from gm.scene.grounding.mentions import clip_words, find_mentioned_place
from gm.scene.planning.schedule import most_together
from gm.scene.score import reason
from gm.scene.threads.appointments import (
    can_be_held,
    clock_of,
    find_type_for_all,
    has_set_out,
    is_appointment_due,
    met_for,
    missed_lately,
    order_of,
    part_of_day,
    people_of,
    promises_kept_at,
    to_come,
)

WITHOUT_A_TIME = 0.5
"""Measure of an appointment for which no time was named; the last scenes of a day make up for it."""


def propose(world: World, time: str) -> Iterator[Candidate]:
    """Yield due appointments, and a talk of two about each one missed lately.

    Of those with a time, only the earliest: later ones wait until it is held. Where scenes are played side by side, all
    up to the first one whose people have another before it.
    """
    due = [
        (thread, kind)
        for thread in to_come(world)
        if (kind := find_type_for_all(world, thread)) and is_appointment_due(world, thread, time)
    ]
    last = _last_of_the_next(world, [thread for thread, _ in due])
    for thread, kind in due:
        if not last < order_of(world, thread) < inf:
            yield _meeting(world, thread, kind, time)
    for thread in missed_lately(world):
        if can_be_held(people_of(world, thread)):
            yield _talk(world, thread, time)


def _last_of_the_next(world: World, due: Sequence[Thread]) -> float:
    ordered = sorted(due, key=lambda thread: order_of(world, thread))
    last = order_of(world, ordered[0]) if ordered else inf
    busy: set[str] = set()
    for thread in ordered if most_together(world) > 1 else ():
        if not busy.isdisjoint(people_of(world, thread)):
            break
        busy.update(people_of(world, thread))
        last = order_of(world, thread)
    return last


def _meeting(world: World, thread: Thread, kind: str, time: str) -> Candidate:
    cast = people_of(world, thread)
    along = promises_kept_at(world, thread)
    is_known = {*met_for(world, thread)} <= {*thread.people}
    topic = " ".join(thread.text.split()) if kind == EVENT and is_known else ""
    measure = 1.0 if part_of_day(world, thread) or has_set_out(world, thread) else WITHOUT_A_TIME
    if is_known:
        why = reason(world, "appointment", measure, **_values(world, thread, clip_words(thread.text)))
        premise: Premise = ("premise_appointment", _values(world, thread, thread.text))
    else:
        # the other one knows nothing of the promise
        values = {**thread_values(world, thread), "left": ""}
        why = reason(world, "appointment", measure, "why_promise", **values)
        one, two = (world.agents[name].call_name for name in cast)
        premise = ("premise_visit", {"one": one, "two": two})
    premises = {one.by: _own_promise(world, one) for one in (*along, *(() if is_known else (thread,)))}
    return Candidate(
        type=kind,
        cast=cast,
        place=_place(world, thread, cast, time),
        reasons=(why, *_too_soon(world, thread, cast)),
        premise=premise,
        topic=topic,
        answers=(thread.id, *(one.id for one in along)),
        premises=premises,
        clock=clock_of(world, thread),
    )


def _own_promise(world: World, promise: Thread) -> Premise:
    values = {**thread_values(world, promise), "left": "", "text": " ".join(promise.text.split())}
    return "premise_own_promise", {**values, "name": values["to"]}


def _too_soon(world: World, thread: Thread, cast: Sequence[str]) -> Iterator[Reason]:
    last = world.scenes_of(world.clock.day)[-1:]
    is_for_now = bool(part_of_day(world, thread)) or has_set_out(world, thread)
    if not is_for_now and any(SceneRef(entry.day, entry.number or 0) == thread.since for entry in last):
        yield reason(world, "later", -1.0, names=", ".join(world.agents[name].call_name for name in cast))


def _place(world: World, thread: Thread, cast: Sequence[str], time: str) -> str:
    all_here = {*cast} <= {*in_house(world)}
    named = thread.place or find_mentioned_place(world, thread.text) if all_here else ""
    one, two, *more = (world.agents[name] for name in cast)
    return named or (gathering_place(world) if more else talk_place(world, one, two, time))


def _talk(world: World, thread: Thread, time: str) -> Candidate:
    one, two = (world.agents[name] for name in people_of(world, thread)[:2])
    return Candidate(
        type=ENCOUNTER,
        cast=(one.id, two.id),
        place=talk_place(world, one, two, time),
        reasons=(reason(world, "missed", 1.0, **_values(world, thread, clip_words(thread.text))),),
        premise=("premise_visit", {"one": one.call_name, "two": two.call_name}),
        answers=(thread.id,),
        premises={
            agent.id: ("premise_own_missed", {**_values(world, thread, thread.text), "name": other.call_name})
            for agent, other in ((one, two), (two, one))
        },
    )


def _values(world: World, thread: Thread, text: str) -> dict[str, str]:
    met = met_for(world, thread)
    *names, last = (world.agents[name].call_name for name in people_of(world, thread) if name in met)
    day = thread.due or thread.since.day
    return {
        "names": ", ".join(names),
        "last": last,
        "clock": clock_of(world, thread),
        "day": str(day),
        "weekday": weekday(day, world.settings.calendar.weekdays),
        "ago": str(world.clock.day - day),
        "text": " ".join(text.split()),
        "promise": "1" if thread.kind == "promise" else "",
    }
