"""Today's plans: talks, work, and visits to the library."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import islice

from gm.model.calendar import time_rank
from gm.model.derived import derived
from gm.model.scene import ENCOUNTER, LIBRARY, MEETING, WORK, Candidate, Premise, Reason
from gm.model.thread import Thread, time_of_day
from gm.model.world import Agent, World
from gm.scene.candidates.threads import thread_part, thread_reason
from gm.scene.grounding import mentions
from gm.scene.grounding.attendance import attending, gathering_place, in_house, work_place
from gm.scene.planning import wishes
from gm.scene.planning.events import deadlines_ahead
from gm.scene.planning.marks import is_struck
from gm.scene.planning.plan_items import task_at_hand
from gm.scene.planning.plans import EVERYONE
from gm.scene.planning.schedule import is_pressing, least_left, will_be_alone
from gm.scene.score import reason
from gm.scene.threads.appointments import order_of, part_of_day, people_of, to_come

ONE_SIDED = 0.8
"""Measure of a planned talk that the other one has not planned."""

ON_TIME = 1.5
"""Measure of a talk at a time of day that one of them has named."""
ARRANGED = 2.5
"""Measure of a talk that is due and that both have planned, or at a clock time and a place, or that came to nothing the
day before: more than work that presses."""
ARRANGED_NOW = "arranged"
"""Value of the reason of such a talk."""
ORDER = 0.1
"""Part of its measure that a talk loses for each open one before it in the plan."""
PAIR, WORK_CAST = 2, 3
"""Most characters of a work scene that the Director proposes: two, and a third where some still need company."""
COMPANY = THERE, NAMED, ALONE = ("there", "named", "alone")
"""A guest is in the room already, names the other in its plan, or has had no company today."""
DAYS_AHEAD = 5
"""Days before a deadline in which work for it presses."""
UNPLANNED = 0.4
"""Measure of work that the plan does not name."""
UNTOUCHED = 0.4
"""Measure of a deadline for work that shares no word with it."""

PlannedTalks = Mapping[str, Sequence[wishes.PlannedTalk]]  # by character: the open talks of its plan


def propose(world: World, time: str) -> Iterator[Candidate]:
    """Yield the talks, work and visits in today's plans."""
    talks = {name: wishes.talks_of(world, name) for name in world.agents}
    yield from _talks(world, talks, time)
    yield from _works(world, time)
    yield from _visits(world)


def is_planned_for_now(item: Candidate) -> bool:
    """Return whether a candidate is a planned talk, which goes before candidates that were not arranged."""
    return any(reason.part == "plan" and ARRANGED_NOW in reason.values for reason in item.reasons)


def _talks(world: World, talks: PlannedTalks, time: str) -> Iterator[Candidate]:
    here = attending(world)
    for name in here:
        for place, talk in enumerate(talks[name]):
            if talk.other == EVERYONE:
                yield from _call(world, world.agents[name], talk, time)
            elif talk.other in here and not _has_met(world, name, talk):
                back = next((back for back in talks[talk.other] if back.other == name), None)
                yield _talk(world, world.agents[name], talk, back, time, place)


def _has_met(world: World, name: str, talk: wishes.PlannedTalk) -> bool:
    # For a talk with a time, only meetings from that time on count.
    since = time_rank(time_of_day(talk.time)) if talk.time else 0
    return any(
        {*entry.invited} == {name, talk.other} and time_rank(entry.time_of_day) >= since
        for entry in world.scenes_of(world.clock.day)
    )


def _talk(
    world: World, one: Agent, talk: wishes.PlannedTalk, back: wishes.PlannedTalk | None, time: str, place: int
) -> Candidate:
    two, shared = world.agents[talk.other], back is not None
    named = {time_of_day(each.time) for each in (talk, back) if each}
    is_arranged = talk.is_due(time) and (
        (back is not None and back.is_due(time)) or talk.is_fixed or wishes.was_planned_in_vain(world, one.id, two.id)
    )
    usual = (ON_TIME if time in named else 1.0) * (1.0 if shared else ONE_SIDED)
    measure = (ARRANGED if is_arranged else usual) * (1 - ORDER * place)
    values = {"who": one.call_name, "other": two.call_name, "plan": talk.item, "shared": "1" if shared else ""}
    if is_arranged:
        values[ARRANGED_NOW] = "1"
    return Candidate(
        type=ENCOUNTER,
        cast=(one.id, two.id),
        place=mentions.meeting_place(world, talk.place or talk.item, one, two, time),
        reasons=(reason(world, "plan", measure, **values), *_explain_against(world, one, talk, time)),
        premise=("premise_visit", {"one": one.call_name, "two": two.call_name}),
        intent=talk.item,
        clock=talk.clock if talk.is_due(time) else "",
    )


