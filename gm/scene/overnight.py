"""Threads when a day ends: what is carried into the next one and why, what became overdue, what is dropped."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gm.model.calendar import SceneRef, parse_ref, render_day, weekday
from gm.model.thread import Thread, ThreadEvent, fold_events
from gm.model.world import World
from gm.scene.ledger import Words

GAME_MASTER = "gm"


def close_threads(world: World, words: Words) -> tuple[ThreadEvent, ...]:
    """Note what a day that ends does to threads: what became overdue is carried, what nobody has touched is dropped."""
    at = render_day(world.clock.day)
    events = []
    for thread in world.threads:
        if not thread.is_open:
            continue
        if _is_stale(world, thread):
            reason = words("thread_stale", days=world.settings.threads.days)
            events.append(ThreadEvent(thread.id, at, "close", GAME_MASTER, reason, outcome="dropped"))
        elif _became_overdue(world, thread):
            events.append(ThreadEvent(thread.id, at, "carry", GAME_MASTER, _overdue(world, thread, words)))
    return tuple(events)


def carried(world: World, events: Iterable[ThreadEvent], words: Words) -> list[dict[str, str]]:
    """Say of every thread that is open when a day ends why it is."""
    left = [thread for thread in fold_events(world.threads, events) if thread.is_open]
    return [{"thread": thread.id, "reason": _why_carried(world, thread, words)} for thread in left]


def _why_carried(world: World, thread: Thread, words: Words) -> str:
    today = world.clock.day
    if thread.due is not None and thread.due <= today:
        return _overdue(world, thread, words)
    if thread.due is not None:
        return words("carried_due", **_day(world, thread.due))
    if thread.since.day == today:
        return words("carried_new")
    if not thread.to:
        return words("carried_alone", name=_name(world, thread.by))
    names = [_name(world, name) for name in thread.to]
    phrase = "carried_met" if _met(world, thread) else "carried_apart"
    return words(phrase, one=_name(world, thread.by), others=names)


def _met(world: World, thread: Thread) -> bool:
    """Tell whether the one who opened a thread was together with one of the others today, arriving aside."""
    return any(
        thread.by in entry.participants and any(name in entry.participants for name in thread.to)
        for entry in world.scenes_of(world.clock.day)
        if entry.type != "ARRIVAL"
    )


def _is_stale(world: World, thread: Thread) -> bool:
    days = world.settings.threads.days
    return days is not None and world.clock.day - _last_touched(world, thread) >= days


def _last_touched(world: World, thread: Thread) -> int:
    """The last day on which anything happened to a thread; a day that it is due on is waited for."""
    taken_up = [entry.day for entry in world.log if thread.id in entry.answers]
    return max(_day_of(thread.touched), thread.since.day, thread.due or 0, *taken_up)


def _became_overdue(world: World, thread: Thread) -> bool:
    if thread.due is None or thread.due > world.clock.day:
        return False
    return not thread.reason or _day_of(thread.touched) < thread.due


def _overdue(world: World, thread: Thread, words: Words) -> str:
    assert thread.due is not None
    return words("thread_overdue", **_day(world, thread.due))


def _day(world: World, day: int) -> dict[str, Any]:
    return {"day": day, "weekday": weekday(day, world.settings.calendar.weekdays)}


def _day_of(reference: str) -> int:
    return (parse_ref(reference) or SceneRef(0)).day


def _name(world: World, agent: str) -> str:
    return world.agents[agent].call_name if agent in world.agents else agent


def describe_open(world: World, thread: Thread, words: Words) -> str:
    """Put an open thread into one sentence: who, to whom, what, since when and by when."""
    return words(
        f"thread_{thread.kind}",
        name=_name(world, thread.by),
        others=[_name(world, name) for name in thread.to],
        text=thread.text,
        since=thread.since.day,
        due=None if thread.due is None else _day(world, thread.due),
        overdue=thread.due is not None and thread.due <= world.clock.day,
    )
