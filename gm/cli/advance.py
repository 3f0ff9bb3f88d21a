"""``gm advance-day``: play days, showing each scene as it lands."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

import click

from gm.base import plugins
from gm.base.config import DIRECTORS
from gm.base.errors import GmError, UsageError
from gm.cli import complete, options
from gm.cli.commands import Answer, examples, read_world, telling_what_is_awaited, untold, world_command
from gm.files.layout import Layout

if TYPE_CHECKING:
    from gm.api.forecast.make import Forecast
    from gm.cli.show import DayView
    from gm.llm.choose import Choice
    from gm.play.directors import Direction
    from gm.play.master import DayResult
    from gm.play.report import Report
    from gm.play.table import Review


@world_command(
    "advance-day",
    epilog=examples("gm advance-day --days 5 --commit", "gm advance-day --model claude-sonnet-5 --dry-run"),
)
@click.option(
    "--days", metavar="N", type=click.IntRange(min=1), default=1, show_default=True, help="How many days to play."
)
@click.option("--watch", is_flag=True, help="Wait for answers from outside instead of leaving with exit code 75.")
@click.option("--dry-run", is_flag=True, help="Ask no model: show what the run would take, by rehearsing it in a copy.")
@click.option(
    "--director",
    type=complete.OneOfOrAdded(DIRECTORS, plugins.DIRECTORS),
    help="Who chooses the scenes; default: gm.yaml.",
)
@click.option(
    "--script",
    type=click.Path(exists=True, dir_okay=False, resolve_path=True, path_type=Path),
    help="Play each day as this file says.",
)
@click.option("--interactive", is_flag=True, help="Read each scene before it lands, and say what happens next.")
@options.names(
    "--as", "people", of=complete.AGENTS, help="Play these yourself: asked here on a terminal, else by the mailbox."
)
@click.option(
    "--focus", default="", type=complete.AGENT, help="Whose day is expanded: more scenes with this character."
)
@options.model_and_seed
@click.option("--commit/--no-commit", default=None, help="Make a git commit for each day; default: git.commit.")
@click.option("--batch", is_flag=True, help="Send what can wait as a batch: cheaper, answered within a day.")
def advance_day(
    layout: Layout,
    days: int,
    watch: bool,
    dry_run: bool,
    director: str | None,
    script: Path | None,
    interactive: bool,
    people: tuple[str, ...],
    focus: str,
    model: str | None,
    seed: int | None,
    commit: bool | None,
    batch: bool,
    as_json: bool,
) -> Answer:
    """Play the next day, or go on with an interrupted one.

    Everything is written as it happens. Stop it whenever you like: the same command goes on where it stopped, and no
    question that was answered is asked again. With --batch it stops with exit code 75 while a batch is under way. With
    --dry-run, see calls, tokens and price beforehand. With --interactive, each scene waits for a key, or for a line of
    standard input; ? or help lists what there is.

    With --as, you answer for a character, and the model for all others: in a form on the terminal, else in the mailbox
    (exit code 75, or --watch); gm mailbox and the pages of gm view show what is asked. What you answered is found again
    by a run with the same --as; without it, the model is asked for what has not landed yet.
    """
    from gm.api.mind.minds import SceneMinds
    from gm.api.models import choose_for
    from gm.cli.show import DayView
    from gm.play.directors import Direction
    from gm.play.master import play_days

    if script and director not in (None, "script"):
        raise UsageError(f"--script FILE is a script, --director {director} is not", "leave one of the two away")
    names = _played_by_hand(layout, people)
    view: DayView = DayView(quiet=as_json)
    if names and not (as_json or dry_run):
        from gm.cli.byhand import OwnView

        view = OwnView(names)
    review: Review | None = None
    if interactive:
        view, review = _sit_down(watch=watch, dry_run=dry_run, quiet=as_json, by_hand=bool(names))
    report = view if dry_run else _with_commits(layout, view, commit=commit)
    choice = choose_for(layout, model, view.notice, view.writing, asking=not dry_run, people=names)
    view.chosen(choice)
    wish: _Wish = {"seed": seed, "batch": batch, "direction": Direction(director or "", script, focus)}
    if dry_run:
        from gm.api.forecast.describe import describe_forecast
        from gm.cli.cost import show_forecast

        return Answer(show_forecast, describe_forecast(_foresee(layout, choice, days, wish)))
    _warn_of_price(layout, choice, days, wish, view)
    play = partial(
        play_days,
        layout,
        choice,
        report,
        days,
        command="gm advance-day",
        review=review,
        minds=SceneMinds,
        **wish,
    )
    here = bool(names) and not as_json and sys.stdin.isatty()
    way = WATCHING if watch else IN_PERSON if here else LEAVING
    return _play(layout, choice, play, view, report, way=way, as_json=as_json)


WATCHING, IN_PERSON, LEAVING = "watching", "in person", "leaving"
"""What is done when answers are awaited."""


def _played_by_hand(layout: Layout, people: tuple[str, ...]) -> list[str]:
    from gm.model.character import known_agents

    return known_agents(read_world(layout, whole_streams=False).agents, people) if people else []


class _Wish(TypedDict):
    """How to play and forecast days."""

    seed: int | None
    batch: bool
    direction: Direction


def _play(
    layout: Layout,
    choice: Choice,
    play: Callable[[], list[DayResult]],
    view: DayView,
    report: Report,
    *,
    way: str,
    as_json: bool,
) -> Answer:
    from gm.api.history.commits import CommittingReport
    from gm.api.waiting import play_in_person, play_patiently
    from gm.cli.byhand import answer_here

    with telling_what_is_awaited(choice, as_json), view:
        if way == IN_PERSON:
            results = play_in_person(play, partial(answer_here, layout, view))
        else:
            results = play_patiently(layout, play, view.waiting) if way == WATCHING else play()
    if isinstance(report, CommittingReport) and not results:
        from gm.files.load import load_world

        report.catch_up(load_world(layout).world)
    view.finished(layout)
    commits = {"commits": report.commits} if isinstance(report, CommittingReport) else {}
    answered = {"backend": choice.backend.name, "model": choice.backend.model, "days": results}
    return Answer(untold, answered | commits)


def _with_commits(layout: Layout, view: DayView, *, commit: bool | None) -> Report:
    """Find out now whether days can be committed."""
    from dataclasses import replace

    from gm.api.history.commits import DAY, NEVER, CommittingReport
    from gm.files.load import load_clock, load_settings

    settings = load_settings(layout)[0].git
    if commit is False or (commit is None and settings.commit == NEVER):
        return view
    report = CommittingReport(layout, view, replace(settings, commit=DAY) if settings.commit == NEVER else settings)
    report.look_around(is_open=load_clock(layout)[0].day_open)
    return report


def _sit_down(*, watch: bool, dry_run: bool, quiet: bool, by_hand: bool) -> tuple[DayView, Review]:
    if watch:
        raise UsageError(
            "--interactive does not go with --watch",
            "without it the command leaves when answers are awaited; run again, it goes on with those that are there",
        )
    if by_hand:
        raise UsageError(
            "--interactive does not go with --as",
            "a person who plays a character knows no more than that character: leave one of the two away",
        )
    if dry_run:
        raise UsageError("--interactive does not go with --dry-run", "a dry run asks nobody: there is nothing to read")
    from gm.cli.interactive import TableView, at_the_table
    from gm.play.interactive import Session

    view = TableView(quiet=quiet)
    return view, Session(at_the_table(view))


def _foresee(layout: Layout, choice: Choice, days: int, wish: _Wish) -> Forecast:
    from gm.api.forecast.make import make_forecast

    return make_forecast(layout, choice, days, **wish)


def _warn_of_price(layout: Layout, choice: Choice, days: int, wish: _Wish, view: DayView) -> None:
    from gm.llm.choose import BACKENDS

    if choice.backend.name in BACKENDS:
        return
    from gm.cli.cost import one_line

    try:
        view.forecast(one_line(_foresee(layout, choice, days, wish)))
    except GmError as error:
        view.notice(f"no forecast: {error.message}")  # the run itself will say what is to be done
