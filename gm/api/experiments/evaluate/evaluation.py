"""The measures, and the evaluation of a world by them."""

from __future__ import annotations

from collections.abc import Sequence

from gm.api.experiments.evaluate import citations, drift, leaks, plans, promises, repetition, support, voice
from gm.api.experiments.evaluate.material import Material, read_material
from gm.api.experiments.evaluate.measure import Evaluation, EvaluationAgainst, Measure, apply
from gm.base.errors import Problem, UsageError
from gm.base.texts import suggest
from gm.files.layout import Layout

MEASURES: tuple[Measure, ...] = (
    promises.PROMISES,
    plans.PLANS,
    leaks.LEAKS,
    repetition.REPETITION,
    voice.VOICE,
    drift.DRIFT,
    citations.CITATIONS,
    support.SUPPORT,
)
"""In the order in which they are shown."""


def describe_evaluation(
    layout: Layout,
    names: Sequence[str] = (),
    first: int | None = None,
    last: int | None = None,
    canaries: Sequence[str] = (),
    against: Layout | None = None,
) -> Evaluation:
    """Measure a world, and another one to compare it with (``EvaluationAgainst``).

    Args:
        names: Names of measures; none = all.
        first: First story day; None = the first that was played.
        last: Last story day, included; None = the last that was played.
        canaries: Planted words, each ``WORD=agent,agent`` with those who alone know it (measure leaks).
        against: The world to compare with; None = none.

    Raises:
        UsageError: No such measure, no such days, or no canary.
    """
    return evaluate_worlds([layout, *filter(None, (against,))], names, first, last, canaries)[0]


def evaluate_worlds(
    layouts: Sequence[Layout], names: Sequence[str], first: int | None, last: int | None, canaries: Sequence[str]
) -> tuple[Evaluation, tuple[Problem, ...]]:
    """Measure one or two worlds, as ``describe_evaluation``; return also which of their files cannot be read."""
    measures = choose_measures(names)
    materials = [read_material(one, first, last, canaries) for one in layouts]
    found, *others = (evaluate(material, measures) for material in materials)
    for one in others:
        found = EvaluationAgainst(
            world=found.world,
            title=found.title,
            first=found.first,
            last=found.last,
            measures=found.measures,
            against=one,
        )
    return found, tuple(problem for material in materials for problem in material.unreadable)


def choose_measures(names: Sequence[str]) -> tuple[Measure, ...]:
    """Return the named measures in the order of all of them; without names, all.

    Raises:
        UsageError: No such measure.
    """
    known = {measure.name: measure for measure in MEASURES}
    for name in names:
        if name not in known:
            raise UsageError(f"there is no measure {name!r}", suggest(name, known))
    return tuple(measure for measure in MEASURES if not names or measure.name in names)


def evaluate(material: Material, measures: Sequence[Measure]) -> Evaluation:
    """Return what measures find in a world that was read."""
    found = tuple(apply(measure, material) for measure in measures)
    return Evaluation(
        world=material.layout.root.resolve().name,
        title=material.world.settings.world.title,
        first=material.first,
        last=material.last,
        measures=found,
    )
