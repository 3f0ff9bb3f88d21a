"""Weigh the candidates with the day so far, and put those aside that something rules out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from gm.model.derived import derived
from gm.model.scene import ARRIVAL, REFLECTION, Candidate, Reason
from gm.model.world import World
from gm.scene.candidates import is_appointment, is_asked_for, is_event
from gm.scene.directing.bars import find_bar, find_objection, threads_by_id
from gm.scene.directing.day_so_far import (
    DaySoFar,
    count_brought_out,
    count_to_bring_out,
    look_at_day,
    name_all,
)
from gm.scene.grounding.common_reasons import SMALL_CIRCLE
from gm.scene.planning.schedule import Slot, dice, is_owed_now
from gm.scene.score import reason

FULL_AFTER_DAYS = 3
"""Days without a scene after which a character counts in full for the next one."""
LAST_SCENES = 2
"""Last scenes of a day in which an appointment without a time counts in full."""


@dataclass(frozen=True, slots=True)
class WeighedCandidate:
    """A weighed candidate, and what rules it out, if anything."""

    candidate: Candidate
    bar: Reason | None = None


def survey(
    candidates: Sequence[Candidate], world: World, seed: int, slot: Slot, focus: str = ""
) -> list[WeighedCandidate]:
    """Return all candidates weighed: those that may be played, then those ruled out, each best first.

    Objections count only while other candidates are left; without any, a calendar event overrides every bar.
    """
    day = look_at_day(world, slot, focus)
    weighed = sorted(weigh(candidates, world, seed, day), key=lambda item: -item.score)
    barred = [WeighedCandidate(item, find_bar(item, world, day)) for item in weighed]
    reach = max((count_brought_out(option.candidate, day) for option in barred if option.bar is None), default=0)
    day = replace(day, reach=reach)
    judged = [one if one.bar else replace(one, bar=find_objection(one.candidate, world, day)) for one in barred]
    for round_ in (judged, barred):
        if any(option.bar is None for option in round_):
            return sorted(round_, key=lambda option: option.bar is not None)
    return sorted(
        (WeighedCandidate(option.candidate, None if is_event(option.candidate) else option.bar) for option in barred),
        key=lambda option: option.bar is not None,
    )


def weigh(candidates: Sequence[Candidate], world: World, seed: int, day: DaySoFar) -> list[Candidate]:
    """Return candidates with the day's reasons."""
    waited = _days_waited(world, day.here)
    return [
        replace(
            item,
            reasons=(
                *_drop_reasons_for_later(item, day),
                *_of_the_day(item, world, day, waited),
                _roll(item, world, seed),
            ),
        )
        for item in candidates
    ]


def _drop_reasons_for_later(item: Candidate, day: DaySoFar) -> Iterator[Reason]:
    # What is not played in the last scenes will not be played.
    over: set[str] = {"unready"} if day.slot.left <= LAST_SCENES else set()
    over |= {"later"} if day.slot.left <= 1 else set()
    return (why for why in item.reasons if why.part not in over)


def _of_the_day(item: Candidate, world: World, day: DaySoFar, waited: dict[str, int]) -> Iterator[Reason]:
    suits = world.scene_types[item.type].suits.get(day.slot.time)
    if suits:
        yield reason(world, "time", suits, type=item.type, time=day.slot.time)
    if day.types[-1:] == (item.type,):
        yield reason(world, "pacing", -1.0, type=item.type)
    missing = [name for name, kind in world.scene_types.items() if kind.daily and name not in day.types]
    if item.type in missing and day.slot.left - len(day.to_come) <= len(missing):
        yield reason(world, "needed", 1.0, type=item.type)
    is_told = any(why.part == "later" for why in item.reasons)
    if frozenset(item.cast) in day.arranged and day.slot.left > 1 and not is_asked_for(item) and not is_told:
        yield reason(world, "later", -1.0, names=name_all(world, item.cast))
    yield from _at_last(world, item, day.slot.left)
    again = _played_today(world)[item.type, frozenset(item.cast)]
    if again:
        yield reason(world, "again", -float(again), count=str(again))
    yield from _explain_late_company(item, world, day)
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


def _explain_late_company(item: Candidate, world: World, day: DaySoFar) -> Iterator[Reason]:
    if any(why.phrase == "why_company_alone" for why in item.reasons):
        return
    is_needed = count_brought_out(item, day) >= count_to_bring_out(day) > 0
    if is_needed and not is_asked_for(item) and not is_appointment(item):
        names = name_all(world, [name for name in item.cast if name in day.lonely_set])
        yield Reason("company", 0.0, "why_company_late", {"names": names})


def _at_last(world: World, item: Candidate, left: int) -> Iterator[Reason]:
    # what has not been held or kept in the last scenes will not be
    weights, threads = world.settings.weights, threads_by_id(world)
    if left <= LAST_SCENES:
        for why in item.reasons:
            if why.part == "appointment" and why.points < weights.appointment:
                yield replace(why, points=weights.appointment - why.points, phrase="")
    is_last = left <= 1 and any(key in threads and threads[key].due == world.clock.day for key in item.answers)
    if not is_last and not is_owed_now(world, item, left):
        return
    for why in item.reasons:
        if why.part == "promise_due" and weights.promise_due < weights.appointment:
            yield replace(why, points=why.points * (weights.appointment / weights.promise_due - 1), phrase="")


def _days_waited(world: World, here: Sequence[str]) -> dict[str, int]:
    first = min((entry.day for entry in world.log), default=world.clock.day)
    last = dict.fromkeys(here, first - 1)
    for entry in world.log:
        if len(entry.participants) <= SMALL_CIRCLE and entry.type not in (ARRIVAL, REFLECTION):
            last |= dict.fromkeys(entry.participants, entry.day)
    return {name: world.clock.day - last[name] for name in here}


@derived
def _played_today(world: World) -> Counter[tuple[str, frozenset[str]]]:
    return Counter((entry.type, frozenset(entry.invited)) for entry in world.scenes_of(world.clock.day))


def _roll(item: Candidate, world: World, seed: int) -> Reason:
    clock = world.clock
    rolled = dice(seed, "pick", clock.day, clock.scenes_today, item.type, *item.cast, *item.answers, item.intent)
    return reason(world, "dice", round(rolled.random(), 3))
