"""``gm stats``: figures about memories, as a table."""

from __future__ import annotations

from typing import Any

import click

from gm.cli.options import json_option, read_world, world_option
from gm.cli.paint import width
from gm.cli.terminal import counted, out, out_json, safe
from gm.store.layout import Layout
from gm.tools.stats import describe_stats

BAR_WIDTH = 40


@click.command()
@world_option
@json_option
def stats(layout: Layout, as_json: bool) -> None:
    """Show figures about the memories: kinds, depths, importance, tags."""
    document = describe_stats(read_world(layout))
    if as_json:
        out_json(document)
        return
    everything = document["all"]
    out(
        ", ".join(
            (
                counted(document["days"], "day"),
                counted(document["scenes"], "scene"),
                counted(everything["memories"], "memory"),
            )
        )
    )
    if not everything["memories"]:
        return
    out("kinds:  " + safe(_pairs(everything["types"])))
    out("depths: " + _pairs(everything["depths"]))
    out(f"importance, mean {everything['importance']['mean']}:")
    spread = everything["importance"]["spread"]
    most, longest = max(spread.values()), min(BAR_WIDTH, width() - len("  10 123456  "))
    for value in range(1, 11):
        count = spread.get(str(value), 0)
        out(f"  {value:2d} {count:6d} {'█' * round(longest * count / most)}")
    out("tags:   " + safe(_pairs(everything["tags"])))
    for name, figures in document["agents"].items():
        mean = figures["importance"]["mean"]
        out(f"  {safe(name)}: {counted(figures['memories'], 'memory')}, {figures['per_day']} a day, importance {mean}")


def _pairs(figures: dict[str, Any]) -> str:
    return ", ".join(f"{name} {count}" for name, count in figures.items())
