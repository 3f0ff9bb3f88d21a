"""Day 0 of a world, from its ``gm.yaml``."""

from __future__ import annotations

from typing import Any

from gm.base.config import Settings


def first_clock(settings: Settings) -> dict[str, Any]:
    """Return the ``world.json`` of day 0."""
    return {
        "day": 0,
        "day_of_week": "",
        "time_of_day": "evening",
        "scenes_today": 0,
        "scenes_total": 0,
        "scheduled_events": [dict(event) for event in settings.start.events],
        "active_briefs": [" ".join(settings.start.brief.split())] if settings.start.brief else [],
        "artifacts_today": [],
        "studio_status": settings.start.status,
        "day_open": False,
    }


def first_bulletin(settings: Settings) -> dict[str, Any]:
    """Return the ``bulletin.json`` of day 0, with the first brief."""
    brief = " ".join(settings.start.brief.split())
    posts = [{"from": settings.outside, "day": 0, "scene": 0, "type": "brief", "content": brief}]
    return {"posts": posts if brief else [], "team_decisions": []}
