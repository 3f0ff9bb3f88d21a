"""The table of a sweep: one row per run, byte-identical on all machines."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from itertools import combinations
from statistics import fmean
from typing import Any

from gm.api.answers.parquet import render_parquet
from gm.api.history.pastfiles import PastFiles
from gm.api.reports.cost import describe_cost
from gm.files.experiments.sweeps.folder import SweepFolder, digest_of_folder, spell_value
from gm.files.formats import disk
from gm.files.layout import Layout
from gm.files.load import load_world
from gm.files.questions.traces import TraceReader
from gm.files.story.logbook import read_log
from gm.model.node import Node
from gm.model.world import World

DIGITS = 16
Row = Mapping[str, Any]


def figures_of(layout: Layout, start: int) -> dict[str, Any]:
    """Return a run's figures since ``start``, the base world's last day.

    ``pairs_met`` counts pairs of characters that were alone in a scene; memories include archives but no copies.
    Dollars are None without a known price.
    """
    world = load_world(layout).world
    scenes, closed = _casts_of_scenes(layout, start, world.clock.day)
    nodes = [node for name in world.agents for node in _lived_nodes(layout, world, name) if node.when.day > start]
    cast = set(world.agents)
    pairs = {pair for names in scenes for pair in combinations(sorted(cast & set(names)), 2) if len(names) == 2}
    settled = [thread for thread in world.threads if not thread.is_open]
    totals = describe_cost(TraceReader(layout.traces), world.settings).totals
    return {
        "days": closed,
        "scenes": len(scenes),
        "memories": len(nodes),
        "reflections": sum(node.depth > 0 for node in nodes),
        "mean_importance": round(fmean(node.importance for node in nodes), 4) if nodes else None,
        "artifacts": sum(node.type == "artifact" for node in nodes),
        "threads_opened": sum(thread.since.day > start for thread in world.threads),
        "threads_closed": sum(thread.touched_at.day > start for thread in settled),
        "pairs_met": len(pairs),
        "calls": totals.calls,
        **{f"{kind}_tokens": count for kind, count in asdict(totals.tokens).items()},
        "usd": totals.usd,
        "unpriced_calls": totals.unpriced_calls,
    }


def world_digest(layout: Layout) -> str:
    """Return the digest of a world's files, except derived ones."""
    return digest_of_folder(layout.root)[:DIGITS]


def write_tables(folder: SweepFolder, rows: Sequence[Row], seconds: Mapping[str, float]) -> None:
    """Write ``table.csv``, ``times.csv`` and, with pyarrow, ``table.parquet``.

    Raises:
        GmError: The disk refused.
    """
    columns = list(rows[0])
    disk.write_file(folder.table, csv_bytes(columns, rows))
    times = [{"run": row["run"], "seconds": seconds.get(row["run"], 0.0)} for row in rows]
    disk.write_file(folder.times, csv_bytes(["run", "seconds"], times))
    parquet = parquet_bytes(columns, rows, folder.table.name)
    if parquet is not None:
        disk.write_file(folder.parquet, parquet)


def _casts_of_scenes(layout: Layout, start: int, last: int) -> tuple[list[tuple[str, ...]], int]:
    scenes: list[tuple[str, ...]] = []
    closed = 0
    for day in layout.logged_days():
        if start < day <= last:
            log = read_log(layout, day)
            closed += bool(log.closing)
            scenes += [entry.participants for entry in log.scenes]
    return scenes, closed


def _lived_nodes(layout: Layout, world: World, name: str) -> Iterable[Node]:
    path = layout.archived(name)
    archived = PastFiles({path.name: disk.read_or_none(path)}).nodes(path.name) if path.is_file() else {}
    stream = world.agents[name].stream
    here = {node.id for node in stream}
    return (*(node for node in archived.values() if node.id not in here), *stream)


def csv_bytes(columns: Sequence[str], rows: Sequence[Row]) -> bytes:
    """Return rows as CSV; None is an empty cell."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow(["" if row.get(name) is None else spell_value(row[name]) for name in columns])
    return text.getvalue().encode()


def parquet_bytes(columns: Sequence[str], rows: Sequence[Row], instead: str) -> bytes | None:
    """Return rows as Parquet; None without pyarrow.

    Raises:
        GmError: They cannot be written so; says that the file ``instead`` is there.
    """
    return render_parquet(
        lambda pyarrow: pyarrow.table({name: _column([row.get(name) for row in rows]) for name in columns}),
        f"{instead} is there",
    )


def _column(values: list[Any]) -> list[Any]:
    kinds = {type(value) for value in values if value is not None}
    if kinds == {int, float}:
        return [None if value is None else float(value) for value in values]
    if len(kinds) > 1 or kinds & {list, dict, tuple}:
        return [None if value is None else spell_value(value) for value in values]
    return values
