"""``gm advance-day``: play days, showing each scene as it lands."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from enum import Enum, auto
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from gm.base import plugins
from gm.base.config import DIRECTORS
from gm.base.errors import GmError, UsageError
from gm.cli import complete, options
from gm.cli.commands import Output, examples, played_by_hand, telling_what_is_awaited, world_command
from gm.cli.streams import OutputError
from gm.files.commits.lock import refuse_held
from gm.files.layout import Layout

if TYPE_CHECKING:
    from gm.cli.playing.events import EventView
    from gm.cli.playing.show import DayView
    from gm.llm.choose import Choice
    from gm.play.master import DayResult
    from gm.play.report import Report
    from gm.play.review import Review
    from gm.play.table import DayOptions

    RunView = DayView | EventView


class WhenAwaited(Enum):
    """What the command does when answers are awaited."""

    WATCH = auto()
    ANSWER = auto()
    LEAVE = auto()


class Exclusion(NamedTuple):
    """Two options that do not go together, and why; ``unless`` is an option with which they do."""

    one: str
    other: str
    why: str
    unless: str = ""


EXCLUSIONS = (
    Exclusion("events", "as_json", "an event is a document of its own"),
    Exclusion("events", "dry_run", "a dry run plays nothing; its forecast has --json"),
    Exclusion("interactive", "dry_run", "a dry run asks no model: there is nothing to review"),
    Exclusion("scenes", "dry_run", "a forecast is for whole days"),
    Exclusion("scenes", "interactive", "there, quit leaves the day open"),
    Exclusion(
        "interactive",
        "watch",
        "without it the command leaves when answers are awaited; run again, it goes on with those that are there",
        unless="events",
    ),
    Exclusion("interactive", "people", "who plays a character knows no more than that character"),
)


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The options of a run."""

    days: int
    watch: bool
    dry_run: bool
    director: str | None
    script: Path | None
    interactive: bool
    scenes: int | None
    people: tuple[str, ...]
    events: bool
    focus: str
    model: str | None
    seed: int | None
    commit: bool | None
    batch: bool
    as_json: bool

    def day_options(self) -> DayOptions:
        """Return what playing and forecasting take alike."""
        from gm.play.directors import Direction

        direction = Direction(self.director or "", self.script, self.focus)
        return {"seed": self.seed, "batch": self.batch, "direction": direction}


@world_command(
    "advance-day",
    epilog=examples("gm advance-day --days 5 --commit", "gm advance-day --model claude-sonnet-5 --dry-run"),
)
@click.option(
    "--days", metavar="N", type=click.IntRange(min=1), default=1, show_default=True, help="Number of days to play."
)
@click.option("--watch", is_flag=True, help="Wait for answers from outside instead of exiting with code 75.")
@click.option("--dry-run", is_flag=True, help="Ask no model: rehearse the run in a copy and show what it would cost.")
@click.option(
    "--director",
    type=complete.OneOfOrAdded(DIRECTORS, plugins.DIRECTORS),
    help="Who chooses the scenes; default: gm.yaml.",
)
@click.option(
    "--script",
    type=click.Path(exists=True, dir_okay=False, resolve_path=True, path_type=Path),
    help="Play each day by this script.",
)
@click.option("--interactive", is_flag=True, help="Review each scene before it lands, and decide what comes next.")
@click.option("--scenes", metavar="N", type=click.IntRange(min=1), help="Stop after N scenes and leave the day open.")
@options.people
@click.option("--events", is_flag=True, help="Write events for other programs, one JSON object per line.")
@click.option("--focus", default="", type=complete.AGENT, help="Play more scenes with this character.")
@options.model_and_seed
@click.option("--commit/--no-commit", default=None, help="Make a git commit for each day; default: git.commit.")
@click.option("--batch", is_flag=True, help="Send requests that can wait as a batch: cheaper, answered within a day.")
def advance_day(layout: Layout, as_json: bool, **given: Any) -> Output:
    """Play the next day, or continue an interrupted one.

    Everything is written as it happens. Stop at any time: the same command goes on where it stopped, and no
    question that was answered is asked again. With --batch it stops with exit code 75 while a batch is under way. With
    --dry-run, see calls, tokens and price beforehand. With --interactive, each scene waits for a key, or for a line of
    standard input; ? or help lists what there is. With --events, another program can follow the run and decide.

    With --as, you answer for a character, and the model for all others: in a form on the terminal, else in the mailbox
    (exit code 75, or --watch); gm mailbox and the pages of gm view show what is asked. What you answered is found again
    by a run with the same --as; without it, the model is asked for what has not landed yet.
    """
    from gm.api.history.lost import describe_missing
    from gm.api.playing.days import play_days
    from gm.api.playing.mailbox import unused_answers

    run = RunOptions(as_json=as_json, **given)
    _refuse_together(run)
    names = played_by_hand(layout, run.people, run.days)
    view, review = _open_view(run, names=() if run.dry_run else names)
    day_options = run.day_options()
    with view:
        if run.dry_run:
            return _show_forecast(
                layout, _choose_backend(layout, run.model, view, names, asking=False), run.days, day_options
            )
        refuse_held(layout.lock)
        report = _with_commits(layout, view, commit=run.commit)
        choice = _choose_backend(layout, run.model, view, names)
        _warn_of_price(layout, choice, run.days, day_options, view)
        for text in (*describe_missing(layout), *unused_answers(layout, choice)):
            view.notice(text)
        play = partial(
            play_days, layout, choice, report, run.days, command="gm advance-day", review=review, **day_options
        )
        here = bool(names) and not (run.as_json or run.events) and sys.stdin.isatty()
        awaited = WhenAwaited.WATCH if run.watch else WhenAwaited.ANSWER if here else WhenAwaited.LEAVE
        with telling_what_is_awaited(choice, run.as_json), closing(view):
            results = _play_while_read(layout, play, view, awaited)
        return _render_result(layout, choice, view, report, results)


