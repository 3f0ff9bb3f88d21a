"""``gm advance-day``."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from gm.cli.options import json_option, model_options, world_option
from gm.cli.terminal import out_json
from gm.errors import GmError
from gm.store.layout import Layout

if TYPE_CHECKING:
    from gm.cli.show import DayView
    from gm.llm.choose import Choice


@click.command("advance-day")
@world_option
@click.option("--days", type=click.IntRange(min=1), default=1, show_default=True, help="How many days to play.")
@click.option("--dry-run", is_flag=True, help="Ask nobody: show what the run would take, by rehearsing it in a copy.")
@model_options
@json_option
def advance_day(layout: Layout, days: int, dry_run: bool, model: str | None, seed: int | None, as_json: bool) -> None:
    """Play the next day, or go on with an interrupted one.

    Everything is written as it happens. Stop it whenever you like: the same command goes on where it stopped, and no
    question that was answered is asked again. With --dry-run, see calls, tokens and price beforehand.
    """
    from gm.cli.show import DayView
    from gm.day.run import play_days
    from gm.tools.models import choose_for

    view = DayView(quiet=as_json)
    choice = choose_for(layout, model, view.notice, asking=not dry_run)
    view.chosen(choice)
    if dry_run:
        _forecast(layout, choice, days, seed, as_json=as_json)
        return
    _warn_of_price(layout, choice, days, seed, view)
    with view:
        results = play_days(layout, choice, view, days, command="gm advance-day", seed=seed)
    view.finished(layout, len(results))
    if as_json:
        played = [asdict(result) for result in results]
        out_json({"backend": choice.backend.name, "model": choice.backend.model, "days": played})


def _forecast(layout: Layout, choice: Choice, days: int, seed: int | None, *, as_json: bool) -> None:
    from gm.cli.forecast import show
    from gm.tools.forecast import describe_forecast, make_forecast

    document = describe_forecast(make_forecast(layout, choice, days, seed))
    if as_json:
        out_json(document)
    else:
        show(document)


def _warn_of_price(layout: Layout, choice: Choice, days: int, seed: int | None, view: DayView) -> None:
    """Say what a run is likely to take, if somebody is paid for it."""
    from gm.llm.choose import BACKENDS

    if choice.backend.name in BACKENDS:
        return
    from gm.cli.forecast import one_line
    from gm.tools.forecast import make_forecast

    try:
        view.forecast(one_line(make_forecast(layout, choice, days, seed)))
    except GmError as error:
        view.notice(f"no forecast: {error.message}")  # the run itself will say what is to be done
