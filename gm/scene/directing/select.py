"""Weigh the candidates with the day so far, and put aside what runs, meetings or tiredness rule out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil

from gm.model.derived import derived
from gm.model.logged import LogEntry
from gm.model.scene import ARRIVAL, ENCOUNTER, EVENT, MEETING, REFLECTION, Candidate, Reason
from gm.model.thread import Thread
from gm.model.world import World
from gm.scene.candidates import is_appointment, is_asked_for, is_event
from gm.scene.candidates.plans import is_planned_for_now
from gm.scene.directing.day_so_far import DaySoFar, count_brought_out, count_to_bring_out, look_at_day, name_all
from gm.scene.grounding.common_reasons import SMALL_CIRCLE
from gm.scene.grounding.mentions import SAME_MATTER_WORDS, matter_words
from gm.scene.planning.schedule import Slot, dice, is_owed_now, most_together, played_today
from gm.scene.score import reason
from gm.scene.threads import appointments

LATE = {"morning": "10:00", "noon": "12:30", "afternoon": "16:00", "evening": "20:00"}
"""The clock time from which an appointment leaves the other scenes of its time of day their place before it."""


def find_bar(item: Candidate, world: World, day: DaySoFar) -> Reason | None:
    """Return what rules a candidate out in any case, or None."""
    is_owed = is_owed_now(world, item, day.slot.left)
    if is_owed or is_appointment(item) or is_planned_for_now(item):
        return None
    most = world.settings.day.in_a_row
    before, following = _types_around(item, world, day)
    types = (*before, item.type, *following)
    place = len(before)
    if _run(types, place) > most:
        return Reason("in_a_row", 0.0, "bar_in_a_row", {"type": item.type, "most": str(most)})
    if _run([is_talk(world, kind) or number for number, kind in enumerate(types, 2)], place) > most:
        return Reason("talks", 0.0, "bar_talks", {"most": str(most)})
    if day.slot.is_extra and day.focus not in item.cast and not is_event(item):
        return Reason("extra", 0.0, "bar_extra", {"who": world.agents[day.focus].call_name})
    if item.type == MEETING and not is_asked_for(item):
        return _meeting_bar(world, day)
    return None


def _types_around(item: Candidate, world: World, day: DaySoFar) -> tuple[Sequence[str], Sequence[str]]:
    if most_together(world) > 1:  # scenes of other people are beside it, not before or after it
        own = {place for name in item.cast for place in _places_in_day(world).get(name, ())}
        return [day.types[place] for place in sorted(own)], ()
    return day.types, () if is_event(item) else day.following


@derived
def _places_in_day(world: World) -> Mapping[str, Sequence[int]]:
    found: dict[str, list[int]] = {}
    for place, entry in enumerate(played_today(world)):
        for name in entry.participants:
            found.setdefault(name, []).append(place)
    return found


def find_objection(item: Candidate, world: World, day: DaySoFar) -> Reason | None:
    """Return what rules it out while there are others, or None."""
    if is_asked_for(item) or is_owed_now(world, item, day.slot.left):
        return None
    if is_appointment(item):
        late = _clock_bar(item, day) if most_together(world) == 1 else None
        return late or _just_met(item, world, day)
    wanted = count_to_bring_out(day)
    if count_brought_out(item, day) < wanted:
        return Reason("company", 0.0, "bar_company", {"names": day.lonely_names})
    meets_later = item.type == ENCOUNTER and frozenset(item.cast) in day.arranged
    if meets_later and not wanted and day.slot.left > 1:
        return Reason("later", 0.0, "bar_later", {"names": name_all(world, item.cast)})
    is_planned = is_planned_for_now(item)
    if not wanted and not is_planned and (bar := _patience_bar(item, world)):
        return bar
    kind = world.scene_types[item.type]
    if kind.share and not is_planned and day.types.count(item.type) >= (most := ceil(day.slot.total / kind.share)):
        return Reason("enough", 0.0, "bar_enough", {"type": item.type, "most": str(most)})
    if kind.who:  # the characters that a type names take part in it, however many scenes they have had
        return None
    most = world.settings.day.scenes_each
    tired = [
        name for name in item.cast if day.seen[name] >= most and day.seen[name] > day.least_seen and name != day.focus
    ]
    if tired and len(item.cast) < len(day.here):
        return Reason("scenes_each", 0.0, "bar_scenes_each", {"names": name_all(world, tired), "most": str(most)})
    return None


def _clock_bar(item: Candidate, day: DaySoFar) -> Reason | None:
    is_late = bool(item.clock) and item.clock >= LATE.get(day.slot.time, item.clock + ":")
    return Reason("late", 0.0, "bar_late", {"clock": item.clock}) if is_late and day.slot.rest > day.fixed else None


def _just_met(item: Candidate, world: World, day: DaySoFar) -> Reason | None:
    last = played_today(world)[-1:]
    if item.clock or day.slot.left <= 1 or not last or last[0].type == ARRIVAL:
        return None
    own = next((one for one in appointments.to_come(world) if one.id in item.answers), None)
    has_time = own is not None and bool(appointments.part_of_day(world, own))
    room = day.slot.rest - day.due if has_time else day.slot.left - len(day.to_come)
    if room <= 0 or {*last[0].invited} != {*item.cast}:
        return None
    return Reason("again", 0.0, "bar_again", {"names": name_all(world, item.cast)})


def _patience_bar(item: Candidate, world: World) -> Reason | None:
    today, patience = world.clock.day, world.settings.day.patience
    threads = threads_by_id(world)
    taken_up = [threads[key] for key in item.answers if key in threads]
    due_today = any(thread.kind == "promise" and thread.due == today for thread in taken_up)
    if item.type != ENCOUNTER or len(item.cast) != 2 or due_today:
        return None
    matter = matter_words(world, " ".join((item.intent, item.topic, *(thread.text for thread in taken_up))))
    for entry in _talks_of_two(world).get(frozenset(item.cast), ()):
        if today - entry.day >= patience:
            continue
        text = " ".join((entry.why, *(threads[key].text for key in entry.answers if key in threads)))
        if {*entry.answers} & {*item.answers} or len(matter & matter_words(world, text)) >= SAME_MATTER_WORDS:
            names = " + ".join(world.agents[name].call_name for name in item.cast)
            return Reason("patience", 0.0, "bar_patience", {"names": names, "ago": str(today - entry.day)})
    return None


@derived
def threads_by_id(world: World) -> Mapping[str, Thread]:
    """Return the world's threads by id."""
    return {thread.id: thread for thread in world.threads}


