"""``gm gift``: the memories that characters begin with, made and shown."""

from __future__ import annotations

from typing import Any

import click

from gm.cli import complete
from gm.cli.options import json_option, world_option
from gm.cli.terminal import counted, out, out_json, safe, say
from gm.store.layout import Layout


@click.command()
@click.argument("agents", nargs=-1, metavar="[AGENT]…", shell_complete=complete.agents)
@world_option
@click.option("--dry-run", is_flag=True, help="Tell what would change, and write nothing.")
@json_option
def gift(layout: Layout, agents: tuple[str, ...], dry_run: bool, as_json: bool) -> None:
    """Give characters the memories they begin with, made from personas and gm.yaml.

    They lie in state/gifted/ and are found by the tools of gm mcp; the memory streams stay what was lived. Run it again
    after a persona or gm.yaml has changed. Lines that you wrote or edited there stay as they are.
    """
    from gm.tools.gift import give_memories

    document, notes = give_memories(layout, agents, write=not dry_run)
    for note in notes:
        say(safe(note))
    if as_json:
        out_json(document)
        return
    for file in document["files"]:
        out(safe(f"{file['path']}: {counted(file['memories'], 'memory')}, {_changes(file)}"))
    if dry_run:
        say("Nothing was written.")


def _changes(file: dict[str, Any]) -> str:
    counts = [f"{len(file[key])} {key}" for key in ("added", "changed", "removed") if file[key]]
    told = ", ".join(counts) or "nothing changed"
    return told + (f"; edited by hand and kept: {', '.join(file['edited_by_hand'])}" if file["edited_by_hand"] else "")
