"""Play one world of a sweep, in a process or a worker of a cluster."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from gm.api.editing.board import put_up_brief
from gm.api.playing.mind.minds import SceneMinds
from gm.api.reports.cost import describe_cost
from gm.api.reports.models import choose_for
from gm.base.errors import BudgetError, GmError, WaitingError
from gm.files.experiments.sweeps.folder import Brief, SweepFolder, write_note
from gm.files.formats import disk
from gm.files.layout import Layout
from gm.files.load import load_world
from gm.files.questions.traces import TraceReader
from gm.files.story.now import load_clock, load_settings
from gm.play.master import run_days
from gm.play.report import Report
from gm.scene.grounding.attendance import coming_day, next_day
from gm.scene.pieces.waiting import BRIEF

COMMAND = "gm sweep"
DONE, FAILED, WAITING = "done", "failed", "waiting"


@dataclass(frozen=True, slots=True)
class Job:
    """A worker's task, as plain data that can be sent to other machines.

    Attributes:
        briefs: Story day and text; put up before that day.
        most_usd: For the whole run; None = its own budget.
    """

    out: str
    name: str
    last: int
    briefs: tuple[Brief, ...] = ()
    most_usd: float | None = None


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """The result of a run: done, failed or waiting (for external answers)."""

    name: str
    status: str
    error: str = ""
    hint: str = ""
    trace: str = ""


def play_run(job: Job) -> RunOutcome:
    """Play a world to the end of its last day; errors become outcomes.

    Nothing is played or asked twice, as the world records it.
    """
    folder = SweepFolder(Path(job.out))
    layout = folder.world(job.name)
    began = time.monotonic()
    try:
        _play(layout, job)
        return RunOutcome(job.name, DONE)
    except WaitingError as error:
        return RunOutcome(job.name, WAITING, _inside(error.message, layout), error.hint)
    except BudgetError as error:
        hint = error.hint if job.most_usd is None else f"{error.hint}; or give more with --max-usd"
        return RunOutcome(job.name, FAILED, _inside(error.message, layout), hint)
    except GmError as error:
        places = "; ".join(str(problem).split("\n")[0] for problem in error.problems[:3])
        message = f"{error.message}: {places}" if places else error.message
        return RunOutcome(job.name, FAILED, _inside(message, layout), error.hint)
    except Exception as error:
        # one world must not stop the others; cli shows the traceback
        import traceback

        message = f"a bug in gm: {type(error).__name__}: {error}"
        return RunOutcome(job.name, FAILED, _inside(message, layout), "please report it", traceback.format_exc())
    finally:
        before = disk.read_note(folder.seconds(job.name))
        spent = float(before.get("seconds", 0.0)) + time.monotonic() - began
        with suppress(GmError):  # e.g. a full disk: the outcome says what stopped the run
            write_note(folder.seconds(job.name), {"seconds": round(spent, 3)})


def is_done(layout: Layout, last: int) -> bool:
    """Return whether a world's last day has been played and closed."""
    clock, problems = load_clock(layout)
    return not problems and (clock.day > last or (clock.day == last and not clock.day_open))


def _play(layout: Layout, job: Job) -> None:
    choice = choose_for(layout, None)
    while not is_done(layout, job.last):
        _put_up(layout, job.briefs)
        days, most_usd = _days_at_once(layout, job), None
        if job.most_usd is not None:  # for the whole run: recomputed before each day
            days, most_usd = 1, max(0.0, job.most_usd - spent_before_today(layout))
        run_days(layout, choice, Report(), days, command=COMMAND, minds=SceneMinds, max_usd=most_usd)


def _days_at_once(layout: Layout, job: Job) -> int:
    world = load_world(layout).world
    closed = world.clock.day - world.clock.day_open
    coming = next_day(world, closed)
    stop = min((day for day, _ in job.briefs if day > coming), default=job.last + 1)
    days = 1
    while next_day(world, closed, days + 1) < stop:
        days += 1
    return days


def _put_up(layout: Layout, briefs: tuple[Brief, ...]) -> None:
    if not briefs:
        return
    world = load_world(layout).world
    if world.clock.day_open:
        return
    before, coming = world.clock.day, coming_day(world)
    for day, text in briefs:
        known = any(post.type == BRIEF and post.content == text and post.day == before for post in world.posts)
        if before < day <= coming and not known:
            put_up_brief(layout, text)


def spent_before_today(layout: Layout) -> float:
    """Return the US dollars of all days before the coming one."""
    settings, _ = load_settings(layout)
    clock, _ = load_clock(layout)
    traces = TraceReader(layout.traces, layout.asks)
    days = [day for day in traces.days() if day < clock.coming]
    return sum(float(describe_cost(traces, settings, day).totals.usd or 0.0) for day in days)


def _inside(message: str, layout: Layout) -> str:
    """Remove the sweep's location from a message."""
    return " ".join(message.replace(str(layout.root), ".").split())
