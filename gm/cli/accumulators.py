"""``gm accumulators``: the importance that has gathered since everybody's last reflection, as a table."""

from __future__ import annotations

from typing import Any

import click

from gm.cli import complete
from gm.cli.options import json_option, read_world, world_option
from gm.cli.terminal import out, out_json, safe, say
from gm.errors import UsageError
from gm.store.layout import Layout


@click.command()
@click.argument("agents", nargs=-1, metavar="[AGENT]…", shell_complete=complete.agents)
@world_option
@click.option("--recompute", is_flag=True, help="Sum the importance since the last reflection anew and compare.")
@click.option("--write", is_flag=True, help="Write what --recompute finds; nothing else in the files changes.")
@json_option
def accumulators(layout: Layout, agents: tuple[str, ...], recompute: bool, write: bool, as_json: bool) -> None:
    """Show the importance that everybody has summed up since their last reflection."""
    from functools import partial

    from gm.store.streams.archive import read_archive
    from gm.tools.accumulators import describe_accumulators, rewrite_accumulators

    if write and not recompute:
        raise UsageError("--write needs --recompute", "gm accumulators --recompute --write")
    if write:
        document, notes = rewrite_accumulators(layout, agents)
        for note in notes:
            say(safe(note))
    else:
        archive = partial(read_archive, layout)
        document = describe_accumulators(read_world(layout), agents, recompute=recompute, read_archive=archive)
    if as_json:
        out_json(document)
        return
    widest = max((len(name) for name in document["agents"]), default=0)
    for name, item in document["agents"].items():
        out(f"{safe(name).ljust(widest)} {_line(item, name in document.get('written', ()))}")
    out(f"threshold {document['threshold']}")


def _line(item: dict[str, Any], written: bool) -> str:
    due = " due" if item["due"] else ""
    since = f"since {item['last_reflection']}" if item["last_reflection"] else "never reflected"
    line = f"{item['accumulator']:4d}{due}"
    if "recomputed" in item:
        line += f"  recomputed {item['recomputed']:4d}"
        line += f" ({item['difference']:+d}{', written' if written else ''})" if item["difference"] else ""
        if not item["last_reflection_found"]:
            since = f"{since}, which is not in the stream: everything was summed"
    return safe(f"{line}  {since}")
