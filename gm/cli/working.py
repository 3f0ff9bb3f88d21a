"""``gm working``: the pages that characters keep through the day, looked at and changed by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from gm.cli import complete
from gm.cli.options import json_option, read_world, some_agent, world_option
from gm.cli.terminal import out, out_json, safe, say
from gm.cli.world import WorldGroup
from gm.store.layout import Layout


@click.group(cls=WorldGroup)
def working() -> None:
    """Show the pages of working memory, and change them by hand.

    A page is a file, state/working/<name>.yaml: current_subgoal, known, recent_insights, and what else is put there.
    Its owner sees it in every scene of the day and may write it anew. In the evening lines that begin with LESSON: or
    STRATEGY: become memories, and the subgoal goes. Switch it with working: {enabled: auto|on|off} in gm.yaml.
    """


@working.command("show")
@click.argument("agents", nargs=-1, metavar="[AGENT]…", shell_complete=complete.agents)
@world_option
@json_option
def show(layout: Layout, agents: tuple[str, ...], as_json: bool) -> None:
    """Show the page of AGENT, or of everybody."""
    from gm.tools.page import describe_pages

    document = describe_pages(layout, read_world(layout), agents)
    if as_json:
        out_json(document)
        return
    for item in document["pages"]:
        if item["page"] or agents:
            _show(item)
    if not agents and not any(item["page"] for item in document["pages"]):
        out(safe(f'No character has a page yet: gm working set {some_agent(layout)} current_subgoal "…"'))
    elif not document["on"]:
        say("Working memory is switched off (working.enabled in gm.yaml): nobody is shown their page.")


@working.command("set")
@click.argument("agent", shell_complete=complete.agents)
@click.argument("key")
@click.argument("texts", nargs=-1, required=True, metavar="TEXT…")
@world_option
@click.option("--add", is_flag=True, help="Put it behind what stands there, instead of in its place.")
@json_option
def set_key(layout: Layout, agent: str, key: str, texts: tuple[str, ...], add: bool, as_json: bool) -> None:
    """Write one or more TEXTs under KEY on AGENT's page: current_subgoal, known, recent_insights, or any other."""
    from gm.tools.page import set_on_page

    _written(*set_on_page(layout, agent, key, texts, add=add), as_json=as_json)


@working.command("clear")
@click.argument("agent", shell_complete=complete.agents)
@click.argument("key", required=False)
@world_option
@json_option
def clear(layout: Layout, agent: str, key: str | None, as_json: bool) -> None:
    """Take KEY off AGENT's page, or all that stands on it."""
    from gm.tools.page import clear_of_page

    _written(*clear_of_page(layout, agent, key), as_json=as_json)


def _written(document: dict[str, Any], notes: Sequence[str], *, as_json: bool) -> None:
    for note in notes:
        say(safe(note))
    if as_json:
        out_json(document)
    else:
        _show(document)


def _show(item: dict[str, Any]) -> None:
    out(click.style(safe(item["agent"]), bold=True) + ("" if item["page"] else ": an empty page"))
    for key, value in item["page"].items():
        for text in value if isinstance(value, list) else [value]:
            out(safe(f"  {key}: {text}"))
