"""A run of a sweep among its siblings: the tables of the sweep, side by side by condition."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from statistics import fmean

from gm.base.errors import Problem
from gm.files.experiments.sweeps.csvtable import read_csv
from gm.files.experiments.sweeps.folder import sweep_of
from gm.files.layout import Layout

CONDITION, SEED, RUN, STATUS, ALL = "condition", "seed", "run", "status", "all"
DONE = "done"
_FIRST_FIGURE, _NO_FIGURES = "days", ("world", "error")

Row = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Spread:
    """A figure in the finished runs of one condition: mean, least, most; ``runs`` is how many have it."""

    mean: float
    least: float
    most: float
    runs: int


@dataclass(frozen=True, slots=True)
class FigureLine:
    """A figure side by side: one ``Spread`` for each condition, None without a number.

    Attributes:
        measure, unit: Empty = a figure of ``table.csv``.
        of: What it is about; ``all`` = everybody.
        own: Of this run, with its interval (low, high) where there is one.
    """

    measure: str
    of: str
    name: str
    unit: str
    own: tuple[float, float | None, float | None] | None
    spreads: tuple[Spread | None, ...]


@dataclass(frozen=True, slots=True)
class ExperimentView:
    """A sweep as one of its runs sees it.

    Attributes:
        condition: Of this run; None = the table does not know it.
        conditions: With how many finished runs each has, in the order of the table.
        columns: Of ``table.csv``.
        runs: Its rows by condition, also of runs that failed or wait.
    """

    name: str
    run: str
    condition: str | None
    conditions: tuple[tuple[str, int], ...]
    columns: tuple[str, ...]
    runs: tuple[tuple[str, Row], ...]
    figures: tuple[FigureLine, ...]
    measures: tuple[FigureLine, ...]
    problems: tuple[Problem, ...] = ()


def view_experiment(layout: Layout) -> ExperimentView | None:
    """Return the sweep that a world is a run of; None = it is none. No other file than its two tables is read."""
    found = sweep_of(layout)
    if found is None:
        return None
    folder, run = found
    columns, rows, problems = read_csv(folder.table)
    _, measured, more = read_csv(folder.measures)
    table = [row.cells for row in rows]
    varied, figures = _split(columns)
    condition_of = _conditions(columns, varied)
    conditions = tuple(dict.fromkeys(map(condition_of, table)))
    runs = sorted(((condition_of(row), row) for row in table), key=lambda each: conditions.index(each[0]))
    finished = [(name, row) for name, row in runs if row.get(STATUS) == DONE]
    counted = {row.get(RUN, ""): name for name, row in finished}
    own = next((row for _, row in runs if row.get(RUN) == run), {})
    return ExperimentView(
        name=folder.root.name,
        run=run,
        condition=condition_of(own) if own else None,
        conditions=tuple((name, sum(one == name for one, _ in finished)) for name in conditions),
        columns=columns,
        runs=tuple(runs),
        figures=tuple(_figure(name, own, finished, conditions) for name in figures),
        measures=_measures([row.cells for row in measured], run, counted, conditions),
        problems=(*problems, *more),
    )


def parse_number(text: str | None) -> float | None:
    """Return the finite number in a cell."""
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if isfinite(value) else None


def _split(columns: Sequence[str]) -> tuple[list[str], list[str]]:
    at = columns.index(_FIRST_FIGURE) if _FIRST_FIGURE in columns else len(columns)
    varied = [name for name in columns[:at] if name not in (RUN, STATUS)]
    return varied, [name for name in columns[at:] if name not in _NO_FIGURES]


def _conditions(columns: Sequence[str], varied: Sequence[str]) -> Callable[[Row], str]:
    if CONDITION in columns:
        return lambda row: row[CONDITION]
    named = [name for name in varied if name != SEED]
    return lambda row: ", ".join(f"{name}={row[name]}" for name in named)


def _spread(values: Iterable[float | None]) -> Spread | None:
    found = [value for value in values if value is not None]
    return Spread(fmean(found), min(found), max(found), len(found)) if found else None


def _figure(name: str, own: Row, runs: Sequence[tuple[str, Row]], conditions: Sequence[str]) -> FigureLine:
    value = parse_number(own.get(name))
    spreads = tuple(_spread(parse_number(row[name]) for one, row in runs if one == each) for each in conditions)
    return FigureLine("", ALL, name, "", None if value is None else (value, None, None), spreads)


def _measures(
    rows: Sequence[Row], run: str, by_run: Mapping[str, str], conditions: Sequence[str]
) -> tuple[FigureLine, ...]:
    lines: dict[tuple[str, str, str, str], list[Row]] = {}
    for row in rows:
        measure, of, name, unit = (row.get(key, "") for key in ("measure", "of", "name", "unit"))
        lines.setdefault((measure, of, name, unit), []).append(row)
    return tuple(
        FigureLine(
            *key,
            next((_interval(row) for row in same if row.get(RUN) == run), None),
            tuple(
                _spread(parse_number(row.get("value")) for row in same if by_run.get(row.get(RUN, "")) == one)
                for one in conditions
            ),
        )
        for key, same in lines.items()
    )


def _interval(row: Row) -> tuple[float, float | None, float | None] | None:
    value = parse_number(row.get("value"))
    return None if value is None else (value, parse_number(row.get("low")), parse_number(row.get("high")))
