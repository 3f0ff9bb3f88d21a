"""Read the tables of a sweep back, with the place of each cell; a spreadsheet may have saved them anew."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from gm.base.errors import Problem
from gm.files.formats.text import locate_offset, read_text

WRITE_AGAIN = "run the command again that wrote it: gm sweep"
_CELL = re.compile(r'(?:"(?:[^"]|"")*"|[^,]*),?')
_OTHER_SEPARATORS = ";\t|"


@dataclass(frozen=True, slots=True)
class CsvRow:
    """A row that has a cell for each column.

    Attributes:
        line: Where it begins, from 1.
        source: As it stands in the file.
    """

    line: int
    source: str
    cells: Mapping[str, str]

    def place(self, column: str) -> tuple[int, int]:
        """Return line and column, both from 1, of a cell."""
        at = 0
        for _ in range(list(self.cells).index(column)):
            at = _end_of_cell(self.source, at)
        line, place = locate_offset(self.source, at)
        return self.line + line - 1, place


def read_csv(path: Path) -> tuple[tuple[str, ...], list[CsvRow], list[Problem]]:
    """Read the columns and rows of a table; absent = none. Rows without any text are passed over.

    Rows with more or fewer cells than columns are problems, and left out.
    """
    text, problems = read_text(path, path.name)
    lines = list(io.StringIO(text.body, newline=""))
    reader = csv.reader(lines, strict=True)
    rows: list[CsvRow] = []
    columns: tuple[str, ...] = ()
    begin = 0
    try:
        columns = tuple(next(reader, ()))
        problems += _check_separator(path, columns)
        begin = reader.line_num
        for cells in () if problems else reader:
            source, line = "".join(lines[begin : reader.line_num]), begin + 1
            begin = reader.line_num
            if len(cells) == len(columns):
                rows.append(CsvRow(line, source, dict(zip(columns, cells, strict=True))))
            elif any(cells):
                message = f"found {len(cells)} cells, expected {len(columns)}"
                problems.append(Problem(path.name, line, 0, "error", "table-row", message, WRITE_AGAIN))
    except csv.Error as error:
        problems.append(Problem(path.name, begin + 1, 0, "error", "table-row", str(error), WRITE_AGAIN))
    return columns, [row for row in rows if any(row.cells.values())], problems


def _check_separator(path: Path, columns: Sequence[str]) -> list[Problem]:
    found = next((sign for sign in _OTHER_SEPARATORS if len(columns) == 1 and sign in columns[0]), "")
    if not found:
        return []
    message = f"found columns separated by {found!r}, expected ','"
    hint = f"save it as CSV with commas, or {WRITE_AGAIN}"
    return [Problem(path.name, 1, columns[0].index(found) + 1, "error", "table-separator", message, hint)]


def _end_of_cell(source: str, at: int) -> int:
    found = _CELL.match(source, at)
    return found.end() if found else len(source)
