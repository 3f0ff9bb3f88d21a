"""Weights chosen on four conversations and measured on the fifth: what choosing brings to a conversation not seen."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from itertools import product

from bench.recalling.asking import Question, ask_all, is_there, value_of
from bench.recalling.figures import Outcome, difference, mean_of, recall_at, render_columns
from bench.recalling.locomo import ADVERSARIAL, MULTI_HOP, only

MOST = 10
GRID: Mapping[str, tuple[float, ...]] = {
    "hybrid.SPEAKER": (1.0, 1.3, 1.6),
    "hybrid.AROUND": (0.0, 0.3, 0.6),
    "signals.SESSION": (0.4, 0.8, 1.2),
}
"""The weights that the code calls chosen, each with a smaller and a larger value; 1.0 and 0.0 leave a signal out."""


def print_folds(questions: Sequence[Question]) -> None:
    """Try the whole grid, and print the choice and the figure of each fold, and all folds together."""
    grid = {path: values for path, values in GRID.items() if is_there(path)}
    if grid.keys() != GRID.keys():
        print("left out of the grid, the code has them no more: " + ", ".join(GRID.keys() - grid.keys()))
    begin = time.perf_counter()
    answered = [question for question in questions if question.kind != ADVERSARIAL]
    cells = [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]
    present = ask_all(answered, most=MOST).outcomes
    tried = [ask_all(answered, changes=cell, most=MOST).outcomes for cell in cells]
    folds = list(dict.fromkeys(question.stratum for question in answered))
    lines = [("left out", *grid, "recall@10 on the four", "on the fifth", "as the code has it")]
    chosen: list[Outcome] = []
    for fold in folds:
        others = [_mean(outcomes, [one for one in folds if one != fold]) for outcomes in tried]
        best = others.index(max(others))  # the first of equals
        mine = _of(tried[best], [fold])
        chosen += mine
        values = (f"{value:g}" for value in cells[best].values())
        lines.append(
            (fold, *values, f"{others[best]:.3f}", f"{_mean(mine, [fold]):.3f}", f"{_mean(present, [fold]):.3f}")
        )
    now = (f"{value_of(path):g}" for path in grid)
    print(render_columns([*lines, ("the code", *now, "", "", f"{_mean(present, folds):.3f}")]))
    before = _of(present, folds)
    mean = sum(_mean(chosen, [fold]) for fold in folds) / len(folds)
    print(
        f"mean of the {len(folds)} folds {mean:.3f}; all questions "
        f"{mean_of(chosen, recall_at(MOST))}, less those of the code "
        f"{difference(chosen, before, recall_at(MOST)).as_difference}, multi-hop "
        f"{difference(only(chosen, MULTI_HOP), only(before, MULTI_HOP), recall_at(MOST)).as_difference}"
    )
    everywhere = [_mean(outcomes, folds) for outcomes in tried]
    print(
        f"the grid of {len(cells)} lies between {min(everywhere):.3f} and {max(everywhere):.3f}; the code's own values "
        f"were chosen on these five, so only the folds are of questions not seen; {time.perf_counter() - begin:.0f} s"
    )


def _of(outcomes: Sequence[Outcome], folds: Sequence[str]) -> list[Outcome]:
    return [outcome for fold in folds for outcome in outcomes if outcome.stratum == fold]


def _mean(outcomes: Sequence[Outcome], folds: Sequence[str]) -> float:
    values = [outcome.recall(MOST) for outcome in outcomes if outcome.stratum in folds]
    return sum(values) / len(values)
