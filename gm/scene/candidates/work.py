"""What people want to get done: the pieces of work in their plans, and when these are through, what they sit at."""

from __future__ import annotations

from collections.abc import Iterator

from gm.model.character import Agent, find_agent
from gm.model.scene import Candidate, Reason
from gm.model.world import World
from gm.scene.attendance import attending, in_house
from gm.scene.candidates.library import library_item
from gm.scene.candidates.people import clip, nearest_in_mind, starts_today
from gm.scene.candidates.threads import thread_part, thread_reason
from gm.scene.mentions import common_words, content_words, mentioned
from gm.scene.places import work_place
from gm.scene.schedule import deadlines_ahead
from gm.scene.score import reason

WORK_CAST = 3
DAYS_AHEAD = 5
UNPLANNED = 0.4
"""How strongly it counts that somebody goes on with what the plan does not name."""
UNTOUCHED = 0.4
"""How strongly a deadline counts for work that shares no word with it."""


def from_work(world: World, time: str) -> Iterator[Candidate]:  # noqa: ARG001
    """Propose for each one the piece of work that comes next in the plan; the more often today, the less it counts."""
    for name in attending(world):
        agent = world.agents[name]
        times = starts_today(world, "WORK", name)
        items = work_items(world, agent)
        planned = items[times : times + 1]
        intent = planned[0] if planned else agent.state.current_task
        main = reason(
            world,
            "work",
            (1.0 if planned else UNPLANNED) / (1 + times),
            "why_work" if planned else "why_work_unplanned",
            who=agent.call_name,
            plan=clip(intent),
        )
        place = work_place(world, agent)
        company, why = _company(world, agent, intent, place)
        yield Candidate(
            type="WORK",
            cast=(name, *company),
            place=place,
            reasons=(main, *_pressing(world, agent, intent), *why),
            premise=("premise_work", {"one": agent.call_name}),
            intent=intent,
        )


def work_items(world: World, agent: Agent) -> list[str]:
    """List the items of a plan that are work: not done, about nobody else, and not for the library."""
    looked_up = library_item(world, agent)
    return [
        item
        for item in agent.state.today_plan
        if not item.startswith("DONE")
        and item != looked_up
        and not any(other != agent.id for other in mentioned(item, world.agents.values()))
    ]


def _pressing(world: World, agent: Agent, intent: str) -> Iterator[Reason]:
    """What presses for this piece of work: a deadline, an active brief, a promise of the one who does it."""
    words = content_words(intent) - common_words(" ".join(one.state.today_plan) for one in world.agents.values())
    pressing = []
    for left, event in deadlines_ahead(world, DAYS_AHEAD):
        named = {find_agent(world.agents, name) for name in (*event.cast, event.lead)} - {None}
        if not named or agent.id in named:
            share = (1.0 if words & content_words(event.event) else UNTOUCHED) / (1 + left)
            pressing.append(reason(world, "deadline", share, event=clip(event.event), left=str(left)))
    yield from sorted(pressing, key=lambda item: -item.points)[:1]
    for brief in world.clock.active_briefs:
        if words & content_words(brief):
            several = len(world.clock.active_briefs) > 1
            yield reason(world, "assignment", 1.0, text=clip(brief, 50) if several else "")
            break
    for thread in world.threads:
        own = thread.is_open and thread.by == agent.id and thread.kind == "promise"
        if own and words & content_words(thread.text) and thread_part(world, thread) != "promise":
            yield thread_reason(world, thread, 0.5)
            break


def _company(world: World, agent: Agent, intent: str, place: str) -> tuple[tuple[str, ...], tuple[Reason, ...]]:
    """Who sits in the same room, and why: those who are there already, then those who are at something related."""
    here = [name for name in in_house(world) if name != agent.id]
    if not place:
        return (), ()
    there = [name for name in here if world.agents[name].state.position == place]
    near = nearest_in_mind(world, intent, [name for name in here if name not in there])
    related = [name for shared, name in near if shared]
    company = (*there, *related)[: WORK_CAST - 1]
    why = tuple(
        reason(world, "company", 1.0, phrase, names=", ".join(world.agents[name].call_name for name in names))
        for phrase, names in (
            ("why_company_there", [name for name in company if name in there]),
            ("why_company_related", [name for name in company if name not in there]),
        )
        if names
    )
    return company, why
