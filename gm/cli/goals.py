"""``gm goals``: what characters want to reach, and how far they have come."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from gm.cli import complete
from gm.cli.options import json_option, read_world, some_agent, world_option
from gm.cli.terminal import clip, out, out_json, safe, say
from gm.cli.world import ListGroup
from gm.store.layout import Layout

TEXT = 300


@click.group(cls=ListGroup)
def goals() -> None:
    """Show what characters want to reach, and what they have reported about it.

    Goals stand in state/goals/NAME.jsonl, one event a line. As soon as anybody has one, all are asked about theirs
    (`goals: auto`).
    """


@goals.command("list")
@click.argument("agents", nargs=-1, metavar="[AGENT]…", shell_complete=complete.agents)
@world_option
@json_option
def list_goals(layout: Layout, agents: tuple[str, ...], as_json: bool) -> None:
    """List goals with what was last said about each."""
    from gm.tools.goals import describe_goals

    document = describe_goals(read_world(layout), agents)
    if as_json:
        out_json(document)
        return
    for name, items in document["agents"].items():
        for item in items:
            _show(name, item)
    if not any(document["agents"].values()):
        out(safe(f'No character has a goal yet: gm goals add {some_agent(layout)} "…"'))


@goals.command()
@click.argument("agent", shell_complete=complete.agents)
@click.argument("text")
@world_option
@json_option
def add(layout: Layout, agent: str, text: str, as_json: bool) -> None:
    """Give AGENT a goal."""
    _write(layout, agent, "open", text, "", as_json)


@goals.command()
@click.argument("agent", shell_complete=complete.agents)
@click.argument("identifier", metavar="ID")
@click.argument("text")
@world_option
@json_option
def progress(layout: Layout, agent: str, identifier: str, text: str, as_json: bool) -> None:
    """Note what AGENT has come closer by."""
    _write(layout, agent, "progress", text, identifier, as_json)


@goals.command()
@click.argument("agent", shell_complete=complete.agents)
@click.argument("identifier", metavar="ID")
@click.option("--outcome", type=click.Choice(("reached", "abandoned")), required=True, help="What became of it.")
@click.option("--text", default="Settled by hand.", show_default=True, help="How, in one sentence.")
@world_option
@json_option
def close(layout: Layout, agent: str, identifier: str, outcome: str, text: str, as_json: bool) -> None:
    """Settle a goal of AGENT's."""
    _write(layout, agent, outcome, text, identifier, as_json)


def _write(layout: Layout, agent: str, event: str, text: str, identifier: str, as_json: bool) -> None:
    from gm.tools.goals import write_goal

    document, notes = write_goal(layout, agent, event, text, identifier)
    _say(notes)
    if as_json:
        out_json(document)
    else:
        _show(document["agent"], document)


def _show(name: str, item: dict[str, Any]) -> None:
    state = item["outcome"] or (f"{item['steps']} steps" if item["steps"] != 1 else "1 step")
    head = click.style(safe(f"{name} {item['id']}"), bold=True)
    out(f"{head}  {safe(clip(item['text'], TEXT))}  ({safe(state)}, since {safe(item['since'])})")
    if item["last"]:
        out(click.style(f"    {safe(item['touched'])}: {safe(clip(item['last'], TEXT))}", dim=True))


def _say(notes: Sequence[str]) -> None:
    for note in notes:
        say(safe(note))
