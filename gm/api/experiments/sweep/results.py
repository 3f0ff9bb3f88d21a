"""The results of the runs of a sweep, read back from ``table.csv`` and from their worlds."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path
from typing import Any

from gm.api.experiments.evaluate.evaluation import describe_evaluation
from gm.api.experiments.evaluate.measure import ALL, Evaluation
from gm.api.experiments.sweep.by_design import list_switched_off
from gm.api.experiments.sweep.play import DONE, FAILED, WAITING
from gm.api.reports.cost import TOKENS, describe_cost
from gm.base.errors import GmError, Problem, refuse_errors
from gm.base.texts import clip
from gm.files.experiments.sweeps.csvtable import WRITE_AGAIN, CsvRow, read_csv
from gm.files.experiments.sweeps.folder import CONDITION, SweepFolder, is_run_name
from gm.files.formats import disk
from gm.files.questions.traces import TraceReader
from gm.files.story.now import load_settings

_RUN, _STATUS, _ERROR = "run", "status", "error"
_STATES = (DONE, FAILED, WAITING)
COUNTED: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "scenes": ("count", ("scenes",)),
    "memories": ("count", ("memories",)),
    "calls": ("count", ("calls",)),
    "tokens": ("count", TOKENS),
    "usd": ("dollars", ("usd",)),
}
"""Figures of ``table.csv``: the unit, and the columns whose sum they are."""


@dataclass(frozen=True, slots=True)
class Result:
    """A row of the table; ``numbers`` are by column, None = the cell is empty."""

    run: str
    status: str
    error: str
    numbers: Mapping[str, float | None]


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


def read_results(table: Path, numbers: Sequence[str]) -> tuple[Result, ...]:
    """Read the rows of a table.

    Args:
        numbers: Columns to read as numbers.

    Raises:
        BrokenWorldError: It cannot be read without doubt; has each place.
    """
    columns, rows, problems = read_csv(table)
    missing = [name for name in (_RUN, _STATUS, _ERROR, *numbers) if name not in columns]
    if missing and not problems:
        message = f"found no column {', '.join(missing)}; expected the columns that gm sweep writes"
        problems.append(Problem(table.name, 1, 1, "error", "table-column", message, WRITE_AGAIN))
    if not problems:
        problems += [problem for row in rows for problem in _check_row(table.name, row, numbers)]
        problems += _check_twice(table.name, rows)
    refuse_errors(problems, f"the results of {table.parent.name} cannot be read", WRITE_AGAIN)
    return tuple(
        Result(
            row.cells[_RUN],
            row.cells[_STATUS],
            row.cells[_ERROR],
            {name: _parse_number(row.cells[name]) if row.cells[name] else None for name in numbers},
        )
        for row in rows
    )


def read_run(place: SweepFolder, result: Result, measures: Sequence[str], canaries: Sequence[str] = ()) -> RunResult:
    """Read what a run has come to; only a finished one is evaluated."""
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
        first = int(note.get("start", 0)) + 1
        return replace(ran, evaluation=describe_evaluation(layout, measures, first, canaries=canaries))
    except GmError as error:
        return replace(ran, error=error.message)


def _sum(numbers: Iterable[float | None]) -> float | None:
    given = [number for number in numbers if number is not None]
    return sum(given) if given else None


def _check_row(shown: str, row: CsvRow, numbers: Sequence[str]) -> Iterator[Problem]:
    if not is_run_name(row.cells[_RUN]):
        yield _report(shown, row, _RUN, "the name of a run, such as seed=1")
    if row.cells[_STATUS] not in _STATES:
        yield _report(shown, row, _STATUS, f"one of {', '.join(_STATES)}")
    for name in numbers:
        if row.cells[name] and _parse_number(row.cells[name]) is None:
            yield _report(shown, row, name, "a number, at least 0, such as 0.25")


def _check_twice(shown: str, rows: Sequence[CsvRow]) -> Iterator[Problem]:
    known: set[str] = set()
    for row in rows:
        if row.cells[_RUN] in known:
            yield _report(shown, row, _RUN, "one row for each run")
        known.add(row.cells[_RUN])


def _report(shown: str, row: CsvRow, column: str, expected: str) -> Problem:
    message = f"{column}: found {clip(repr(row.cells[column]))}, expected {expected}"
    return Problem(shown, *row.place(column), "error", "table-cell", message, WRITE_AGAIN)


def _parse_number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if isfinite(value) and value >= 0 else None
