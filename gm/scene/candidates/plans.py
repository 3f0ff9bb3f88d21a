"""Whom people mean to talk to today."""

from __future__ import annotations

from collections.abc import Iterator

from gm.model.character import Agent
from gm.model.scene import Candidate
from gm.model.world import World
from gm.scene.attendance import attending
from gm.scene.mentions import mentioned
from gm.scene.places import talk_place
from gm.scene.score import reason

ONE_SIDED = 0.8
"""How strongly a wish to talk counts that the other one does not share."""


def from_plans(world: World, time: str) -> Iterator[Candidate]:
    """Propose the talks that people have planned; those who were alone together today have had theirs."""
    here = attending(world)
    met = {frozenset(entry.participants) for entry in world.scenes_of(world.clock.day)}
    wishes = {name: _wishes(world, world.agents[name]) for name in here}
    for name, planned in wishes.items():
        for other, item in planned.items():
            if other in here and frozenset((name, other)) not in met:
                shared = name in wishes[other]
                yield _talk(world, world.agents[name], world.agents[other], item, time, shared=shared)


def _wishes(world: World, agent: Agent) -> dict[str, str]:
    """Give the first item of a plan about each other person that the plan puts first in one."""
    found: dict[str, str] = {}
    for item in agent.state.today_plan:
        named = [other for other in mentioned(item, world.agents.values()) if other != agent.id]
        if named and not item.startswith("DONE"):
            found.setdefault(named[0], item)
    return found


def _talk(world: World, one: Agent, two: Agent, item: str, time: str, *, shared: bool) -> Candidate:
    told = {"who": one.call_name, "other": two.call_name, "plan": item, "shared": "1" if shared else ""}
    return Candidate(
        type="ENCOUNTER",
        cast=(one.id, two.id),
        place=talk_place(world, one, two, time),
        reasons=(reason(world, "plan", 1.0 if shared else ONE_SIDED, **told),),
        premise=("premise_visit", {"one": one.call_name, "two": two.call_name}),
        intent=item,
    )
