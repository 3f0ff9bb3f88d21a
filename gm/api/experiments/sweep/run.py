"""Play a sweep: make its worlds, play those that are not done, write the table."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from gm.api.answers.document import as_json
from gm.api.experiments.evaluate.evaluation import MEASURES
from gm.api.experiments.sweep.compare import Experiment, compare_conditions
from gm.api.experiments.sweep.play import DONE, FAILED, WAITING, Job, RunOutcome, is_done
from gm.api.experiments.sweep.report import write_sweep_report
from gm.api.experiments.sweep.table import Row, figures_of, world_digest, write_tables
from gm.api.experiments.sweep.workers import play_in_processes, play_on_ray, require_ray
from gm.api.experiments.sweep.worlds import find_others, make_worlds
from gm.api.playing.forecast.make import Forecast, make_forecast
from gm.api.reports.models import choose_for
from gm.base.arguments import WrongValueError
from gm.base.config import BudgetSettings
from gm.base.errors import BrokenWorldError, GmError, UsageError
from gm.base.texts import counted, suggest
from gm.files.experiments.sweeps.folder import CONDITION, Sweep, SweepFolder, SweepRun, write_note
from gm.files.experiments.sweeps.text import SWEEP, parse_sweep
from gm.files.formats import disk
from gm.files.formats.text import read_text
from gm.files.layout import Layout, is_world
from gm.files.story.now import load_clock, load_settings
from gm.llm import choose

Play = Callable[[Sequence[Job], int, Callable[[RunOutcome], None]], None]
"""Plays jobs: these, the number of workers, and a callback for outcomes."""
BACKENDS: dict[str, Play] = {"processes": play_in_processes, "ray": play_on_ray}


class SweepCallbacks:
    """Callbacks of a sweep, which do nothing."""

    def begins(self, runs: int, done: int) -> None:
        """The worlds are made, and ``done`` of them are played already."""

    def expected(self, expectation: Expectation) -> None:
        """The expected cost of a paid model is known."""

    def ended(self, outcome: RunOutcome) -> None:
        """A run has ended."""


@dataclass(frozen=True, slots=True)
class SweepResult:
    """The result of a sweep.

    Attributes:
        rows: Of the table: the runs of the file, and those of earlier commands that differ in the varied values alone.
        seconds: Wall-clock, by run.
        experiment: Where its file names measures.
        left_out: Runs in the folder that are not in the table: made of other values, or not finished.
    """

    folder: SweepFolder
    rows: tuple[Row, ...]
    outcomes: Mapping[str, RunOutcome]
    seconds: Mapping[str, float]
    experiment: Experiment | None = None
    left_out: tuple[str, ...] = ()

    def count(self, status: str) -> int:
        """Return the number of runs with a status."""
        return sum(outcome.status == status for outcome in self.outcomes.values())

    def record(self) -> dict[str, Any]:
        """Return the result as a JSON document."""
        runs = []
        for row in self.rows:
            name = row["run"]
            path, hint = str(self.folder.world(name).root), self.outcomes[name].hint
            runs.append({**row, "path": path, "seconds": self.seconds[name], "hint": hint})
        counts = {status: self.count(status) for status in (DONE, FAILED, WAITING)}
        compared = {} if self.experiment is None else {"experiment": as_json(self.experiment)}
        return {
            "out": str(self.folder.root),
            "table": str(self.folder.table),
            "counts": counts,
            "runs": runs,
            **({"left_out": list(self.left_out)} if self.left_out else {}),
            **compared,
        }


def recipes() -> dict[str, Path]:
    """Return the shipped sweeps by name."""
    return {path.stem: path for path in sorted((Path(__file__).parent / "recipes").glob("*.yaml"))}


def read_recipe(name: str, instead: Mapping[str, Any] | None = None) -> Sweep:
    """Read a shipped sweep; ``instead`` as for ``read_sweep``.

    Raises:
        UsageError: There is none of this name.
        BrokenWorldError: What is said ``instead`` is wrong.
    """
    known = recipes()
    if name not in known:
        raise UsageError(f"there is no recipe {name!r}; there are: {', '.join(known)}", suggest(name, known))
    return read_sweep(known[name], instead)


def read_sweep(path: str | PathLike[str], instead: Mapping[str, Any] | None = None) -> Sweep:
    """Read the file of a sweep.

    Args:
        instead: Keys that take the place of the file's own, such as ``days``.

    Raises:
        WrongValueError: A key of ``instead`` is none of a sweep.
        BrokenWorldError: With all mistakes and their places.
    """
    path = Path(path)
    keys = [key.name for key in SWEEP.keys]
    if unknown := [key for key in instead or () if key not in keys]:
        raise WrongValueError(f"a sweep has no {unknown[0]!r}", suggest(unknown[0], keys))
    shown = path.as_posix()
    text, problems = read_text(path, shown)
    sweep = None
    if not problems:
        names = [measure.name for measure in MEASURES]
        sweep, problems = parse_sweep(text.body, shown, path.parent, measures=names, instead=instead)
    if sweep is None:
        count = len(problems)
        raise BrokenWorldError(
            f"{counted(count, 'mistake')} in {shown}", "correct this by hand; nothing was played", problems
        )
    return sweep


def play_sweep(
    sweep: Sweep,
    out: str | PathLike[str],
    *,
    backend: str = "processes",
    workers: int = 1,
    resume: bool = False,
    max_usd: float | None = None,
    callbacks: SweepCallbacks | None = None,
) -> SweepResult:
    """Play or continue a sweep (``gm sweep``); what is done is not played again.

    Args:
        out: A folder, for the worlds and ``table.csv``.
        backend: ``processes`` or ``ray``.
        workers: How many worlds at a time.
        resume: Require a begun sweep, and keep its base although the original has changed.
        max_usd: For all paid runs together, divided equally.

    Raises:
        GmError: Nothing can be played; errors of single runs are outcomes.

    Examples:
        >>> text = "template: dinner\\ndays: 1\\nmatrix: {seed: [1, 2], model: [rehearsal]}\\n"
        >>> written = (folder / "seeds.yaml").write_text(text)
        >>> played = gm.play_sweep(gm.read_sweep(folder / "seeds.yaml"), folder / "out", workers=2)
        >>> [(row["seed"], row["status"], row["days"]) for row in played.rows]
        [(1, 'done', 1), (2, 'done', 1)]
    """
    if backend not in BACKENDS:
        raise WrongValueError(f"no sweep is played by {backend!r}", suggest(backend, BACKENDS))
    callbacks = callbacks or SweepCallbacks()
    folder = SweepFolder(Path(out).resolve())
    if resume and not is_world(folder.base):
        raise GmError(f"no sweep was started in {out}", "leave --resume out, or name its folder with --out")
    if folder.root.is_dir() and is_world(folder.root):
        raise GmError(f"{out} is a world", "name another folder with --out")
    if backend == "ray":
        require_ray()  # before a single world is made
    play = BACKENDS[backend]
    with folder.held():
        make_worlds(folder, sweep, resume=resume)
        last = {run.name: int(disk.read_note(folder.note(run.name))["last"]) for run in sweep.runs}
        open_runs = [run for run in sweep.runs if not is_done(folder.world(run.name), last[run.name])]
        callbacks.begins(len(sweep.runs), len(sweep.runs) - len(open_runs))
        part = _part_of(folder, sweep.runs, open_runs, last, max_usd, callbacks)
        jobs = [Job(str(folder.root), run.name, last[run.name], run.briefs, part) for run in open_runs]
        outcomes = {run.name: RunOutcome(run.name, DONE) for run in sweep.runs}

        def note(outcome: RunOutcome) -> None:
            outcomes[outcome.name] = outcome
            callbacks.ended(outcome)

        if jobs:
            play(jobs, workers, note)
        return _collect(folder, sweep, outcomes)


def _part_of(
    folder: SweepFolder,
    runs: Sequence[SweepRun],
    open_runs: Sequence[SweepRun],
    last: Mapping[str, int],
    max_usd: float | None,
    callbacks: SweepCallbacks,
) -> float | None:
    paid_open = find_paid({run.name: folder.world(run.name) for run in open_runs})
    if not paid_open:
        return None
    worlds = {run.name: folder.world(run.name) for run in runs}
    for expectation in expect(worlds, paid_open, last):
        callbacks.expected(expectation)
    if max_usd is None:
        _refuse_unlimited(worlds, paid_open)
        return None
    # finished runs count too, so that the sum never exceeds the limit
    return max_usd / sum(map(len, find_paid(worlds).values()))


def _collect(folder: SweepFolder, sweep: Sweep, outcomes: Mapping[str, RunOutcome]) -> SweepResult:
    others = find_others(folder, sweep)
    values = {**{run.name: run.own for run in sweep.runs}, **others.alike}
    outcomes = {**outcomes, **{name: RunOutcome(name, DONE) for name in others.alike}}
    order = [one.name for one in sweep.conditions]
    rows, seconds = [], {}
    for name in sorted(values, key=lambda name: order.index(values[name][CONDITION]) if order else 0):
        layout, outcome = folder.world(name), outcomes[name]
        start = int(disk.read_note(folder.note(name)).get("start", 0))
        rows.append(
            {
                "run": name,
                "status": outcome.status,
                **{key: values[name].get(key) for key in sweep.varied},
                **figures_of(layout, start),
                "world": world_digest(layout),
                "error": outcome.error,
            }
        )
        seconds[name] = float(disk.read_note(folder.seconds(name)).get("seconds", 0.0))
    write_tables(folder, rows, seconds)
    return SweepResult(folder, tuple(rows), outcomes, seconds, _report(folder, sweep), others.left_out)


def _report(folder: SweepFolder, sweep: Sweep) -> Experiment | None:
    if not sweep.measures:
        return None
    names = [one.name for one in sweep.conditions]
    write_note(
        folder.experiment, {"conditions": names, "measures": list(sweep.measures), "canaries": list(sweep.canaries)}
    )
    experiment = compare_conditions(folder.root)
    write_sweep_report(folder, experiment, sweep.conditions)
    return experiment


@dataclass(frozen=True, slots=True)
class Expectation:
    """The expected cost of the runs of one model; ``forecast`` is for one run, all days."""

    model: str
    runs: int
    forecast: Forecast

    @property
    def usd(self) -> float | None:
        """US dollars for all runs; None = a model has no known price."""
        return None if self.forecast.unpriced else self.forecast.total.usd * self.runs


def find_paid(worlds: Mapping[str, Layout]) -> dict[str, list[str]]:
    """Return the runs that ask paid models, by model, without those that cannot be asked from here."""
    paid: dict[str, list[str]] = defaultdict(list)
    for name, layout in worlds.items():
        try:
            choice = choose_for(layout, None)
        except GmError:
            continue
        if choice.backend.name not in choose.BACKENDS:
            paid[choice.backend.model].append(name)
    return dict(paid)


def _refuse_unlimited(worlds: Mapping[str, Layout], paid: Mapping[str, list[str]]) -> None:
    for model, names in paid.items():
        for name in names:
            if load_settings(worlds[name])[0].budget == BudgetSettings():
                raise GmError(
                    f"{name} asks {model}, and no limit is set for its cost",
                    "give --max-usd N for the whole sweep, or vary or set budget.day_usd",
                )


def expect(
    worlds: Mapping[str, Layout], paid: Mapping[str, list[str]], last: Mapping[str, int]
) -> Iterable[Expectation]:
    """Forecast the first run of each paid model."""
    for model, names in paid.items():
        layout = worlds[names[0]]
        clock, _ = load_clock(layout)
        days = max(1, last[names[0]] - clock.day + clock.day_open)
        yield Expectation(model, len(names), make_forecast(layout, choose_for(layout, None), days))
