"""``gm init``."""

from __future__ import annotations

from pathlib import Path

import click

from gm.cli.terminal import out


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--template",
    default="studio",
    show_default=True,
    metavar="NAME",
    help="studio (German) or dinner (English).",
)
def init(folder: Path, template: str) -> None:
    """Make a new world in DIR, at day 0 and ready to run."""
    from gm.tools.create import create_world

    layout = create_world(folder, template)
    names = layout.agent_names()
    out(f"{folder}: the world {template!r} with {len(names)} characters: {', '.join(names)}")
    out(f"Play its first day:  gm advance-day -w {folder}")
