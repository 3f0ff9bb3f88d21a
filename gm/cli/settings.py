"""``gm settings``: what can be set, what holds in this world, and where that comes from."""

from __future__ import annotations

from typing import Any

import click

from gm.cli import complete
from gm.cli.options import chosen_world, examples, json_option, show_broken
from gm.cli.paint import paint, wrapped
from gm.cli.terminal import clip, out, out_json, safe, say
from gm.cli.world import OPTIONS, folders, named_world
from gm.errors import NoWorldError
from gm.store.layout import Layout

VALUE = 60


def _find(context: click.Context, _option: click.Parameter, value: str | None) -> Layout | None:
    """Find the world; without any, and without one that was named, defaults can be shown all the same."""
    try:
        return chosen_world(context, value)
    except NoWorldError:
        if named_world(context, value) is not None:
            raise
        return None


@click.command(epilog=examples("gm settings --own", "gm settings reflection"))
@click.argument("names", nargs=-1, metavar="[NAME]…", shell_complete=complete.setting_names)
@click.option(
    *OPTIONS,
    "layout",
    metavar="DIR",
    callback=_find,
    shell_complete=folders,
    help="The world's folder; default: this folder or the nearest parent that is a world; without one, the defaults.",
)
@click.option("--own", is_flag=True, help="Only what gm.yaml itself says.")
@json_option
def settings(layout: Layout | None, names: tuple[str, ...], own: bool, as_json: bool) -> None:
    """Show the settings: what holds in this world, and which line of gm.yaml says so.

    NAME is a whole name (reflection.threshold), a section (reflection), or a part of a name (token). With a NAME, what
    the setting does and what it takes is told as well.
    """
    from gm.tools.settings import describe_settings

    document, problems = describe_settings(layout, names, own=own)
    show_broken(problems)
    if as_json:
        out_json(document)
        return
    if layout is None:
        say("There is no world here: these are the defaults.")
    for item in document["settings"]:
        if names:
            _explain(item)
        else:
            _line(item)
    if own and not document["settings"]:
        out("gm.yaml says nothing of its own: the defaults hold.")


def _line(item: dict[str, Any]) -> None:
    from gm.config.manual import as_yaml

    source = "" if item["source"] == "default" else f"  # {item['source']}"
    value = safe(clip(as_yaml(item["value"]), VALUE))
    out(paint(f"{item['name']}:", bold=bool(source)) + f" {value}" + paint(safe(source), dim=True))


def _explain(item: dict[str, Any]) -> None:
    from gm.config.manual import as_yaml

    out(paint(safe(item["name"]), bold=True))
    for line in wrapped(item["sentence"], 4):
        out(line)
    for line in wrapped(f"takes {item['takes']}" + (f", in {item['unit']}" if item["unit"] else ""), 4):
        out(line)
    value = as_yaml(item["value"])
    rest = "" if item["source"] == "default" else f" (default: {clip(as_yaml(item['default']), VALUE)})"
    for line in wrapped(f"here: {value}, from {item['source']}{rest}", 4):
        out(line)
