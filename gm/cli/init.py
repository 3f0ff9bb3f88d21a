"""``gm init``: a new world in a folder, or project files for a coding assistant in one that is there."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from gm.cli import complete
from gm.cli.options import examples
from gm.cli.terminal import counted, out, safe
from gm.store.layout import Layout, is_world, lies_in_repository

USUAL, ENGLISH = "studio", "dinner"


@click.command(epilog=examples("gm init my-world", "gm init dinner --template dinner"))
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--template",
    shell_complete=complete.templates,
    metavar="NAME",
    help=f"{USUAL} (German, the default) or {ENGLISH} (English).",
)
@click.option(
    "--assistant",
    metavar="NAME",
    help="Add project files for a coding assistant that plays the cast: claude-code. DIR may be a world already.",
)
@click.option(
    "--with-day", is_flag=True, help="Start after a first day that language models played (recorded; studio only)."
)
def init(folder: Path, template: str | None, assistant: str | None, with_day: bool) -> None:
    """Make a new world in DIR, at day 0 and ready to run."""
    from gm.tools.assistant import add_assistant, check_assistant
    from gm.tools.create import create_world

    if assistant:
        check_assistant(assistant)
    if assistant and is_world(folder):
        layout = Layout(folder.resolve())
    else:
        layout = create_world(folder, template or USUAL, with_day=with_day)
        names = layout.agent_names()
        cast = counted(len(names), "character")
        out(safe(f"{folder}: the world {template or USUAL!r} with {cast}: {', '.join(names)}"))
        if template is None:
            out(f"Its characters speak German. A world in English:  gm init DIR --template {ENGLISH}")
    if assistant:
        added = add_assistant(layout, assistant)
        for path in added:
            out(f"  {safe(path)}")
        if not added:
            out(f"{folder}: the files for {assistant} are there already")
        out("Open this folder with it and say:  /day")
    else:
        where = shlex.quote(str(folder))
        out(safe(f"Play its {'second' if with_day else 'first'} day:  gm advance-day -w {where}"), whole=True)
        begin = "" if lies_in_repository(layout) else f"git init {where} && "
        commit = f"git -C {where} add . && git -C {where} commit -m 'Day {1 if with_day else 0}'"
        out(safe(f"Follow every change in git:  {begin}{commit}"), whole=True)
