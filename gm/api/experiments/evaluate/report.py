"""An evaluation as files: Markdown to read, a table for calculations."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from gm.api.answers.parquet import render_parquet
from gm.api.experiments.evaluate.measure import Evaluation, Figure, Measured
from gm.files.formats.disk import write_file

MARKDOWN, PARQUET = "evaluation.md", "evaluation.parquet"
NO_EVIDENCE = "no evidence"
COLUMNS = ("world", "first", "last", "measure", "of", "figure", "value", "low", "high", "n", "unit")
_MARKS = re.compile(r"([\\`*_{}\[\]<>#|~&!])")


def write_evaluation(folder: Path, evaluation: Evaluation) -> tuple[str, ...]:
    """Write ``evaluation.md`` and, with pyarrow, ``evaluation.parquet``; return the names of what was written.

    Raises:
        GmError: The disk refused.
    """
    write_file(folder / MARKDOWN, render_markdown(evaluation).encode())
    table = render_parquet(partial(_make_table, evaluation=evaluation), f"{MARKDOWN} is there")
    if table is None:
        return (MARKDOWN,)
    write_file(folder / PARQUET, table)
    return MARKDOWN, PARQUET


def figure_rows(evaluation: Evaluation) -> list[dict[str, Any]]:
    """Return one row a figure, with the keys ``COLUMNS``."""
    return [
        dict(zip(COLUMNS, (one.world, one.first, one.last, measured.name, *_figure_row(figure)), strict=True))
        for one in evaluation.worlds
        for measured in one.measures
        for figure in measured.figures
    ]


def _figure_row(figure: Figure) -> tuple[Any, ...]:
    return figure.of, figure.name, figure.value, figure.low, figure.high, figure.count, figure.unit


def format_figure(figure: Figure) -> tuple[str, str, str]:
    """Return value, interval and number of cases as text; shares in percent."""
    interval = "" if figure.low is None or figure.high is None else f"{_render_value(figure, figure.low, figure.high)}"
    value = NO_EVIDENCE if figure.value is None else _render_value(figure, figure.value)
    return value, interval, str(figure.count)


def canary_lines(measured: Measured) -> list[str]:
    """Return a sentence for each planted word."""

    def listed(names: Sequence[str]) -> str:
        return ", ".join(names) or "no other"

    return [
        f"{one.word}: known to {listed(one.known)}; heard by {listed(one.heard)}; used by {listed(one.used)}"
        for one in measured.canaries
    ]


def _render_value(figure: Figure, *values: float) -> str:
    if figure.unit == "share":
        return " – ".join(f"{100 * value:.1f}" for value in values) + " %"
    said = " – ".join(f"{value:z.2f}".rstrip("0").rstrip(".") for value in values)
    return said if figure.unit == "count" else f"{said} {figure.unit}"


def render_markdown(evaluation: Evaluation) -> str:
    """Return an evaluation as Markdown; texts of the world are escaped."""
    return "\n".join(line for one in evaluation.worlds for line in _render_world(one))


def _render_world(one: Evaluation) -> Iterator[str]:
    yield f"# {_escape_markdown(one.shown)}, days {one.first} to {one.last}"
    for measured in one.measures:
        yield from _render_measure(measured)
    yield ""


def _render_measure(measured: Measured) -> Iterator[str]:
    yield from ("", f"## {_escape_markdown(measured.name)}", "", _escape_markdown(measured.definition), "")
    yield f"Source: {_escape_markdown(measured.source)}" + ("" if measured.source.endswith(".") else ".")
    if measured.interval:
        yield f"Intervals: {_escape_markdown(measured.interval)}."
    if measured.missing:
        yield from ("", f"{NO_EVIDENCE.capitalize()}: {_escape_markdown(measured.missing)}.")
    if measured.figures:
        yield from ("", "| of | figure | value | 95 % interval | n |", "|---|---|---:|---:|---:|")
        for figure in measured.figures:
            yield f"| {' | '.join(map(_escape_markdown, (figure.of, figure.name, *format_figure(figure))))} |"
    if measured.canaries or measured.cases:
        yield ""
    yield from (f"- {_escape_markdown(line)}" for line in canary_lines(measured))
    for case in measured.cases:
        yield f"- {_escape_markdown(case.agent)}, {_escape_markdown(case.at)}: {_escape_markdown(case.text)}"


def _escape_markdown(text: str) -> str:
    return _MARKS.sub(r"\\\1", " ".join(text.split()))


def _make_table(pyarrow: Any, evaluation: Evaluation) -> Any:
    text, whole, real = pyarrow.string(), pyarrow.int64(), pyarrow.float64()
    kinds = (text, whole, whole, text, text, text, real, real, real, whole, text)
    schema = pyarrow.schema(list(zip(COLUMNS, kinds, strict=True)))
    return pyarrow.Table.from_pylist(figure_rows(evaluation), schema)
