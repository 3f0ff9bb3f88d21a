"""Weigh the candidates with the day so far, and rule out some. Seeded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from gm.model.scene import Candidate, Reason
from gm.model.world import World
from gm.scene.candidates import is_event
from gm.scene.pacing import ARRIVAL, DaySoFar, find_bar, find_objection, look_at_day
from gm.scene.schedule import REFLECTION, Slot, dice
from gm.scene.score import SMALL_CIRCLE, reason

FULL_AFTER_DAYS = 3


@dataclass(frozen=True, slots=True)
class Option:
    """A candidate with all its reasons, and what rules it out; None when it may be played."""

    candidate: Candidate
    bar: Reason | None = None


def survey(candidates: Sequence[Candidate], world: World, seed: int, slot: Slot, focus: str = "") -> list[Option]:
    """Return all candidates weighed: first those that may be played, then those ruled out, each best first.

    Objections count only while other candidates are left; without any, an event of the calendar overrides every bar.
    """
    day = look_at_day(world, slot, focus)
    weighed = sorted(weigh(candidates, world, seed, day), key=lambda item: -item.score)
    barred = [Option(item, find_bar(item, world, day)) for item in weighed]
    judged = [option if option.bar else Option(option.candidate, _object(option, world, day)) for option in barred]
    for round_ in (judged, barred):
        if any(option.bar is None for option in round_):
            return sorted(round_, key=lambda option: option.bar is not None)
    return sorted(
        (Option(option.candidate, None if is_event(option.candidate) else option.bar) for option in barred),
        key=lambda option: option.bar is not None,
    )


def weigh(candidates: Sequence[Candidate], world: World, seed: int, day: DaySoFar) -> list[Candidate]:
    """Return the candidates with the reasons of the day so far."""
    waited = _days_waited(world, day.here)
    return [
        replace(item, reasons=(*item.reasons, *_of_the_day(item, world, day, waited), _roll(item, world, seed)))
        for item in candidates
    ]


def _object(option: Option, world: World, day: DaySoFar) -> Reason | None:
    return find_objection(option.candidate, world, day)


def _of_the_day(item: Candidate, world: World, day: DaySoFar, waited: dict[str, int]) -> Iterator[Reason]:
    suits = world.scene_types[item.type].suits.get(day.slot.time)
    if suits:
        yield reason(world, "time", suits, type=item.type, time=day.slot.time)
    if day.types[-1:] == (item.type,):
        yield reason(world, "pacing", -1.0, type=item.type)
    missing = [name for name, kind in world.scene_types.items() if kind.daily and name not in day.types]
    if item.type in missing and day.slot.left - len(day.to_come) <= len(missing):
        yield reason(world, "needed", 1.0, type=item.type)
    again = _times_today(world, item)
    if again:
        yield reason(world, "again", -float(again), count=str(again))
    if day.focus in item.cast:
        yield reason(world, "focus", 1.0, who=world.agents[day.focus].call_name)
    if len(item.cast) < len(day.here):
        longest = max(item.cast, key=lambda name: waited.get(name, 0))
        share = sum(min(1.0, waited.get(name, 0) / FULL_AFTER_DAYS) for name in item.cast) / len(item.cast)
        if share:
            yield reason(world, "stage", share, who=world.agents[longest].call_name, days=str(waited[longest]))
        busiest = max(item.cast, key=lambda name: day.seen[name])
        if day.seen[busiest] and busiest != day.focus:
            count = day.seen[busiest]
            yield reason(world, "busy", -float(count), who=world.agents[busiest].call_name, count=str(count))


def _days_waited(world: World, here: Sequence[str]) -> dict[str, int]:
    first = min((entry.day for entry in world.log), default=world.clock.day)
    last = dict.fromkeys(here, first - 1)
    for entry in world.log:
        if len(entry.participants) <= SMALL_CIRCLE and entry.type not in (ARRIVAL, REFLECTION):
            last |= dict.fromkeys(entry.participants, entry.day)
    return {name: world.clock.day - last[name] for name in here}


def _times_today(world: World, item: Candidate) -> int:
    played = Counter((entry.type, frozenset(entry.participants)) for entry in world.scenes_of(world.clock.day))
    return played[item.type, frozenset(item.cast)]


def _roll(item: Candidate, world: World, seed: int) -> Reason:
    clock = world.clock
    rolled = dice(seed, "pick", clock.day, clock.scenes_today, item.type, *item.cast, *item.answers, item.intent)
    return reason(world, "dice", round(rolled.random(), 3))
