"""Compare the conditions of a sweep: means over runs, differences to the first condition, and how sure they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from math import sqrt
from os import PathLike
from pathlib import Path

from gm.api.experiments.evaluate.measure import ALL, LEAST_GROUPS, RESAMPLES, SEED, Figure, Measured, student_quantile
from gm.api.experiments.sweep.by_design import explain_by_design, note_by_design
from gm.api.experiments.sweep.effects import ENOUGH, ComparedFigure, Effect, measure_effect
from gm.api.experiments.sweep.results import COUNTED, RunResult, read_results, read_run
from gm.base.errors import GmError
from gm.base.untyped import texts_in
from gm.files.experiments.sweeps.folder import SweepFolder
from gm.files.formats import disk
from gm.llm.base import REHEARSAL

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


POWER = 0.841621
"""Normal quantile of a power of 80 %."""
CHANCE = (
    "Where no condition makes any difference, intervals of this kind still leave out 0: of 100 about 7 with 6 runs, "
    "and 5 with 10 to 20 (simulated, normal values)."
)


def note_limits(by_condition: Mapping[str, Sequence[RunResult]], figures: Sequence[ComparedFigure]) -> Iterator[str]:
    """Yield the notes of an experiment: runs that do not count, what is left to chance, and what can be found."""
    if len(by_condition) == 1:
        yield (
            "There is one condition, so nothing is compared. A second one under conditions: shows differences, how "
            "sure they are, and how large."
        )
    broken = [run for runs in by_condition.values() for run in runs if run.error]
    if broken:
        total = sum(map(len, by_condition.values()))
        named = "; ".join(f"{run.name}: {run.error}" for run in broken[:3])
        yield f"{len(broken)} of {total} runs do not count: {named}."
    fewest = min(sum(run.evaluation is not None for run in runs) for runs in by_condition.values())
    if fewest < 2:
        yield (
            "A condition has fewer than two finished runs, so its differences may all be chance: none is marked, and "
            "none has an interval."
        )
    elif fewest < ENOUGH:
        holds = 100 * (1 - 2 ** (1 - fewest))
        yield (
            f"{fewest} runs of a condition are few: the span from the least to the greatest of {fewest} values holds "
            f"the true middle in only {holds:.1f} % of experiments. So a difference is marked in no "
            f"comparison that rests on fewer than {ENOUGH} runs, and below {LEAST_GROUPS} runs there is no interval. "
            f"From {ENOUGH} runs on it can be 95 %."
        )
    if fewest >= ENOUGH:
        yield from _note_power([effect for one in figures for effect in one.effects if effect.rests_on >= ENOUGH])
    first, *others = by_condition
    for at, name in enumerate(others, 1):
        if _is_same(by_condition[name], by_condition[first]):
            yield (
                f"Every run of {name} has the same figures as the run of {first} beside it: what {name} sets has "
                "changed nothing that is counted. Look at a pair with gm compare."
            )
        moved = {f"{one.measure}: {one.name}": one.effects[at].by_design for one in figures}
        yield from note_by_design(name, first, {figure: keys for figure, keys in moved.items() if keys})
        constant = [f"{one.measure}: {one.name}" for one in figures if _is_constant(one.effects[at])]
        if constant:
            yield (
                f"Every pair of {name} and {first} differs by the same, which leaves a bootstrap nothing to vary, so "
                f"there is no interval and no mark: {'; '.join(constant)}. Chance alone gives so many pairs one sign "
                "in fewer than 5 of 100 experiments."
            )
    effects = [
        effect for one in figures for effect in one.effects if effect.rests_on >= ENOUGH and not effect.by_design
    ]
    tested = [effect for effect in effects if effect.difference_low is not None]
    if tested:
        yield (
            f"{len(tested)} differences are compared here, and {sum(one.differs for one in tested)} intervals leave "
            f"out 0. {CHANCE} So a single one that does proves little."
        )
    models = sorted({model for runs in by_condition.values() for run in runs for model in run.models})
    if models == [REHEARSAL]:
        yield (
            "All answers are the rehearsal's, which composes them by rules: the differences show that the settings "
            "reach the letters and the files, and nothing of what a language model makes of them."
        )
    yield (
        "Seeds change the dice of the Game Master and of the rehearsal. They say nothing about other worlds, casts or "
        "models. These numbers count what is in the files; whether characters are believable is for judges (gm judge)."
    )


def _is_constant(effect: Effect) -> bool:
    return bool(effect.difference) and effect.difference_low is None and effect.pairs >= ENOUGH and not effect.by_design


def _is_same(runs: Sequence[RunResult], first: Sequence[RunResult]) -> bool:
    """Return whether there are pairs of finished runs, and all have the same figures."""
    beside = {run.pair: run for run in first if run.evaluation}
    pairs = [(run, beside[run.pair]) for run in runs if run.evaluation and run.pair in beside]
    return bool(pairs) and all(
        (run.table, run.evaluation.measures) == (other.table, other.evaluation.measures)
        for run, other in pairs
        if run.evaluation and other.evaluation
    )


def _note_power(effects: Sequence[Effect]) -> Iterator[str]:
    """Yield how large a difference has to be: of pairs in the spread of their differences, else in that of runs."""
    pairs = [effect.pairs for effect in effects if effect.pairs]
    apart = [effect.rests_on for effect in effects if not effect.pairs]
    if pairs:
        size = (student_quantile(min(pairs) - 1) + POWER) / sqrt(min(pairs))
        yield (
            f"With {min(pairs)} pairs (runs of one seed), a difference has to be {size:.1f} standard deviations of the "
            "differences within pairs to be found in four of five experiments. The effect size d beside it counts in "
            "the spread between runs, which is wider where runs of one seed are alike: there a difference with a small "
            "d is found as well."
        )
    if apart:
        size = (student_quantile(2 * min(apart) - 2) + POWER) * sqrt(2 / min(apart))
        yield (
            f"With {min(apart)} unpaired runs a condition, a difference has to be as large as d = {size:.1f} to be "
            "found in four of five experiments (0.8 is called large)."
        )
    if pairs or apart:
        yield (
            "A smaller difference that is there will mostly be missed, so what is not found is not shown to be absent."
        )
