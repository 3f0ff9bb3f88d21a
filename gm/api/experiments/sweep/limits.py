"""What so few runs of a sweep cannot show, in plain words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import sqrt

from gm.api.experiments.evaluate.measure import LEAST_GROUPS, POWER, student_quantile
from gm.api.experiments.sweep.by_design import note_by_design
from gm.api.experiments.sweep.effects import ENOUGH, ComparedFigure, Effect
from gm.api.experiments.sweep.results import RunResult
from gm.llm.base import REHEARSAL

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
    effects = [effect for one in figures for effect in one.effects if effect.rests_on >= ENOUGH]
    fewest = min(sum(run.evaluation is not None for run in runs) for runs in by_condition.values())
    yield from _note_runs(by_condition, fewest)
    if fewest >= ENOUGH:
        yield from _note_power(effects)
    first, *others = by_condition
    for at, name in enumerate(others, 1):
        if _is_same(by_condition[name], by_condition[first]):
            yield (
                f"Every run of {name} has the same figures as the run of {first} beside it: what {name} sets has "
                "changed nothing that is counted. Look at a pair with gm compare."
            )
        yield from _note_pairs(name, first, {f"{one.measure}: {one.name}": one.effects[at] for one in figures})
    tested = [effect for effect in effects if not effect.by_design and effect.difference_low is not None]
    if tested:
        yield (
            f"{len(tested)} differences are compared here, and {sum(one.differs for one in tested)} intervals leave "
            f"out 0. {CHANCE} So a single one that does proves little."
        )
    if {model for runs in by_condition.values() for run in runs for model in run.models} == {REHEARSAL}:
        yield (
            "All answers are the rehearsal's, which composes them by rules: the differences show that the settings "
            "reach the letters and the files, and nothing of what a language model makes of them."
        )
    yield (
        "Seeds change the dice of the Game Master and of the rehearsal. They say nothing about other worlds, casts or "
        "models. These numbers count what is in the files; whether characters are believable is for judges (gm judge)."
    )


def _note_runs(by_condition: Mapping[str, Sequence[RunResult]], fewest: int) -> Iterator[str]:
    """Yield which runs do not count, and what the ``fewest`` that a condition has cannot show."""
    broken = [run for runs in by_condition.values() for run in runs if run.error]
    if broken:
        total = sum(map(len, by_condition.values()))
        named = "; ".join(f"{run.name}: {run.error}" for run in broken[:3])
        yield f"{len(broken)} of {total} runs do not count: {named}."
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


def _note_pairs(name: str, first: str, effects: Mapping[str, Effect]) -> Iterator[str]:
    """Yield which figures of a condition differ from those of the first by design, or by the same in every pair."""
    by_design = {figure: effect.by_design for figure, effect in effects.items() if effect.by_design}
    yield from note_by_design(name, first, by_design)
    constant = [figure for figure, effect in effects.items() if _is_constant(effect)]
    if constant:
        yield (
            f"Every pair of {name} and {first} differs by the same, which leaves a bootstrap nothing to vary, so "
            f"there is no interval and no mark: {'; '.join(constant)}. Chance alone gives so many pairs one sign "
            "in fewer than 5 of 100 experiments."
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
