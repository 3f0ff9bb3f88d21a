"""Threads at the end of a day: which are closed unsettled, and why the others stay open."""

from __future__ import annotations

from collections.abc import Iterable

from gm.model.calendar import moment_of, render_day
from gm.model.scene import ARRIVAL
from gm.model.thread import GAME_MASTER, Thread, ThreadEvent, fold_events
from gm.model.world import Sentences, World
from gm.scene.grounding.dates import day_values, until_day


def close_threads(world: World, words: Sentences) -> tuple[ThreadEvent, ...]:
    """Return a day's last events of threads: overdue ones are carried, stale ones dropped.

    A silence is kept once its last day is over.
    """
    at = render_day(world.clock.day)
    events = []
    for thread in world.threads:
        if thread.kind == "silence" and thread.is_open and _was_until(world, thread):
            reason = words("thread_closed", outcome="kept")
            events.append(ThreadEvent(thread.id, at, "close", GAME_MASTER, reason, outcome="kept"))
        if not thread.is_pending:
            continue
        if _is_stale(world, thread):
            reason = words("thread_stale", days=world.settings.threads.days)
            events.append(ThreadEvent(thread.id, at, "close", GAME_MASTER, reason, outcome="dropped"))
        elif _became_overdue(world, thread):
            events.append(ThreadEvent(thread.id, at, "carry", GAME_MASTER, _overdue(world, thread, words)))
    return tuple(events)


def _was_until(world: World, thread: Thread) -> bool:
    last_day = until_day(world, thread.text, thread.since.day)
    return last_day is not None and last_day <= world.clock.day


def explain_carried(world: World, events: Iterable[ThreadEvent], words: Sentences) -> list[dict[str, str]]:
    """Return why each thread stays open."""
    left = [thread for thread in fold_events(world.threads, events) if thread.is_pending]
    return [{"thread": thread.id, "reason": _explain_carried(world, thread, words)} for thread in left]


def _explain_carried(world: World, thread: Thread, words: Sentences) -> str:
    today = world.clock.day
    if thread.due is not None and thread.due <= today:
        return _overdue(world, thread, words)
    if thread.due is not None:
        return words("carried_due", **day_values(world, thread.due))
    if thread.since.day == today:
        return words("carried_new")
    if not thread.to:
        return words("carried_alone", name=world.call_name(thread.by))
    names = [world.call_name(name) for name in thread.to]
    if not any(name in world.agents for name in thread.to):
        return words("carried_outside", others=names)
    phrase = "carried_met" if _have_met(world, thread) else "carried_apart"
    return words(phrase, one=world.call_name(thread.by), others=names)


def _have_met(world: World, thread: Thread) -> bool:
    return any(
        thread.by in entry.participants and any(name in entry.participants for name in thread.to)
        for entry in world.scenes_of(world.clock.day)
        if entry.type != ARRIVAL
    )


def _is_stale(world: World, thread: Thread) -> bool:
    days = world.settings.threads.days
    return days is not None and world.clock.day - _last_touched(world, thread) >= days


def _last_touched(world: World, thread: Thread) -> int:
    taken_up = [entry.day for entry in world.log if thread.id in entry.answers]
    return max(_day_of(thread.touched), thread.since.day, thread.due or 0, *taken_up)


def _became_overdue(world: World, thread: Thread) -> bool:
    if thread.due is None or thread.due > world.clock.day:
        return False
    return not thread.reason or _day_of(thread.touched) < thread.due


def _overdue(world: World, thread: Thread, words: Sentences) -> str:
    assert thread.due is not None
    return words("thread_overdue", **day_values(world, thread.due))


def _day_of(reference: str) -> int:
    return moment_of(reference).day


def describe_open(world: World, thread: Thread, words: Sentences) -> str:
    """Return an open thread as a sentence."""
    return words(
        f"thread_{thread.kind}",
        name=world.call_name(thread.by),
        others=[world.call_name(name) for name in thread.to],
        text=thread.text,
        since=thread.since.day,
        due=None if thread.due is None else day_values(world, thread.due),
        overdue=thread.due is not None and thread.due <= world.clock.day,
    )
