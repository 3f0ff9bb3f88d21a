"""``gm index``: the optional embedding index."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from gm.base.errors import EXIT_DONE, EXIT_FIXABLE
from gm.base.texts import counted
from gm.cli import complete
from gm.cli.commands import CommandGroup, Output, read_world
from gm.cli.terminal import err, out, safe
from gm.files.layout import Layout

if TYPE_CHECKING:
    from gm.api.worlds.index import IndexBuilt, IndexRemoved, IndexState, IndexStatus


@click.group(cls=CommandGroup)
def index() -> None:
    """Build, inspect or remove the optional embedding index.

    With an index, recall finds memories by meaning. It is derived from the streams: deleting it loses nothing.
    """


@index.command()
@click.argument("agents", type=complete.AGENT, metavar="[AGENT]...", nargs=-1)
@click.option("--rebuild", is_flag=True, help="Discard the index and embed everything again.")
def build(layout: Layout, agents: tuple[str, ...], rebuild: bool) -> Output:
    """Embed memories that have no vector yet, of AGENTs or of all characters.

    If interrupted, the same command goes on where it stopped.
    """
    from gm.api.worlds.index import build_index

    world = read_world(layout)
    built = build_index(layout, world, agents, anew=rebuild, tell=_say_progress)
    notes = () if built.enabled else ("Recall does not use it yet: set index.enabled: true in gm.yaml",)
    return Output(_show_built, built, notes)


def _show_built(found: IndexBuilt) -> None:
    out(safe(f"{found.model}, {found.dimensions} dimensions"))
    for name, built in found.agents.items():
        dropped = f", {built.dropped} dropped" if built.dropped else ""
        out(f"{safe(name)}: {built.embedded} embedded, {built.rows} rows{dropped}")


def _say_progress(agent: str, done: int, of: int) -> None:
    """One line that changes on a terminal, elsewhere one when done."""
    line = safe(f"{agent}: {done} of {of} texts embedded")
    if sys.stderr.isatty():
        click.echo(f"\r{line}" + ("\n" if done == of else ""), err=True, nl=False)
    elif done == of:
        err(line)


@index.command()
@click.option("--check", is_flag=True, help="Ask the provider for a test embedding.")
def status(layout: Layout, check: bool) -> Output:
    """Show for each character how many memories the index has and lacks."""
    from gm.api.worlds.index import describe_index

    found = describe_index(layout, read_world(layout), check=check)
    return Output(_show_index, found, code=EXIT_DONE if found.checked is None or found.checked.ok else EXIT_FIXABLE)


def _show_index(found: IndexStatus) -> None:
    used = "used by recall" if found.enabled else "not used: index.enabled is false"
    where = f" at {found.url}" if found.url else ""
    out(safe(f"{found.model}, {found.dimensions} dimensions, {found.provider}{where}; {used}"))
    widest = max(map(len, found.agents), default=0)
    for name, state in found.agents.items():
        out(f"{click.style(safe(name.ljust(widest)), bold=True)} {safe(_render_state(state))}")
    for owner, state in (found.gifted or {}).items():
        out(safe(f"{owner.ljust(widest)} from the start: {_render_state(state)}"))
    checked = found.checked
    if checked and checked.ok:
        out("the provider answers")
    elif checked:
        err(click.style("the provider does not answer: ", fg="red", bold=True) + safe(checked.problem))
        err("  " + safe(checked.hint))


def _render_state(found: IndexState) -> str:
    memories = counted(found.memories, "memory")
    if not found.rows:
        return f"{memories}, no index"
    rows = counted(found.rows, "row")
    if not found.usable:
        return f"{memories}, {rows} of {found.model} ({found.dimensions} dimensions): stale; gm index build"
    lacks = (("missing", found.missing), ("stale", found.stale), ("damaged", found.damaged))
    parts = [memories, rows, f"{found.bytes / 1e6:.1f} MB", *(f"{count} {what}" for what, count in lacks if count)]
    return ", ".join(parts)


@index.command()
def remove(layout: Layout) -> Output:
    """Delete the index of all characters. Only the time to build it is lost."""
    from gm.api.worlds.index import remove_index

    return Output(_show_removed, remove_index(layout))


def _show_removed(removed: IndexRemoved) -> None:
    if removed.agents:
        out(safe(f"removed the index of {', '.join(removed.agents)}: {removed.bytes / 1e6:.1f} MB"))
    else:
        out("there is no index")
