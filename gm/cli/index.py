"""``gm index``: the optional embedding index."""

from __future__ import annotations

import sys
from typing import Any

import click

from gm.cli import complete
from gm.cli.options import json_option, read_world, world_option
from gm.cli.terminal import counted, out, out_json, safe, say
from gm.cli.world import WorldGroup
from gm.errors import EXIT_DONE, EXIT_FIXABLE
from gm.store.layout import Layout


@click.group(cls=WorldGroup)
def index() -> None:
    """Build, look at or remove the optional embedding index.

    It lets recall find memories by their meaning. It is derived from the streams: deleting it loses nothing.
    """


@index.command()
@click.argument("agents", metavar="[AGENT]...", nargs=-1, shell_complete=complete.agents)
@world_option
@click.option("--rebuild", is_flag=True, help="Forget what is there and embed everything again.")
@json_option
def build(layout: Layout, agents: tuple[str, ...], rebuild: bool, as_json: bool) -> None:
    """Embed the memories that have no vector yet, of AGENTs or of everybody.

    Interrupted, the same command goes on where it stopped.
    """
    from gm.tools.index.build import build_index

    world = read_world(layout)
    document = build_index(layout, world, agents, anew=rebuild, tell=_tell)
    if not document["enabled"]:
        say("Recall does not use it yet: set index.enabled: true in gm.yaml")
    if as_json:
        out_json(document)
        return
    for name, built in document["agents"].items():
        dropped = f", {built['dropped']} dropped" if built["dropped"] else ""
        out(f"{safe(name)}: {built['embedded']} embedded, {built['rows']} rows{dropped}")


def _tell(agent: str, done: int, of: int) -> None:
    """Show progress: one line that changes where a person looks on, else one line when it is done."""
    line = safe(f"{agent}: {done} of {of} texts embedded")
    if sys.stderr.isatty():
        click.echo(f"\r{line}" + ("\n" if done == of else ""), err=True, nl=False)
    elif done == of:
        say(line)


@index.command()
@world_option
@click.option("--check", is_flag=True, help="Ask the provider for a test embedding.")
@json_option
def status(layout: Layout, check: bool, as_json: bool) -> int:
    """Show for each character what the index holds and what it lacks."""
    from gm.tools.index.describe import describe_index

    document = describe_index(layout, read_world(layout), check=check)
    if as_json:
        out_json(document)
    else:
        _show(document)
    checked = document["checked"]
    return EXIT_DONE if checked is None or checked["ok"] else EXIT_FIXABLE


def _show(document: dict[str, Any]) -> None:
    used = "used by recall" if document["enabled"] else "not used: index.enabled is false"
    where = f" at {document['url']}" if document["url"] else ""
    out(safe(f"{document['model']}, {document['dimensions']} dimensions, {document['provider']}{where}; {used}"))
    agents = document["agents"]
    widest = max(map(len, agents), default=0)
    for name, found in agents.items():
        out(f"{click.style(safe(name.ljust(widest)), bold=True)} {safe(_line(found))}")
    for owner, found in document.get("gifted", {}).items():
        out(safe(f"{owner.ljust(widest)} from the start: {_line(found)}"))
    checked = document["checked"]
    if checked and checked["ok"]:
        out("the provider answers")
    elif checked:
        say(click.style("the provider does not answer: ", fg="red", bold=True) + safe(checked["problem"]))
        say("  " + safe(checked["hint"]))


def _line(found: dict[str, Any]) -> str:
    if not found["rows"]:
        return f"{counted(found['memories'], 'memory')}, no index"
    if not found["usable"]:
        made = f"{found['model']} ({found['dimensions']} dimensions)"
        return (
            f"{counted(found['memories'], 'memory')}, {counted(found['rows'], 'row')} of {made}: stale; gm index build"
        )
    parts = [
        counted(found["memories"], "memory"),
        counted(found["rows"], "row"),
        f"{found['bytes'] / 1e6:.1f} MB",
    ]
    parts += [f"{found[key]} {key}" for key in ("missing", "stale", "damaged") if found[key]]
    return ", ".join(parts)


@index.command()
@world_option
@json_option
def remove(layout: Layout, as_json: bool) -> None:
    """Delete the index of everybody. Nothing is lost but the time to build it."""
    from gm.tools.index.describe import remove_index

    document = remove_index(layout)
    if as_json:
        out_json(document)
    elif document["agents"]:
        out(safe(f"removed the index of {', '.join(document['agents'])}: {document['bytes'] / 1e6:.1f} MB"))
    else:
        out("there is no index")