def _call(world: World, one: Agent, talk: wishes.PlannedTalk, time: str) -> Iterator[Candidate]:
    others = [name for name in mentions.everyone(world) if name != one.id]
    kind = mentions.choose_type(world, (MEETING, ENCOUNTER), len(others) + 1)
    is_called = talk.is_fixed and talk.is_due(time)
    if is_called and any(order_of(world, due) < talk.minute for due in to_come(world)):
        return  # all are needed, and some are expected elsewhere before
    if others and not mentions.starts_today(world, kind, one.id):
        values = {"who": one.call_name, "other": "", "plan": talk.item, "shared": ""}
        if is_called:
            values[ARRANGED_NOW] = "1"
        agreed = [due.id for due in to_come(world) if is_called and _is_same_hour(world, due, one.id, talk)]
        reasons = [reason(world, "plan", ARRANGED if is_called else ONE_SIDED, **values)]
        if agreed:
            reasons.append(Reason("appointment", world.settings.weights.appointment, "", {}))
        yield Candidate(
            type=kind,
            cast=(one.id, *others),
            place=mentions.find_mentioned_place(world, talk.place or talk.item) or gathering_place(world),
            reasons=(*reasons, *_explain_against(world, one, talk, time)),
            premise=("premise_call", {"one": one.call_name}),
            intent=talk.item,
            answers=tuple(agreed),
            clock=talk.clock if talk.is_due(time) else "",
        )


def _is_same_hour(world: World, thread: Thread, name: str, talk: wishes.PlannedTalk) -> bool:
    # with one of those who are called
    is_there = thread.place in ("", talk.place)
    return is_there and name in people_of(world, thread) and order_of(world, thread) == talk.minute


def _explain_against(world: World, agent: Agent, talk: wishes.PlannedTalk, time: str) -> Iterator[Reason]:
    if not talk.is_due(time):
        yield reason(world, "later", -1.0, "why_later_planned", who=agent.call_name)
    if talk.shows and wishes.is_unready(world, agent, shows=talk.shows):
        yield reason(world, "unready", -1.0, who=agent.call_name, plan=mentions.clip_words(talk.shows))


def _works(world: World, time: str) -> Iterator[Candidate]:
    for name in attending(world):
        agent = world.agents[name]
        times = mentions.starts_today(world, WORK, name)
        items = wishes.work_items(world, agent)
        planned = items[times : times + 1]
        intent = planned[0] if planned else task_at_hand(agent)
        main = reason(
            world,
            "work",
            (1.0 if planned else UNPLANNED) / (1 + times),
            "why_work" if planned else "why_work_unplanned",
            who=agent.call_name,
            plan=mentions.clip_words(intent),
        )
        place = work_place(world, agent)
        company = _company(world, agent, place, time)
        yield Candidate(
            type=WORK,
            cast=(name, *company),
            place=place,
            reasons=(main, *_explain_pressing(world, agent, intent), *_reasons_of_company(world, agent, company)),
            premise=("premise_work", {"one": agent.call_name}),
            intent=intent,
            premises=_premises_of_company(world, agent, company),
        )


def _explain_pressing(world: World, agent: Agent, intent: str) -> Iterator[Reason]:
    words = mentions.content_words(intent) - mentions.common_in_plans(world)
    pressing = []
    for left, event in deadlines_ahead(world, DAYS_AHEAD):
        named = {world.find_agent(name) for name in (*event.cast, event.lead)} - {None}
        if not named or agent.id in named:
            share = (1.0 if words & mentions.content_words(event.event) else UNTOUCHED) / (1 + left)
            pressing.append(reason(world, "deadline", share, event=mentions.clip_words(event.event), left=str(left)))
    yield from sorted(pressing, key=lambda item: -item.points)[:1]
    for brief in world.clock.active_briefs:
        if words & mentions.content_words(brief):
            several = len(world.clock.active_briefs) > 1
            yield reason(world, "assignment", 1.0, text=mentions.clip_words(brief, 50) if several else "")
            break
    for thread in world.threads:
        own = thread.is_open and thread.by == agent.id and thread.kind == "promise"
        if own and words & mentions.content_words(thread.text) and thread_part(world, thread) != "promise":
            yield thread_reason(world, thread, 0.5)
            break


