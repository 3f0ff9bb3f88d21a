"""What a character means to do today: talks, work, a visit to the library.

The agent's file lists texts; the memory of the plan holds their details. An edited text has none.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from gm.base.config import TIMES_OF_DAY
from gm.base.untyped import objects_in, text_at
from gm.model.calendar import time_rank
from gm.model.derived import derived
from gm.model.logged import LogEntry
from gm.model.scene import ARRIVAL, REFLECTION, WORK
from gm.model.stream import since
from gm.model.thread import read_time, time_of_day
from gm.model.world import Agent, World
from gm.scene.grounding.attendance import absences_on
from gm.scene.grounding.common_reasons import SMALL_CIRCLE
from gm.scene.grounding.mentions import SAME_MATTER_WORDS, common_in_plans, content_words, mentioned_in, starts_today
from gm.scene.planning.marks import bare, is_struck
from gm.scene.planning.plans import EVERYONE, is_plan, plans_of_today

BOTH, AWAY = "both", "away"
"""Who was busy at the time of a talk: both, in a round of many; the other one, who is not there today."""


@dataclass(frozen=True, slots=True)
class PlannedTalk:
    """A planned talk.

    Attributes:
        other: Id of the other one; ``EVERYONE`` = all.
        time: A time of day, or a clock time such as 15:00; empty = any.
        place: As the character said it; may be no place at all.
    """

    item: str
    other: str
    time: str = ""
    place: str = ""
    shows: str = ""

    @property
    def clock(self) -> str:
        return "" if self.time in TIMES_OF_DAY else self.time

    @property
    def minute(self) -> int:
        """Minute of the day of its clock time; 0 without one."""
        hours, _, minutes = (self.clock or "0:0").partition(":")
        return 60 * int(hours) + int(minutes)

    @property
    def is_fixed(self) -> bool:
        """Whether it has a clock time and a place."""
        return bool(self.clock and self.place)

    def is_due(self, time: str) -> bool:
        """Return whether it may be held at a time of day."""
        return not self.time or time_rank(time_of_day(self.time)) <= time_rank(time)


@derived
def talks_of(world: World, name: str) -> tuple[PlannedTalk, ...]:
    """Return the open talks of a character's plan, one with each of the others."""
    found: dict[str, PlannedTalk] = {}
    agent = world.agents[name]
    details = _details(world, agent)
    for item in agent.state.today_plan:
        talk = None if is_struck(item) else _read_talk(world, agent, item, details)
        if talk is not None:
            found.setdefault(talk.other, talk)
    return tuple(found.values())


@derived
def times_wanted(world: World) -> Mapping[frozenset[str], str]:
    """Return the times of day of today's talks that both have planned, or one at a clock time and a place, by pair.

    One for each two, struck off or not.
    """
    found: dict[frozenset[str], str] = {}
    planned = {name: _all_talks(world, agent) for name, agent in world.agents.items()}
    for name, talks in planned.items():
        for talk in talks:
            is_shared = any(back.other == name for back in planned.get(talk.other, ()))
            if talk.time and (is_shared or talk.is_fixed):
                found.setdefault(frozenset((name, talk.other)), time_of_day(talk.time))
    return found


@dataclass(frozen=True, slots=True)
class PassedTalk:
    """A planned talk whose time is over.

    Attributes:
        other: Id of the one to talk to.
        who: The one of the two who was busy then; ``BOTH`` = they were in one round of many; ``AWAY`` = the other one
            is not there today; empty = each was alone.
        company: Ids of the others who take part.
    """

    other: str
    who: str = ""
    company: tuple[str, ...] = ()
    place: str = ""


def passed_talks(
    world: World, agent: Agent, now: str, clock: str = "", present: Collection[str] = ()
) -> Mapping[str, PassedTalk]:
    """Return planned talks for a time before ``now``, not held, by their texts without marks.

    Whether a talk with a character met today was held, the character knows itself, and so with one to ``EVERYONE``;
    with one who is ``present`` it may still be held.

    Args:
        now: Time of day.
        clock: Clock time of the coming scene, if it has one.
    """
    today = world.scenes_of(world.clock.day)
    latest = max(clock, *(entry.clock for entry in today), "")
    return {
        talk.item: _instead_of(world, agent.id, talk)
        for talk in _all_talks(world, agent)
        if _is_over(talk, now, latest)
        and talk.other not in {*present, EVERYONE}
        and not any(_meetings(world, world.clock.day, agent.id, talk.other))
    }


def _is_over(talk: PlannedTalk, now: str, latest: str) -> bool:
    part = time_of_day(talk.time)
    is_earlier = bool(part) and time_rank(part) < time_rank(now)
    return is_earlier or bool(talk.clock and part == now and talk.clock < latest)


def _meetings(world: World, day: int, one: str, other: str) -> Iterator[LogEntry]:
    # A round of many is not such a meeting.
    for entry in world.scenes_of(day):
        is_small = len(entry.participants) <= SMALL_CIRCLE and entry.type != ARRIVAL
        if is_small and {one, other} <= {*entry.participants}:
            yield entry


