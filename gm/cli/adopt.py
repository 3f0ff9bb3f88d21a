"""``gm adopt``: another tool's world made a world of gm; with ``--dry-run`` what would be made."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import click

from gm.cli.options import json_option
from gm.cli.terminal import counted, out, out_json, safe, say
from gm.store.layout import find_world


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path), default=".")
@click.option("--dry-run", is_flag=True, help="Only show what would be made.")
@json_option
def adopt(folder: Path, dry_run: bool, as_json: bool) -> None:
    """Make the world in DIR, which another tool has been writing, a world that gm can play.

    It gets a gm.yaml fitted to what is found, and a persona for every character without one, filled from agent
    definitions or rosters where there are any. Nothing that exists is touched. Run twice, it changes nothing.
    """
    from gm.tools.adopt.run import carry_out, describe_adoption, plan_adoption

    layout = find_world(folder, named=True)
    adoption = plan_adoption(layout)
    written = bool(adoption.made) and not dry_run
    if written:
        for note in carry_out(layout, adoption):
            say(safe(note))
    if as_json:
        out_json(describe_adoption(adoption, written=written))
        return
    _show(adoption, folder, dry_run)


def _show(adoption: Any, folder: Path, dry_run: bool) -> None:
    cast = counted(len(adoption.agents), "character")
    out(f"{folder}: {cast}, day {adoption.day}: {', '.join(map(safe, adoption.agents))}")
    verb = "would make" if dry_run else "made"
    for item in adoption.made:
        source = f"  from {item.source} ({item.why})" if item.source else ""
        out(click.style(safe(f"{verb} {item.path}"), bold=True) + safe(source))
        for what in item.fill_in:
            out(safe(f"    fill in: {what}"))
    if not adoption.made:
        out("Nothing is missing; nothing was changed.")
    for note in adoption.notes:
        out(safe(f"note: {note}"))
    for problem in adoption.problems:
        say(safe(str(problem)))
    if adoption.problems:
        say("gm advance-day needs these places corrected by hand first.")
    elif adoption.agents:
        day = f"goes on with day {adoption.day}" if adoption.day_open else f"plays day {adoption.day + 1}"
        out(safe(f"gm advance-day -w {shlex.quote(str(folder))}  {day}"), whole=True)
    else:
        out("Nobody lives here yet: put a persona into state/personas/<id>.md")
