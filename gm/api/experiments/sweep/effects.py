"""Compare the conditions of a sweep: means over runs, differences to the first condition, and how sure they are."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from math import asin, sqrt
from os import PathLike
from pathlib import Path
from statistics import fmean, variance
from typing import Any

from gm.api.experiments.evaluate.evaluation import describe_evaluation
from gm.api.experiments.evaluate.measure import (
    ALL,
    LEAST_GROUPS,
    RESAMPLES,
    SEED,
    Evaluation,
    Figure,
    Interval,
    Measured,
    Z,
    bootstrap,
    percentiles,
)
from gm.api.experiments.sweep.by_design import explain_by_design, list_switched_off, note_by_design
from gm.api.experiments.sweep.play import DONE
from gm.api.experiments.sweep.results import Result, read_results
from gm.api.reports.cost import TOKENS, describe_cost
from gm.base.errors import GmError
from gm.base.texts import texts_in
from gm.files.experiments.sweeps.folder import SweepFolder
from gm.files.experiments.sweeps.plan import CONDITION
from gm.files.formats import disk
from gm.files.questions.traces import TraceReader
from gm.files.story.now import load_settings
from gm.llm.base import REHEARSAL

TABLE = "table"
"""Name of the measure that holds figures of ``table.csv``."""
COUNTED: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "scenes": ("count", ("scenes",)),
    "memories": ("count", ("memories",)),
    "calls": ("count", ("calls",)),
    "tokens": ("count", TOKENS),
    "usd": ("dollars", ("usd",)),
}
"""Figures of ``table.csv``: the unit, and the columns whose sum they are."""
ENOUGH = 6
"""Runs from which an interval over runs can be a 95 % one."""
POWER = Z + 0.841621
"""Normal quantiles of a two-sided test at 5 % and of a power of 80 %."""
CHANCE = (
    "Where no condition makes any difference, intervals of this kind still leave out 0: of 100 about 13 with 6 runs, "
    "and 8 with 10 to 20 (simulated, normal values)."
)
BY_SEED = f"percentile bootstrap over runs, 95 %, {RESAMPLES} resamples, seed {SEED}, none where all resamples agree"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    """One run of an experiment.

    Attributes:
        condition: ``all`` in a sweep without conditions.
        pair: What else distinguishes it; runs of two conditions with the same text are a pair.
        table: The figures of ``COUNTED``, of finished runs.
        models: Who answered.
        switched_off: Keys of ``by_design.SWITCHES`` that were off.
        evaluation: None = not finished, or it cannot be evaluated; ``error`` says why.
    """

    name: str
    condition: str
    pair: str
    table: Mapping[str, float | None]
    evaluation: Evaluation | None = None
    models: tuple[str, ...] = ()
    switched_off: tuple[str, ...] = ()
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """A figure in one condition, and beside the first condition.

    Attributes:
        runs: How many runs have evidence for it.
        mean: Over these runs, each counting the same; None = no run has any.
        low: Lower end of the 95 % interval of ``mean``; None below ``LEAST_GROUPS`` runs, or where all agree.
        difference: ``mean`` minus that of the first condition, over pairs where there are any; None for the first.
        pairs: Pairs that the difference rests on; 0 = the runs of both conditions are taken for independent.
        rests_on: Pairs of the difference, or runs of the condition that has fewer.
        size: Cohen's d (pooled standard deviation), or Cohen's h for shares, of the runs that the difference rests on;
            None with fewer than two.
        size_kind: ``d`` or ``h``.
        note: Why something is missing.
        by_design: Settings that only one of the two conditions has switched off, and from which a difference follows.
    """

    condition: str
    runs: int
    mean: float | None
    low: float | None
    high: float | None
    difference: float | None = None
    difference_low: float | None = None
    difference_high: float | None = None
    pairs: int = 0
    rests_on: int = 0
    size: float | None = None
    size_kind: str = ""
    note: str = ""
    by_design: tuple[str, ...] = ()

    @property
    def differs(self) -> bool:
        """Whether the interval of the difference leaves out 0, and rests on ``ENOUGH`` runs or pairs."""
        low, high = self.difference_low, self.difference_high
        return self.rests_on >= ENOUGH and low is not None and high is not None and not low <= 0 <= high

    @property
    def is_found(self) -> bool:
        """Whether it ``differs``, and not because of the condition itself."""
        return self.differs and not self.by_design


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedFigure:
    """One figure of a measure in all conditions, the first one first."""

    measure: str
    name: str
    unit: str
    effects: tuple[Effect, ...]


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
    runs = tuple(_read_run(place, result, texts_in(said.get("measures"))) for result in results)
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
            _effect(one, values, None if one == conditions[0] else first, unit, every[one])
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
        notes=tuple(_note_limits(by_condition, figures)),
    )


def _read_run(place: SweepFolder, result: Result, measures: Sequence[str]) -> RunResult:
    note = disk.read_note(place.note(result.run))
    values: dict[str, Any] = dict(note.get("values", {}))
    condition = str(values.pop(CONDITION, ALL))
    pair = json.dumps(values, sort_keys=True, ensure_ascii=False)
    if result.status != DONE:
        error = result.error or result.status
        return RunResult(name=result.run, condition=condition, pair=pair, table={}, error=error)
    table = {name: _sum(result.numbers[column] for column in columns) for name, (_, columns) in COUNTED.items()}
    layout = place.world(result.run)
    settings = load_settings(layout)[0]
    cost = describe_cost(TraceReader(layout.traces), settings)
    ran = RunResult(
        name=result.run,
        condition=condition,
        pair=pair,
        table=table,
        models=tuple(cost.models),
        switched_off=list_switched_off(settings),
    )
    try:
        return replace(ran, evaluation=describe_evaluation(layout, measures, int(note.get("start", 0)) + 1))
    except GmError as error:
        return replace(ran, error=error.message)


def _sum(numbers: Iterable[float | None]) -> float | None:
    given = [number for number in numbers if number is not None]
    return sum(given) if given else None


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


def _effect(
    condition: str, found: Mapping[str, float], first: Mapping[str, float] | None, unit: str, of: int
) -> Effect:
    values = list(found.values())
    low, high = bootstrap(values, fmean, SEED)
    mean = fmean(values) if values else None
    note = "" if len(values) == of else f"no evidence in {of - len(values)} of {of} runs"
    if first is None or not values or not first:
        return Effect(condition=condition, runs=len(values), mean=mean, low=low, high=high, note=note)
    paired = [key for key in first if key in found]
    others = list(first.values())
    difference, interval = fmean(values) - fmean(others), _difference(values, others)
    size, kind, lacking = _measure_effect(values, others, unit)
    if len(paired) >= 2:
        pairs = [found[key] - first[key] for key in paired]
        difference, interval = fmean(pairs), bootstrap(pairs, fmean, SEED)
        size, kind, lacking = _measure_effect([found[key] for key in paired], [first[key] for key in paired], unit)
    return Effect(
        condition=condition,
        runs=len(values),
        mean=mean,
        low=low,
        high=high,
        difference=difference,
        difference_low=interval[0],
        difference_high=interval[1],
        pairs=len(paired) if len(paired) >= 2 else 0,
        rests_on=len(paired) if len(paired) >= 2 else min(len(values), len(others)),
        size=size,
        size_kind=kind,
        note="; ".join(filter(None, (note, lacking))),
    )


def _difference(values: Sequence[float], others: Sequence[float]) -> Interval:
    """Return the interval of a difference of means of independent runs; None as in ``bootstrap``."""
    if min(len(values), len(others)) < LEAST_GROUPS:
        return None, None
    dice = random.Random(SEED)
    return percentiles(
        fmean(dice.choices(values, k=len(values))) - fmean(dice.choices(others, k=len(others)))
        for _ in range(RESAMPLES)
    )


def _measure_effect(values: Sequence[float], others: Sequence[float], unit: str) -> tuple[float | None, str, str]:
    """Return an effect size, its kind, and why there is none.

    Source:
        Cohen 1988, "Statistical Power Analysis for the Behavioral Sciences", chapters 2 (d) and 6 (h).
    """
    kind = "h" if unit == "share" else "d"
    if min(len(values), len(others)) < 2:
        return None, kind, "no effect size of fewer than two runs"
    if kind == "h":
        return _angle(values) - _angle(others), kind, ""
    freedom = len(values) + len(others) - 2
    spread = sqrt(((len(values) - 1) * variance(values) + (len(others) - 1) * variance(others)) / freedom)
    if not spread:
        return None, kind, "no effect size: the runs of each condition agree exactly"
    return (fmean(values) - fmean(others)) / spread, kind, ""


def _angle(shares: Sequence[float]) -> float:
    return 2 * asin(sqrt(min(1.0, max(0.0, fmean(shares)))))


def _definitions(runs: Sequence[RunResult]) -> Iterator[Measured]:
    known: dict[str, Measured] = {}
    for one in chain.from_iterable(run.evaluation.measures for run in runs if run.evaluation):
        if one.name not in known or (known[one.name].missing and not one.missing):
            known[one.name] = one
    for one in known.values():
        yield replace(one, figures=(), cases=())


def _note_power(effects: Sequence[Effect]) -> Iterator[str]:
    """Yield how large a difference has to be: of pairs in the spread of their differences, else in that of runs."""
    pairs = [effect.pairs for effect in effects if effect.pairs]
    apart = [effect.rests_on for effect in effects if not effect.pairs]
    if pairs:
        size = POWER / sqrt(min(pairs))
        yield (
            f"With {min(pairs)} pairs (runs of one seed), a difference has to be {size:.1f} standard deviations of the "
            "differences within pairs to be found in four of five experiments. The effect size d beside it counts in "
            "the spread between runs, which is wider where runs of one seed are alike: there a difference with a small "
            "d is found as well."
        )
    if apart:
        yield (
            f"With {min(apart)} unpaired runs a condition, a difference has to be as large as "
            f"d = {POWER * sqrt(2 / min(apart)):.1f} to be found in four of five experiments (0.8 is called large)."
        )
    if pairs or apart:
        yield (
            "A smaller difference that is there will mostly be missed, so what is not found is not shown to be absent."
        )


def _note_limits(by_condition: Mapping[str, Sequence[RunResult]], figures: Sequence[ComparedFigure]) -> Iterator[str]:
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
            "A condition has fewer than two finished runs: nothing can be said about chance in its differences, so "
            "nothing is."
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
        moved = {f"{one.measure}: {one.name}": one.effects[at].by_design for one in figures}
        yield from note_by_design(name, first, {figure: keys for figure, keys in moved.items() if keys})
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