def _instead_of(world: World, name: str, talk: PlannedTalk) -> PassedTalk:
    if talk.other in absences_on(world, world.clock.day):
        return PassedTalk(talk.other, AWAY)
    then = [
        entry
        for entry in world.scenes_of(world.clock.day)
        if entry.time_of_day == time_of_day(talk.time) and entry.type not in (ARRIVAL, REFLECTION)
    ]
    for who, missed in ((talk.other, name), (name, talk.other)):
        for entry in then:
            if who in entry.participants and missed not in entry.participants:
                company = tuple(one for one in entry.participants if one != who)
                return PassedTalk(talk.other, who, company, entry.place)
    rounds = (entry for entry in then if {name, talk.other} <= {*entry.participants})
    if together := next(rounds, None):
        return PassedTalk(talk.other, BOTH, (), together.place)
    return PassedTalk(talk.other)


def was_planned_in_vain(world: World, one: str, other: str) -> bool:
    """Return whether a character had planned a talk on the last day, in vain."""
    before = next((entry.day for entry in reversed(world.log) if entry.day < world.clock.day), 0)
    planned = (node for node in since(world.agents[one].stream, before) if node.when.day == before and is_plan(node))
    is_planned = any(other in node.tags for node in planned)
    return is_planned and not any(
        _have_talked(world, entry, one, other) for entry in _meetings(world, before, one, other)
    )


def _have_talked(world: World, entry: LogEntry, one: str, other: str) -> bool:
    # Where all act at once, only those who speak to each other do.
    kind = world.scene_types.get(entry.type)
    is_talk = kind is None or kind.is_turn_by_turn
    return is_talk or any({turn.agent, line.to} == {one, other} for turn in entry.turns for line in turn.lines)


@derived
def talks_of_two(world: World) -> frozenset[frozenset[str]]:
    """Return the pairs who both planned to talk today, in any plan of the day, struck off or not."""
    named = {name: _named_in_plans(world, agent) for name, agent in world.agents.items()}
    return frozenset(
        frozenset((name, other)) for name, others in named.items() for other in others if name in named.get(other, ())
    )


def _named_in_plans(world: World, agent: Agent) -> set[str]:
    # A plan that is replaced does not make the day shorter.
    items = (item for node in plans_of_today(world, agent) for item in objects_in(node.metadata.get("items")))
    replaced = {world.find_agent(text_at(item, "with")) or "" for item in items}
    return {talk.other for talk in _all_talks(world, agent)} | (replaced - {"", agent.id})


def _all_talks(world: World, agent: Agent) -> list[PlannedTalk]:
    details = _details(world, agent)
    found = (_read_talk(world, agent, bare(item), details) for item in agent.state.today_plan)
    return [talk for talk in found if talk is not None]


def _read_talk(
    world: World, agent: Agent, item: str, details: Mapping[str, Mapping[str, object]]
) -> PlannedTalk | None:
    known = details.get(item, {})
    said = text_at(known, "with")
    if said == EVERYONE:
        other = EVERYONE
    else:
        named = (world.find_agent(said) or "", *mentioned_in(world, item))
        other = next((name for name in named if name not in ("", agent.id)), "")
    if not other:
        return None
    time, place = read_time(text_at(known, "time")), text_at(known, "place")
    return PlannedTalk(item, other, time, place, _work_number(known.get("shows"), details))


def _details(world: World, agent: Agent) -> dict[str, Mapping[str, object]]:
    made = plans_of_today(world, agent)
    return {text_at(one, "text"): one for one in objects_in(made[-1].metadata.get("items"))} if made else {}


def _work_number(number: object, details: Mapping[str, Mapping[str, object]]) -> str:
    work = [text for text, one in details.items() if one.get("kind") == "work"]
    return work[number - 1] if isinstance(number, int) and 0 < number <= len(work) else ""


def wants_no_company(world: World, agent: Agent) -> bool:
    """Return whether a plan wants no company today."""
    made = plans_of_today(world, agent)
    return bool(made) and made[-1].metadata.get("alone") is True


def work_items(world: World, agent: Agent) -> list[str]:
    """Return a plan's open items, without talks and library."""
    looked_up = library_item(world, agent)
    talks = {talk.item for talk in talks_of(world, agent.id)}
    return [
        item
        for item in agent.state.today_plan
        if not is_struck(item)
        and item != looked_up
        and item not in talks
        and not any(other != agent.id for other in mentioned_in(world, item))
    ]


def library_item(world: World, agent: Agent) -> str:
    """Return today's item for the library, or ""."""
    for node in reversed(agent.stream):
        if node.when.day < world.clock.day:
            break
        if node.type == "plan" and "plan" in node.tags:
            item = agent.state.today_plan[-1] if "library" in node.tags and agent.state.today_plan else ""
            return "" if is_struck(item) else item
    return ""


def is_unready(world: World, agent: Agent, *, shows: str = "", promise: str = "") -> bool:
    """Return whether a character is to show work not begun today.

    Args:
        shows: The item of work that a planned talk is to show.
        promise: The text of its promise that a talk is about.
    """
    if starts_today(world, WORK, agent.id):
        return False
    items = work_items(world, agent)
    if shows and any(bare(item) == bare(shows) for item in items):
        return True
    words = content_words(promise) - common_in_plans(world)
    return any(len(words & content_words(item)) >= SAME_MATTER_WORDS for item in items)
