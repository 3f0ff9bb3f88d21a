"""The report of an experiment: Markdown, a page of its own, and all figures as a table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from gm.api.experiments.sweep.compare import TABLE, Experiment
from gm.api.experiments.sweep.effects import ComparedFigure, Effect
from gm.api.experiments.sweep.results import COUNTED, RunResult
from gm.api.experiments.sweep.table import csv_bytes, parquet_bytes
from gm.base.markup.clean import neutral_line
from gm.files.experiments.sweeps.folder import Condition, SweepFolder, spell_value
from gm.files.formats.disk import write_file

REPORTS = ("report.md", "report.html")
COLUMNS = ("run", "condition", "measure", "of", "name", "value", "low", "high", "count", "unit")
NOTHING = "–"
BY_DESIGN = "†"
"""Marks a difference that follows from the condition itself."""
_MARKDOWN = str.maketrans({char: f"\\{char}" for char in "\\`*_{}[]<>|#~&!"})


def write_sweep_report(folder: SweepFolder, experiment: Experiment, conditions: tuple[Condition, ...]) -> None:
    """Write ``REPORTS``, ``measures.csv`` and, with pyarrow, ``measures.parquet`` into the folder of a sweep.

    Args:
        conditions: What each condition sets, as the file of the sweep says.

    Raises:
        GmError: The disk refused.
    """
    shown = {
        "title": folder.root.name,
        "experiment": experiment,
        "settings": {
            one.name: [f"{key}: {spell_value(value)}" for key, value in one.values.items()] for one in conditions
        },
        "parts": list(_measure_sections(experiment)),
        "graphs": {(one.measure, one.name): graph_of(one) for one in experiment.figures},
    }
    for name in REPORTS:
        write_file(
            folder.root / name, _environment(name.endswith(".html")).get_template(f"{name}.j2").render(shown).encode()
        )
    rows = list(_experiment_rows(experiment))
    write_file(folder.measures, csv_bytes(COLUMNS, rows))
    parquet = parquet_bytes(COLUMNS, rows, folder.measures.name)
    if parquet is not None:
        write_file(folder.measures.with_suffix(".parquet"), parquet)


def figure_text(value: float | None, unit: str, *, signed: bool = False) -> str:
    """Return a figure as it is read: shares in percent, at most three digits behind the point."""
    if value is None:
        return NOTHING
    sign = "+" if signed and value > 0 else ""
    if unit == "share":
        return f"{sign}{100 * value:z.1f} {'points' if signed else '%'}"
    text = f"{value:z,.0f}" if value == int(value) else f"{value:,.1f}" if abs(value) >= 100 else f"{value:,.3g}"
    return f"{sign}{'$' if unit == 'dollars' else ''}{text}"


def span_text(low: float | None, high: float | None, unit: str, *, signed: bool = False) -> str:
    """Return an interval as it is read; empty where there is none."""
    if low is None or high is None:
        return ""
    return f"{figure_text(low, unit, signed=signed)} … {figure_text(high, unit, signed=signed)}"


def size_text(effect: Effect) -> str:
    """Return an effect size as it is read."""
    return NOTHING if effect.size is None else f"{effect.size_kind} = {effect.size:+z.2f}"


def graph_of(one: ComparedFigure) -> dict[str, tuple[float, float, float]]:
    """Return the beginning, the mean and the end of each interval, 0 to 100, by condition; without evidence none."""
    found = {
        effect.condition: (
            effect.mean if effect.low is None else effect.low,
            effect.mean,
            effect.mean if effect.high is None else effect.high,
        )
        for effect in one.effects
        if effect.mean is not None
    }
    ends = [0.0, *(end for span in found.values() for end in span)]
    least, most = min(ends), max(ends)
    wide = (most - least) or 1.0

    def percent(end: float) -> float:
        return round(100 * (end - least) / wide, 2)

    return {name: (percent(low), percent(mean), percent(high)) for name, (low, mean, high) in found.items()}


def _measure_sections(experiment: Experiment) -> Iterator[dict[str, Any]]:
    known = {one.name: one for one in experiment.measures}
    for name in dict.fromkeys((*known, *(one.measure for one in experiment.figures))):
        yield {
            "name": name,
            "about": known.get(name),
            "figures": [one for one in experiment.figures if one.measure == name],
            "is_table": name == TABLE,
        }


def _experiment_rows(experiment: Experiment) -> Iterator[dict[str, Any]]:
    for run in experiment.runs:
        yield from ({"run": run.name, "condition": run.condition, **row} for row in _figure_rows(run))


def _figure_rows(run: RunResult) -> Iterator[dict[str, Any]]:
    for measured in run.evaluation.measures if run.evaluation else ():
        yield from ({"measure": measured.name, **asdict(figure)} for figure in measured.figures)
    for name, value in run.table.items():
        yield {"measure": TABLE, "of": "all", "name": name, "value": value, "count": 1, "unit": COUNTED[name][0]}


@cache
def _environment(is_page: bool) -> Environment:
    environment = Environment(
        loader=PackageLoader("gm.api.experiments.sweep", "templates"),
        autoescape=is_page,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["line"] = neutral_line if is_page else lambda text: neutral_line(text).translate(_MARKDOWN)
    environment.globals |= {"by_design": BY_DESIGN, "figure": figure_text, "span": span_text, "size": size_text}
    return environment
