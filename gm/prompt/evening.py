"""What somebody is asked in the evening: their day in short, and an entry for their diary."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from gm.model.calendar import weekday
from gm.model.character import Agent
from gm.model.world import World
from gm.prompt.people import shown_name
from gm.prompt.render import Prompts, view
from gm.scene.evening import EVENING, Part, parts_of_day


def render_evening(prompts: Prompts, world: World, agent: Agent, remembered: Collection[str] | None) -> str:
    """Render the question for the entry of the open day.

    Args:
        prompts: The templates of the world.
        world: The world at the end of the day.
        agent: Who writes.
        remembered: Ids of the memories that the prompt shows anyway; None for somebody who has to ask for them.
    """
    day = world.clock.day
    return prompts.render(
        EVENING.template,
        now=view({"day": day, "weekday": weekday(day, world.settings.calendar.weekdays)}),
        me=view(
            {
                "id": agent.id,
                "name": agent.name,
                "call_name": agent.call_name,
                "mood": agent.state.mood,
                "plan": agent.state.today_plan,
            }
        ),
        scenes=[_part(prompts, world, agent, part) for part in parts_of_day(world, agent.id)],
        forgotten=[
            " ".join(node.description.split())
            for node in agent.stream
            if node.when.day == day and node.id not in (remembered or ())
        ],
        has_memories=remembered is not None,
    )


def _part(prompts: Prompts, world: World, agent: Agent, part: Part) -> Any:
    return view(
        {
            "time": prompts.words(f"time_{part.time}") if part.time else "",
            "place": " ".join(part.place.split()),
            "others": [shown_name(world, name) for name in part.others],
            "lines": [
                view({"name": shown_name(world, name), "mine": name == agent.id, "text": text})
                for name, text in part.lines
            ],
        }
    )
