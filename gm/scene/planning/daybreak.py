"""Open the next played day."""

from __future__ import annotations

from gm.model.calendar import weekday
from gm.model.world import Change, World
from gm.scene.grounding.attendance import next_day


def open_day(world: World) -> Change:
    """Return the change that opens the next played day; without ``plans.enabled`` it clears what was planned.

    Raises:
        GmError: The calendar leaves no day to play.
    """
    day = next_day(world)
    planned = [] if world.settings.plans.enabled else [one for one in world.agents.values() if one.state.today_plan]
    return Change(
        day=day,
        agents={one.id: {"today_plan": []} for one in planned},
        clock={
            "day": day,
            "day_of_week": weekday(day, world.settings.calendar.weekdays),
            "time_of_day": "morning",
            "scenes_today": 0,
            "artifacts_today": [],
            "day_open": True,
        },
    )
