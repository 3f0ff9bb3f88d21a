"""The results of a sweep, after a person has saved ``table.csv`` with a spreadsheet."""

from collections.abc import Callable
from pathlib import Path

import pytest

from gm.api.experiments.sweep.compare import compare_conditions
from gm.api.experiments.sweep.table import csv_bytes
from gm.base.errors import BrokenWorldError
from gm.files.experiments.sweeps.folder import SweepFolder, write_note

FIGURES = [
    "days",
    "scenes",
    "memories",
    "reflections",
    "mean_importance",
    "artifacts",
    "threads_opened",
    "threads_closed",
    "pairs_met",
    "calls",
    "input_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "output_tokens",
    "usd",
    "unpriced_calls",
]
COLUMNS = ["run", "status", "seed", *FIGURES, "world", "error"]
ROWS = [
    {"run": f"condition={name},seed=1", "status": "waiting", "seed": 1, "calls": 12, "error": "no answer"}
    for name in ("full", "bare")
]


@pytest.fixture
def sweep(tmp_path: Path) -> SweepFolder:
    folder = SweepFolder(tmp_path)
    write_note(folder.experiment, {"conditions": ["full", "bare"], "measures": ["plans"]})
    for row in ROWS:
        values = {"condition": str(row["run"]).split(",")[0].partition("=")[2], "seed": 1}
        write_note(folder.note(str(row["run"])), {"values": values})
    folder.table.write_bytes(csv_bytes(COLUMNS, ROWS))
    return folder


def problems_of(folder: SweepFolder, change: Callable[[str], str]) -> list[str]:
    folder.table.write_text(change(folder.table.read_text(encoding="utf-8")), encoding="utf-8")
    with pytest.raises(BrokenWorldError, match="cannot be read") as raised:
        compare_conditions(folder.root)
    assert raised.value.hint == "run the command again that wrote it: gm sweep"
    return [str(problem).split("\n")[0] for problem in raised.value.problems]


def test_a_table_as_it_was_written_is_read(sweep: SweepFolder) -> None:
    runs = compare_conditions(sweep.root).runs
    assert [(run.condition, run.error) for run in runs] == [("full", "no answer"), ("bare", "no answer")]


def test_other_orders_of_columns_a_mark_and_blank_rows_change_nothing(sweep: SweepFolder) -> None:
    before = compare_conditions(sweep.root)
    saved = csv_bytes(sorted(COLUMNS), ROWS).replace(b"\n", b"\r\n")
    sweep.table.write_bytes(b"\xef\xbb\xbf" + saved + b"," * len(FIGURES) + b",,,,\r\n\r\n")
    assert compare_conditions(sweep.root) == before


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (
            lambda text: text.replace(",", ";"),
            "table.csv:1:4: error: found columns separated by ';', expected ','  [table-separator]",
        ),
        (
            lambda text: text.replace("calls,", "asked,", 1),
            "table.csv:1:1: error: found no column calls; expected the columns that gm sweep writes  [table-column]",
        ),
        (
            lambda text: text.replace(",12,", ",twelve,", 1),
            "table.csv:2:44: error: calls: found 'twelve', expected a number, at least 0, such as 0.25  [table-cell]",
        ),
        (
            lambda text: text.replace(",12,", ",nan,", 1),
            "table.csv:2:44: error: calls: found 'nan', expected a number, at least 0, such as 0.25  [table-cell]",
        ),
        (
            lambda text: text.replace("waiting", "TRUE", 1),
            "table.csv:2:25: error: status: found 'TRUE', expected one of done, failed, waiting  [table-cell]",
        ),
        (
            lambda text: text.replace("condition=bare", "condition=full"),
            "table.csv:3:1: error: run: found 'condition=full,seed=1', expected one row for each run  [table-cell]",
        ),
    ],
)
def test_what_a_spreadsheet_made_of_it_is_named_with_its_place(
    sweep: SweepFolder, change: Callable[[str], str], problem: str
) -> None:
    assert problems_of(sweep, change) == [problem]


@pytest.mark.parametrize("name", ["../../elsewhere", "/etc", "..", ""])
def test_the_name_of_a_run_is_no_path(sweep: SweepFolder, name: str) -> None:
    (found,) = problems_of(sweep, lambda text: text.replace('"condition=full,seed=1"', name))
    assert (
        found == f"table.csv:2:1: error: run: found {name!r}, expected the name of a run, such as seed=1  [table-cell]"
    )


def test_all_that_is_wrong_is_named_at_once(sweep: SweepFolder) -> None:
    assert len(problems_of(sweep, lambda text: text.replace("waiting", "ready").replace(",12,", ",x,"))) == 4
