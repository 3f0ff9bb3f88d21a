"""What somebody has planned to look up."""

from __future__ import annotations

from collections.abc import Iterator

from gm.model.character import Agent
from gm.model.scene import Candidate
from gm.model.world import World
from gm.scene.attendance import attending
from gm.scene.candidates.people import clip
from gm.scene.places import work_place
from gm.scene.plans import is_done
from gm.scene.score import reason

LIBRARY = "LIBRARY"


def from_library(world: World, time: str) -> Iterator[Candidate]:  # noqa: ARG001
    """Propose a visit to the library for each plan that names one, once a day."""
    if LIBRARY not in world.scene_types or not world.has_library:
        return
    visited = {
        name for entry in world.scenes_of(world.clock.day) if entry.type == LIBRARY for name in entry.participants
    }
    for name in attending(world):
        agent = world.agents[name]
        item = library_item(world, agent)
        if item and name not in visited:
            yield Candidate(
                type=LIBRARY,
                cast=(name,),
                place=world.settings.day.library or work_place(world, agent),
                reasons=(reason(world, "library", 1.0, who=agent.call_name, plan=clip(item)),),
                premise=("premise_library", {"one": agent.call_name}),
                topic=item.partition(": ")[2] or item,
                intent=item,
            )


def library_item(world: World, agent: Agent) -> str:
    """Give the item of a plan that is for the library: the last one, when the plan of today is tagged with it."""
    for node in reversed(agent.stream):
        if node.when.day < world.clock.day:
            break
        if node.type == "plan" and "plan" in node.tags:
            item = agent.state.today_plan[-1] if "library" in node.tags and agent.state.today_plan else ""
            return "" if is_done(item) else item
    return ""
