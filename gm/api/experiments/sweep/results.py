"""The results of the runs of a sweep, read back from ``table.csv``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path

from gm.api.experiments.sweep.play import DONE, FAILED, WAITING
from gm.base.errors import Problem, refuse_errors
from gm.base.texts import clip
from gm.files.experiments.sweeps.csvtable import WRITE_AGAIN, CsvRow, read_csv
from gm.files.experiments.sweeps.plan import is_run_name

_RUN, _STATUS, _ERROR = "run", "status", "error"
_STATES = (DONE, FAILED, WAITING)


@dataclass(frozen=True, slots=True)
class Result:
    """A row of the table; ``numbers`` are by column, None = the cell is empty."""

    run: str
    status: str
    error: str
    numbers: Mapping[str, float | None]


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
