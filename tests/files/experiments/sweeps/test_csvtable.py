"""Tables of a sweep, as gm writes them and as a spreadsheet saves them anew."""

from pathlib import Path

import pytest

from gm.files.experiments.sweeps.csvtable import read_csv
from gm.files.experiments.sweeps.folder import is_run_name, name_run


def read(folder: Path, content: bytes) -> tuple[list[dict[str, str]], list[str]]:
    table = folder / "table.csv"
    table.write_bytes(content)
    _, rows, problems = read_csv(table)
    return [dict(row.cells) for row in rows], [str(problem).split("\n")[0] for problem in problems]


@pytest.mark.parametrize(
    "content",
    [
        b"run,calls\na,1\n",
        b"\xef\xbb\xbfrun,calls\r\na,1\r\n",
        b'"run","calls"\n"a","1"',
        b"run,calls\n\n,\na,1\n,\n\n",
    ],
)
def test_marks_line_ends_quotes_and_blank_rows_change_nothing(tmp_path: Path, content: bytes) -> None:
    assert read(tmp_path, content) == ([{"run": "a", "calls": "1"}], [])


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (
            b"\xef\xbb\xbfrun;calls\na;1\n",
            "table.csv:1:4: error: found columns separated by ';', expected ','  [table-separator]",
        ),
        (b"run\tcalls\n", "table.csv:1:4: error: found columns separated by '\\t', expected ','  [table-separator]"),
        (b"run,calls\na\n", "table.csv:2: error: found 1 cells, expected 2  [table-row]"),
        (b'run,calls\na,1\n"b"c,2\n', "table.csv:3: error: ',' expected after '\"'  [table-row]"),
        (b"run,calls\nb\xf6se,2\n", "table.csv:2:2: error: byte 0xf6 is not UTF-8  [not-utf8]"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_place(tmp_path: Path, content: bytes, problem: str) -> None:
    assert read(tmp_path, content)[1] == [problem]


def test_a_cell_has_a_place_also_behind_quotes_and_line_ends(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text('run,said,calls\n"a","one, ""two""\nthree",4\nb,c,d\n', encoding="utf-8")
    _, (first, second), _ = read_csv(table)
    assert [first.place(name) for name in ("run", "said", "calls")] == [(2, 1), (2, 5), (3, 8)]
    assert [second.place(name) for name in ("run", "said", "calls")] == [(4, 1), (4, 3), (4, 5)]


@pytest.mark.parametrize("name", ["", ".", "..", "../x", "/etc", "a/b", "a\\b", "a\0", "a\n", "x" * 256])
def test_the_name_of_a_run_leads_nowhere_else(name: str) -> None:
    assert not is_run_name(name)


@pytest.mark.parametrize(
    "own", [{"seed": 1}, {"condition": "böse Zeiten", "model": "a/b"}, {"prices.org/model.input": 1}]
)
def test_the_name_that_a_run_is_given_is_one(own: dict[str, object]) -> None:
    assert is_run_name(name_run(own))