def _refuse_together(run: RunOptions) -> None:
    if run.script and run.director not in (None, "script"):
        raise UsageError(f"--script FILE is a script, --director {run.director} is not", "leave one of them out")
    for one, other, why, unless in EXCLUSIONS:
        if getattr(run, one) and getattr(run, other) and not (unless and getattr(run, unless)):
            raise UsageError(f"{_flag_of(one)} does not go with {_flag_of(other)}", why)


def _flag_of(attribute: str) -> str:
    return next(one.opts[0] for one in click.get_current_context().command.params if one.name == attribute)


def _play_while_read(
    layout: Layout, play: Callable[[], list[DayResult]], view: RunView, awaited: WhenAwaited
) -> list[DayResult]:
    try:
        return _play_awaiting(layout, play, view, awaited)
    except OutputError as error:
        if error.is_unread:
            _tell_where_it_stands(layout)
        raise


def _tell_where_it_stands(layout: Layout) -> None:
    from gm.base.texts import counted
    from gm.cli.terminal import err
    from gm.files.story.now import load_clock

    clock = load_clock(layout)[0]
    if clock.day_open:
        scenes = counted(clock.scenes_today, "scene")
        err(f"The output was closed: day {clock.day} is open after {scenes}. The same command goes on.")
    else:
        err(f"The output was closed: no day is open. The same command begins day {clock.day + 1}.")


def _play_awaiting(
    layout: Layout, play: Callable[[], list[DayResult]], view: RunView, awaited: WhenAwaited
) -> list[DayResult]:
    from gm.api.playing.days import play_in_person, play_patiently

    if awaited is WhenAwaited.ANSWER:
        from gm.cli.playing.byhand import answer_here

        return play_in_person(play, partial(answer_here, layout, view.close))
    return play_patiently(layout, play, view.waiting, view.pause) if awaited is WhenAwaited.WATCH else play()


def _render_result(layout: Layout, choice: Choice, view: RunView, report: Report, results: list[DayResult]) -> Output:
    from gm.api.history.commits import CommittingReport

    if isinstance(report, CommittingReport) and not results:
        from gm.files.load import load_world

        report.catch_up(load_world(layout).world)
    view.finished(layout)
    commits = {"commits": report.commits} if isinstance(report, CommittingReport) else {}
    answered = {"backend": choice.backend.name, "model": choice.backend.model, "days": results}
    return Output(view.result, answered | commits)


def _choose_backend(
    layout: Layout, model: str | None, view: RunView, people: Sequence[str], *, asking: bool = True
) -> Choice:
    from gm.api.reports.models import choose_for

    choice = choose_for(layout, model, view.notice, view.writing, asking=asking, people=people)
    view.chosen(choice)
    return choice


def _with_commits(layout: Layout, view: RunView, *, commit: bool | None) -> Report:
    from gm.api.history.commits import DAY, NEVER, CommittingReport
    from gm.files.story.now import load_clock, load_settings

    settings = load_settings(layout)[0].git
    if commit is False or (commit is None and settings.commit == NEVER):
        return view
    chosen = replace(settings, commit=DAY) if settings.commit == NEVER else settings
    # what gm.yaml alone asks for runs no program that the world's own repository names
    report = CommittingReport(layout, view, chosen, runs_programs=commit is True)
    report.look_around(is_open=load_clock(layout)[0].day_open)
    return report


def _open_view(run: RunOptions, names: Sequence[str]) -> tuple[RunView, Review | None]:
    """Return who is shown the run, and who decides about it; ``names`` are played by hand."""
    from gm.play.interactive import Session
    from gm.play.review import StopAfter

    few = StopAfter(run.scenes) if run.scenes else None
    if run.events:
        from gm.cli.playing.events import EventView

        stream = EventView()
        return stream, Session(stream, resumes=True) if run.interactive else few
    if names and not run.as_json:
        from gm.cli.playing.byhand import OwnView

        return OwnView(names), few
    if not run.interactive:
        from gm.cli.playing.show import DayView

        return DayView(quiet=run.as_json), few
    from gm.cli.playing.interactive import TableView, Terminal, at_the_table

    view = TableView(quiet=run.as_json)
    person = at_the_table(view)
    return view, Session(person, resumes=isinstance(person, Terminal))


def _show_forecast(layout: Layout, choice: Choice, days: int, day_options: DayOptions) -> Output:
    from gm.api.playing.forecast.make import make_forecast
    from gm.api.playing.forecast.report import describe_forecast
    from gm.cli.inspecting.cost import show_forecast

    show = partial(show_forecast, batch=day_options.get("batch", False))
    return Output(show, describe_forecast(make_forecast(layout, choice, days, **day_options)))


def _warn_of_price(layout: Layout, choice: Choice, days: int, day_options: DayOptions, view: RunView) -> None:
    from gm.api.playing.forecast.make import make_forecast
    from gm.llm.choose import BACKENDS
    from gm.play.fitting import NoRoomError

    if choice.backend.name in BACKENDS:
        return
    try:
        view.forecast(make_forecast(layout, choice, days, **day_options))
    except NoRoomError:
        raise  # the run would end with the same
    except GmError as error:
        view.notice(f"no forecast: {error.message}")  # the run itself will say what is to be done
