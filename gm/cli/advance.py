"""``gm advance-day``."""

from __future__ import annotations

from typing import Any

import click

from gm.cli.options import json_option, model_options, world_option
from gm.cli.terminal import out_json
from gm.store.layout import Layout


@click.command("advance-day")
@world_option
@click.option("--days", type=click.IntRange(min=1), default=1, show_default=True, help="How many days to play.")
@model_options
@json_option
def advance_day(layout: Layout, days: int, model: str | None, seed: int | None, as_json: bool) -> None:
    """Play the next day, or go on with an interrupted one.

    Everything is written as it happens. Stop it whenever you like: the same command goes on where it stopped, and no
    question that was answered is asked again.
    """
    from gm.cli.show import DayView
    from gm.day.run import game_master
    from gm.tools.models import choose_for

    choice = choose_for(layout, model)
    view = DayView(quiet=as_json)
    view.chosen(choice)
    played: list[dict[str, Any]] = []
    with view, game_master(layout, choice, view, command="gm advance-day", seed=seed) as master:
        for _ in range(days):
            result = master.play_day()
            played.append(
                {
                    "day": result.day,
                    "scenes": result.scenes,
                    "memories": result.memories,
                    "artifacts": list(result.artifacts),
                }
            )
    view.finished(layout, len(played))
    if as_json:
        out_json({"backend": choice.backend.name, "model": choice.backend.model, "days": played})