@derived
def _talks_of_two(world: World) -> Mapping[frozenset[str], Sequence[LogEntry]]:
    found: dict[frozenset[str], list[LogEntry]] = {}
    for entry in reversed(world.log):
        if len({*entry.invited}) == 2 and not entry.is_summary:
            found.setdefault(frozenset(entry.invited), []).append(entry)
    return found


def is_talk(world: World, kind: str) -> bool:
    """Return whether a type is a talk: sequential, no event."""
    found = world.scene_types.get(kind)
    return kind != EVENT and found is not None and found.is_turn_by_turn


def _meeting_bar(world: World, day: DaySoFar) -> Reason | None:
    settings = world.settings.day
    if (day.types + day.to_come).count(MEETING) >= settings.meetings:
        return Reason("meetings", 0.0, "bar_meetings", {"most": str(settings.meetings)})
    if day.meeting_days >= settings.meeting_days:
        return Reason("meeting_days", 0.0, "bar_meeting_days", {"most": str(settings.meeting_days)})
    return None


def _run(values: Sequence[object], place: int) -> int:
    return 1 + _count(values[place], values[:place][::-1]) + _count(values[place], values[place + 1 :])


def _count(value: object, others: Iterable[object]) -> int:
    count = 0
    for other in others:
        if other != value:
            break
        count += 1
    return count


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
    weighed = sorted(weigh_candidates(candidates, world, seed, day), key=lambda item: -item.score)
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


def weigh_candidates(candidates: Sequence[Candidate], world: World, seed: int, day: DaySoFar) -> list[Candidate]:
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
