"""``gm evaluate``: figures of a world that need no model."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gm.base.installed import pip_install
from gm.base.texts import counted
from gm.cli import options
from gm.cli.commands import Output, examples, world_command, world_in
from gm.cli.terminal import aligned, heading, indented, out, paint, paragraph, safe
from gm.files.layout import Layout

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gm.api.experiments.evaluate.measure import Evaluation, Figure, Measured

HEAD = ("of", "figure", "value", "95 % interval", "n")
MOST_CASES = 5
"""Cases that are shown of a measure that was not named."""
LEFT = 2
"""Columns that are set flush left."""


@world_command(
    epilog=examples(
        "gm evaluate",
        "gm evaluate --measure promises --days 3-7",
        "gm evaluate --against ../what-if",
        "gm evaluate --out report",
    )
)
@options.names("--measure", help="Only these measures, with figures of each character and day.")
@click.option("--days", metavar="A-B", help="Only these story days; default: all played days.")
@click.option(
    "--canary",
    "canaries",
    metavar="WORD=AGENT,…",
    multiple=True,
    help="A planted word and the only characters who know it, to find leaks; repeatable.",
)
@click.option("--against", "other", metavar="DIR", type=options.FOLDER, help="Also measure this world, to compare.")
@click.option(
    "--out",
    "folder",
    metavar="DIR",
    type=options.FOLDER,
    help="Also write evaluation.md there and, with gm-worlds[data], evaluation.parquet.",
)
def evaluate(
    layout: Layout,
    measure: tuple[str, ...],
    days: str | None,
    canaries: tuple[str, ...],
    other: Path | None,
    folder: Path | None,
) -> Output:
    """Measure the characters without a model.

    It measures promises, plans, leaks, repetition, voices, drift, citations, and support in interviews. Everything is
    counted from files; no model is asked and nothing is changed. Each figure has its definition, its source and its
    95 % interval beside it; where there is nothing to count there is no evidence, and no figure.
    """
    from gm.api.experiments.evaluate.evaluation import evaluate_worlds
    from gm.api.experiments.evaluate.report import PARQUET, write_evaluation
    from gm.model.calendar import parse_days

    first, last = parse_days(days) if days is not None else (None, None)
    worlds = (layout,) if other is None else (layout, world_in(other))
    found, unreadable = evaluate_worlds(worlds, measure, first, last, canaries)
    written = write_evaluation(folder, found) if folder is not None else ()
    notes = [f"{PARQUET} needs {pip_install('data')}"] if folder is not None and PARQUET not in written else []
    paths = [str(folder / name) for name in written] if folder is not None else []
    return Output(partial(_show_evaluation, bool(measure), paths), found, (*notes, *unreadable))


def _show_evaluation(whole: bool, written: Sequence[str], found: Evaluation) -> None:
    for one in found.worlds:
        out(paint(safe(f"{one.shown}, days {one.first} to {one.last}"), bold=True))
        for measured in one.measures:
            _show_measured(measured, whole)
        out()
    if not whole:
        out("Of each character and day: gm evaluate --measure NAME, or --json")
    for path in written:
        out(safe(f"written: {path}"))


def _show_measured(measured: Measured, whole: bool) -> None:
    from gm.api.experiments.evaluate.measure import ALL
    from gm.api.experiments.evaluate.report import NO_EVIDENCE, canary_lines, format_figure

    heading(safe(measured.name), "cyan")
    if whole:
        paragraph(safe(measured.definition), 2)
        paragraph(safe(f"Source: {measured.source}"), 2)
        paragraph(safe(f"Intervals: {measured.interval}"), 2)
    if measured.missing:
        out(safe(f"  {NO_EVIDENCE}: {measured.missing}"))
    shown: Iterable[Figure] = measured.figures
    if not whole:
        shown = [figure for figure in measured.figures if figure.of == ALL] or measured.figures
    rows = [(safe(figure.of), safe(figure.name), *format_figure(figure)) for figure in shown]
    for line in aligned([HEAD, *rows], LEFT) if rows else ():
        out(f"  {line}")
    for line in canary_lines(measured):
        indented(safe(f"  {line}"), None, 6)
    if measured.cases:
        out(f"  {counted(len(measured.cases), 'case')} to look at:")
    most = len(measured.cases) if whole else MOST_CASES
    for case in measured.cases[:most]:
        indented(safe(f"  {case.agent}, {case.at}: {case.text}"), None, 6)
    if len(measured.cases) > most:
        out(f"  … and {len(measured.cases) - most} more: gm evaluate --measure {measured.name}")
