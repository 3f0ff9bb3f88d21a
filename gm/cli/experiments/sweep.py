"""``gm sweep``: many runs of a world, summed up in one table."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gm.base.errors import EXIT_DONE, EXIT_FIXABLE, EXIT_WAITING
from gm.base.texts import clip_line, counted
from gm.cli import options
from gm.cli.boundary import asks_models
from gm.cli.commands import examples, json_option
from gm.cli.terminal import aligned, err, out, safe, show

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gm.api.experiments.sweep.compare import Experiment
    from gm.api.experiments.sweep.effects import Effect
    from gm.api.experiments.sweep.play import RunOutcome
    from gm.api.experiments.sweep.run import Expectation, SweepCallbacks, SweepResult

SHOWN_COLUMNS = ("days", "scenes", "memories", "mean_importance", "artifacts", "pairs_met", "calls", "usd")
MOST_NAME = 48


@click.command(
    epilog=examples(
        "gm sweep promises.yaml --jobs 2", "gm sweep --recipe ablation --template dinner --days 2 --seeds 1..2"
    )
)
@click.argument("file", metavar="[FILE]", required=False, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--recipe", metavar="NAME", help="Play a shipped experiment instead of FILE; --recipes lists them.")
@click.option("--recipes", "listing", is_flag=True, help="List the shipped experiments, and play none.")
@click.option(
    "--world",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False, resolve_path=True),
    help="World to start from, in place of the one in FILE or the recipe.",
)
@click.option("--template", metavar="NAME", help="Template to start from, as for gm init.")
@click.option("--days", metavar="N", type=int, help="Story days of each run, in place of those in FILE.")
@click.option("--seeds", metavar="A..B", help="Seeds, such as 1..6, in place of those in FILE.")
@click.option(
    "--jobs",
    metavar="N",
    type=click.IntRange(min=1),
    help="Number of worlds played in parallel; default: number of cores.",
)
@click.option(
    "--backend",
    type=click.Choice(["processes", "ray"]),
    default="processes",
    show_default=True,
    help="How runs are distributed.",
)
@click.option("--resume", is_flag=True, help="Continue a sweep with its original base; refuse to begin one.")
@click.option("--max-usd", type=click.FloatRange(min=0), help="Limit in US dollars for all paid runs together.")
@click.option(
    "--out",
    "folder",
    metavar="DIR",
    type=options.FOLDER,
    help="Folder for worlds and table; default: FILE with the suffix .out, or NAME.out of a recipe.",
)
@json_option
def sweep(
    file: Path | None,
    recipe: str | None,
    listing: bool,
    jobs: int | None,
    backend: str,
    resume: bool,
    max_usd: float | None,
    folder: Path | None,
    as_json: bool,
    **given: Any,
) -> int:
    """Run variations of a world and write one table.

    Each run is a world in DIR/runs and can be opened as any other. Stop at any time: the same command goes on. What
    stops one run does not stop the others. A paid model needs --max-usd, or a budget in
    the world; without, gm only says what it would cost.

    With conditions: and measures: in FILE it is an experiment: DIR/report.md, report.html and comparison.csv compare
    the conditions with the first one; measures.csv has the figures of each run. The same command again only writes
    them anew. Runs that an earlier command left in DIR are in them, too, if they differ in the varied values alone.
    """
    from gm.api.experiments.sweep.run import play_sweep, read_recipe, read_sweep, recipes

    if listing:
        for name, path in recipes().items():
            out(f"{name}: {path.read_text(encoding='utf-8').splitlines()[0].removeprefix('# ')}")
        return EXIT_DONE
    instead = {key: value for key, value in given.items() if value is not None}
    if recipe is not None and file is None:
        read, target = read_recipe(recipe, instead), Path(f"{recipe}.out")
    elif file is not None and recipe is None:
        read, target = read_sweep(file, instead), file.with_suffix(".out")
    else:
        raise click.UsageError("name either a FILE or a --recipe")
    target = folder if folder is not None else target
    workers = jobs or os.cpu_count() or 1
    asks_models()
    played = play_sweep(
        read, target, backend=backend, workers=workers, resume=resume, max_usd=max_usd, callbacks=_callbacks()
    )
    show(played, as_json, lambda _: _show_played(played, target))
    if played.count("failed"):
        return EXIT_FIXABLE
    return EXIT_WAITING if played.count("waiting") else EXIT_DONE


def _callbacks() -> SweepCallbacks:
    from gm.api.experiments.sweep.run import SweepCallbacks

    class SweepProgress(SweepCallbacks):
        """Says on standard error how far it is."""

        def __init__(self) -> None:
            self._of = self._done = 0

        def begins(self, runs: int, done: int) -> None:
            self._of, self._done = runs, done
            err(counted(runs, "world") + (f", {done} of them are played already" if done else ""))

        def expected(self, expectation: Expectation) -> None:
            from gm.cli.inspecting.cost import dollars, summary_line

            usd = "price unknown" if expectation.usd is None else dollars(expectation.usd)
            err(safe(f"{expectation.model}, one of {expectation.runs} runs: {summary_line(expectation.forecast)}"))
            err(safe(f"{expectation.model}, all of them: {usd}"))

        def ended(self, outcome: RunOutcome) -> None:
            self._done += 1
            reason = f": {outcome.error}" if outcome.error else ""
            err(safe(f"[{self._done}/{self._of}] {outcome.name} {outcome.status}{reason}"))
            if outcome.trace:
                err(safe(outcome.trace))

    return SweepProgress()


def _show_played(played: SweepResult, target: Path) -> None:
    rows = [_cells(row) for row in played.rows]
    for line in aligned([("run", "", *SHOWN_COLUMNS), *rows], 2):
        out(line)
    reasons: dict[tuple[str, str], list[str]] = {}
    for item in played.outcomes.values():
        if item.error:
            reasons.setdefault((item.error, item.hint), []).append(item.name)
    for (error, hint), runs in reasons.items():
        out(safe(f"{runs[0]}{f' and {len(runs) - 1} more' if runs[1:] else ''}: {error}"))
        out(safe(f"  {hint}") if hint else "")
    if failed := played.count("failed"):
        out(f"{failed} of {counted(len(rows), 'run')} failed: mend the cause, and the same command plays them again")
    out(f"{safe(str(target))}/table.csv: {counted(len(rows), 'row')}; each world: {safe(str(target))}/runs/<run>")
    if played.left_out:
        names = clip_line(", ".join(played.left_out), 2 * MOST_NAME)
        out(safe(f"not in the table, as made of other values or not finished: {names}"))
    if played.experiment is not None and not played.experiment.figures:
        out("No run of the experiment has anything to compare yet.")
    elif played.experiment is not None:
        show_experiment(played.experiment)
        out(f"{safe(str(target))}/report.md, report.html, comparison.csv: the comparison; measures.csv: each run")


def show_experiment(experiment: Experiment) -> None:
    """Print a table of means, marking differences to the first condition whose interval leaves out 0."""
    from collections import Counter

    from gm.api.experiments.sweep.report import BY_DESIGN, NOTHING, figure_text

    def mark(each: Effect) -> str:
        return BY_DESIGN if each.by_design else "*" if each.is_found else ""

    def count(each: Effect) -> str:
        return f" (n = {each.runs})" if 0 < each.runs < of[each.condition] else ""

    of = Counter(run.condition for run in experiment.runs)
    rows = [["", *map(safe, experiment.conditions)]]
    for one in experiment.figures:
        cells = [figure_text(each.mean, one.unit) + mark(each) + count(each) for each in one.effects]
        rows.append([safe(f"{one.measure}: {one.name}"), *cells])
    out("")
    for line in aligned(rows, 1):
        out(line)
    effects = [each for one in experiment.figures for each in one.effects]
    if any(each.is_found for each in effects):
        out(f"* differs from {safe(experiment.conditions[0])}: the 95 % interval of the difference leaves out 0")
    if any(each.by_design for each in effects):
        out(f"{BY_DESIGN} follows from what the condition switches off: no finding (the note below says why)")
    if any(each.mean is None for each in effects):
        out(f"{NOTHING} no evidence: no run of this condition had anything to count")
    for measured in experiment.measures:
        if measured.missing:
            out(safe(f"{measured.name}: no evidence: {measured.missing}"))
    for note in experiment.notes:
        out(safe(note))


def _cells(row: Mapping[str, Any]) -> list[str]:
    mark = "" if row["status"] == "done" else str(row["status"])
    return [safe(clip_line(row["run"], MOST_NAME)), mark, *(_cell(name, row[name]) for name in SHOWN_COLUMNS)]


def _cell(name: str, value: Any) -> str:
    from gm.cli.inspecting.cost import dollars

    if value is None:
        return "–"
    return dollars(value) if name == "usd" else f"{value:,}"