def _company(world: World, agent: Agent, place: str, time: str) -> dict[str, str]:
    if not place or wishes.wants_no_company(world, agent):
        return {}
    found = {name: THERE for name in _sociable(world).get(place, ()) if name != agent.id}
    later = {name for one in to_come(world) if agent.id in (cast := people_of(world, one)) for name in cast}
    asked = (name for name in _who_plans_with(world, time).get(agent.id, ()) if _is_free(world, name, agent.id, time))
    found |= {name: NAMED for name in asked if name not in (*found, *later, agent.id)}
    most = PAIR
    if is_pressing(will_be_alone(world), left := least_left(world)):
        most, lonely = WORK_CAST, _find_alone(world)
        # if this may be the day's last scene, characters without company are invited even where others expect them
        may_come = (name for name in lonely if left <= 1 or _is_free(world, name, agent.id, time))
        more = (name for name in may_come if _is_sociable(world, name) and name not in (*found, agent.id))
        first = {name: how for name, how in found.items() if name in lonely}
        found = first | dict.fromkeys(islice(more, WORK_CAST), ALONE) | found
    return dict(islice(found.items(), most - 1))


def _is_free(world: World, name: str, host: str, time: str) -> bool:
    # a character that others expect at this time of day is not free, unless the host is one of them
    expecting = _expected_at(world, time).get(name, ())
    return _is_sociable(world, name) and (not expecting or host in expecting)


@derived
def _expected_at(world: World, time: str) -> Mapping[str, Set[str]]:
    """Return each character's partners in appointments and planned talks at a time of day."""
    found: dict[str, set[str]] = {}
    for one in to_come(world):
        if part_of_day(world, one) == time:
            cast = people_of(world, one)
            for name in cast:
                found.setdefault(name, set()).update({*cast} - {name})
    here = attending(world)
    for name in here:
        for talk in wishes.talks_of(world, name):
            is_now = time_of_day(talk.time) == time
            if is_now and talk.other in here and not _has_met(world, name, talk):
                found.setdefault(name, set()).add(talk.other)
    return found


@derived
def _sociable(world: World) -> Mapping[str, Mapping[str, None]]:
    found: dict[str, dict[str, None]] = {}
    for name in in_house(world):
        if not wishes.wants_no_company(world, world.agents[name]):
            found.setdefault(world.agents[name].state.position, {})[name] = None
    return found


def _is_sociable(world: World, name: str) -> bool:
    return name in _sociable(world).get(world.agents[name].state.position, ())


@derived
def _find_alone(world: World) -> Mapping[str, None]:
    return dict.fromkeys(will_be_alone(world))


@derived
def _who_plans_with(world: World, time: str) -> Mapping[str, Sequence[str]]:
    found: dict[str, list[str]] = {}
    for name, agent in world.agents.items():
        later = {talk.item for talk in wishes.talks_of(world, name) if not talk.is_due(time)}
        items = (item for item in agent.state.today_plan if not is_struck(item) and item not in later)
        for other in dict.fromkeys(other for item in items for other in mentions.mentioned_in(world, item)):
            found.setdefault(other, []).append(name)
    return found


def _reasons_of_company(world: World, agent: Agent, company: Mapping[str, str]) -> Iterator[Reason]:
    for how in COMPANY:
        names = ", ".join(world.agents[name].call_name for name in company if company[name] == how)
        if names:
            yield reason(world, "company", 1.0, f"why_company_{how}", names=names, who=agent.call_name)


def _premises_of_company(world: World, agent: Agent, company: Mapping[str, str]) -> dict[str, Premise]:
    guests = {name: how for name, how in company.items() if how != THERE}
    premises: dict[str, Premise] = {
        name: ("own_company", {"who": agent.call_name, "how": how}) for name, how in guests.items()
    }
    if guests:
        premises[agent.id] = (
            "own_host",
            {"guests": [{"who": world.agents[name].call_name, "how": how} for name, how in guests.items()]},
        )
    return premises


def _visits(world: World) -> Iterator[Candidate]:
    if LIBRARY not in world.scene_types or not world.has_library:
        return
    visited = {
        name for entry in world.scenes_of(world.clock.day) if entry.type == LIBRARY for name in entry.participants
    }
    for name in attending(world):
        agent = world.agents[name]
        item = wishes.library_item(world, agent)
        if item and name not in visited:
            yield Candidate(
                type=LIBRARY,
                cast=(name,),
                place=world.settings.day.library or work_place(world, agent),
                reasons=(reason(world, "library", 1.0, who=agent.call_name, plan=mentions.clip_words(item)),),
                premise=("premise_library", {"one": agent.call_name}),
                topic=item.partition(": ")[2] or item,
                intent=item,
            )
