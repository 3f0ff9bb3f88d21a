"""``gm soul``: what characters are made of, looked at and changed by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from gm.cli import complete
from gm.cli.options import json_option, read_world, some_agent, world_option
from gm.cli.terminal import out, out_json, safe, say
from gm.cli.world import WorldGroup
from gm.layers.soul import SOUL_KINDS
from gm.store.layout import Layout


@click.group(cls=WorldGroup)
def soul() -> None:
    """Show what characters are made of, and change it by hand.

    A soul is a file, state/souls/<name>.yaml: beliefs, values, fears, convictions, a list of sentences each. It stands
    right behind the persona in every prompt, whole, and nothing ever summarises or archives it. Characters change it
    themselves, rarely. Switch it with soul: auto|on|off in gm.yaml; auto means on as soon as somebody has a soul.
    """


@soul.command("show")
@click.argument("agents", nargs=-1, metavar="[AGENT]…", shell_complete=complete.agents)
@world_option
@json_option
def show(layout: Layout, agents: tuple[str, ...], as_json: bool) -> None:
    """Show the souls of AGENT, or of everybody, with a number for each sentence."""
    from gm.tools.soul import describe_souls

    document = describe_souls(layout, read_world(layout), agents)
    if as_json:
        out_json(document)
        return
    for item in document["souls"]:
        if item["entries"] or agents:
            out(click.style(safe(item["agent"]), bold=True) + ("" if item["entries"] else ": nothing is written down"))
        for entry in item["entries"]:
            out(safe(f"  {entry['number']:>2} {entry['kind']}: {entry['text']}"))
    if not agents and not any(item["entries"] for item in document["souls"]):
        out(safe(f'No character has a soul yet: gm soul add {some_agent(layout)} "…" --kind belief'))
    elif not document["on"]:
        say("Souls are switched off (soul: in gm.yaml): nobody is shown theirs.")


@soul.command("add")
@click.argument("agent", shell_complete=complete.agents)
@click.argument("text")
@world_option
@click.option(
    "--kind", type=click.Choice(tuple(SOUL_KINDS)), default="belief", show_default=True, help="What the sentence is."
)
@json_option
def add(layout: Layout, agent: str, text: str, kind: str, as_json: bool) -> None:
    """Add the sentence TEXT to AGENT's soul."""
    from gm.tools.soul import add_to_soul

    _written(*add_to_soul(layout, agent, kind, text), as_json=as_json)


@soul.command("remove")
@click.argument("agent", shell_complete=complete.agents)
@click.argument("which", metavar="NUMBER|TEXT")
@world_option
@json_option
def remove(layout: Layout, agent: str, which: str, as_json: bool) -> None:
    """Take a sentence out of AGENT's soul, by its number in gm soul show or by its words."""
    from gm.tools.soul import remove_from_soul

    _written(*remove_from_soul(layout, agent, which), as_json=as_json)


def _written(document: dict[str, Any], notes: Sequence[str], *, as_json: bool) -> None:
    for note in notes:
        say(safe(note))
    if as_json:
        out_json(document)
        return
    for sign, key in (("+", "added"), ("-", "removed")):
        for entry in document[key]:
            out(safe(f"{document['agent']} {sign} {entry['kind']}: {entry['text']}"))
