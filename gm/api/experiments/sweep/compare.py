"""Compare the conditions of a sweep: means over runs, differences to the first condition, and how sure they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from os import PathLike
from pathlib import Path

from gm.api.experiments.evaluate.measure import ALL, RESAMPLES, SEED, Figure, Measured
from gm.api.experiments.sweep.by_design import explain_by_design
from gm.api.experiments.sweep.effects import ComparedFigure, measure_effect
from gm.api.experiments.sweep.limits import note_limits
from gm.api.experiments.sweep.results import COUNTED, RunResult, read_results, read_run
from gm.base.errors import GmError
from gm.base.untyped import texts_in
from gm.files.experiments.sweeps.folder import SweepFolder
from gm.files.formats import disk

TABLE = "table"
"""Name of the measure that holds figures of ``table.csv``."""
BY_SEED = (
    f"expanded percentile bootstrap over runs, 95 %, {RESAMPLES} resamples, seed {SEED}, none where all resamples agree"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """The conditions of a sweep, compared.

    Attributes:
        conditions: The first is what the others are compared with.
        figures: Of all characters together; those of ``table.csv`` last, as measure ``table``.
        measures: What the measures count and where they come from, without figures.
        interval: How the intervals of means and differences are made.
        notes: What so few runs cannot show, in plain words.
    """

    conditions: tuple[str, ...]
    runs: tuple[RunResult, ...]
    figures: tuple[ComparedFigure, ...]
    measures: tuple[Measured, ...] = ()
    interval: str = BY_SEED
    notes: tuple[str, ...] = ()


def compare_conditions(folder: str | PathLike[str]) -> Experiment:
    """Compare the conditions of a sweep that was played; only finished runs count.

    Args:
        folder: Where ``gm sweep`` has put its worlds.

    Raises:
        GmError: There is no such sweep, or its file names no measures.
        BrokenWorldError: ``table.csv`` was changed so that it cannot be read; has each place.
    """
    place = SweepFolder(Path(folder).resolve())
    said = disk.read_note(place.experiment)
    if not said or not place.table.is_file():
        raise GmError(f"{folder} holds no experiment", "play a file with measures: first, with gm sweep")
    conditions = texts_in(said.get("conditions")) or (ALL,)
    results = read_results(place.table, [name for _, columns in COUNTED.values() for name in columns])
    measures, canaries = texts_in(said.get("measures")), texts_in(said.get("canaries"))
    runs = tuple(read_run(place, result, measures, canaries) for result in results)
    return compare_runs(conditions, runs)


def compare_runs(conditions: Sequence[str], runs: Sequence[RunResult]) -> Experiment:
    """Compare runs that were evaluated; the other conditions are compared with the first."""
    by_condition = {name: [run for run in runs if run.condition == name] for name in conditions}
    kinds = _common([run for run in runs if run.evaluation])
    off = {name: {key for run in found for key in run.switched_off} for name, found in by_condition.items()}
    figures = []
    for (measure, name), unit in kinds.items():
        found = {one: _values_by_pair(by_condition[one], measure, name) for one in conditions}
        first, every = found[conditions[0]], {one: len(by_condition[one]) for one in conditions}
        effects = [
            measure_effect(one, values, None if one == conditions[0] else first, unit, every[one])
            for one, values in found.items()
        ]
        effects = [
            replace(one, by_design=explain_by_design(measure, name, off[one.condition] ^ off[conditions[0]]))
            if one.difference
            else one
            for one in effects
        ]
        figures.append(ComparedFigure(measure=measure, name=name, unit=unit, effects=tuple(effects)))
    return Experiment(
        conditions=tuple(conditions),
        runs=tuple(runs),
        figures=tuple(figures),
        measures=tuple(_definitions(runs)),
        notes=tuple(note_limits(by_condition, figures)),
    )


def _run_figures(run: RunResult) -> Iterator[tuple[str, Figure]]:
    """Yield the figures of all characters together."""
    for measured in run.evaluation.measures if run.evaluation else ():
        yield from ((measured.name, figure) for figure in measured.figures if figure.of == ALL)
    for name, value in run.table.items():
        yield TABLE, Figure(of=ALL, name=name, value=value, count=1, unit=COUNTED[name][0])


def _common(runs: Sequence[RunResult]) -> dict[tuple[str, str], str]:
    """Return the units of the figures that all runs have which have any of the measure; moods are of some alone."""
    found = [{(measure, figure.name): figure.unit for measure, figure in _run_figures(run)} for run in runs]
    known = {key: unit for one in found for key, unit in one.items()}
    having = {measure: [one for one in found if any(key[0] == measure for key in one)] for measure, _ in known}
    return {key: unit for key, unit in known.items() if all(key in one for one in having[key[0]])}


def _values_by_pair(runs: Sequence[RunResult], measure: str, name: str) -> dict[str, float]:
    """Return the values by pair, of runs that have evidence."""
    return {
        run.pair: figure.value
        for run in runs
        for found, figure in _run_figures(run)
        if (found, figure.name) == (measure, name) and figure.value is not None
    }


def _definitions(runs: Sequence[RunResult]) -> Iterator[Measured]:
    known: dict[str, Measured] = {}
    for one in chain.from_iterable(run.evaluation.measures for run in runs if run.evaluation):
        if one.name not in known or (known[one.name].missing and not one.missing):
            known[one.name] = one
    for one in known.values():
        yield replace(one, figures=(), cases=())
