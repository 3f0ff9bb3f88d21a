"""``gm log``: the story of a world, day by day."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from gm.cli import complete
from gm.cli.options import examples, json_option, show_broken, world_option
from gm.cli.paint import paint, width, wrapped
from gm.cli.terminal import clip, counted, out, out_json, safe
from gm.errors import UsageError
from gm.store.layout import Layout

DAYS = 5


@click.command(epilog=examples("gm log -n 1", "gm log AGENT"))
@click.argument("agent", required=False, shell_complete=complete.agents)
@world_option
@click.option(
    "--day", metavar="N", type=click.IntRange(min=0), help="Only this day.", shell_complete=complete.day_numbers
)
@click.option("-n", "most", type=click.IntRange(min=0), default=DAYS, show_default=True, help="Most days; 0 = all.")
@json_option
def log(layout: Layout, agent: str | None, day: int | None, most: int, as_json: bool) -> None:
    """Show what happened, the newest day first; or what happened to AGENT and what stayed with it."""
    from gm.tools.diff.story import describe_story

    if agent and (number := agent.lower().removeprefix("day-")).isdecimal() and agent not in layout.agent_names():
        raise UsageError(f"nobody here is called {agent!r}", f"a day: gm log --day {int(number)}")
    document, problems = describe_story(layout, agent=agent, day=day, most=most)
    show_broken(problems)
    if as_json:
        out_json(document)
        return
    for place, item in enumerate(document["days"]):
        if place:
            out()
        _show_day(item, own=document["agent"] is not None)
    left = document["of"] - len(document["days"])
    if left and day is None:
        out(paint(f"\n… and {counted(left, 'earlier day')}: -n 0 shows all", dim=True))
    if not document["of"]:
        out("No day was played yet: gm advance-day")


def _show_day(item: Mapping[str, Any], *, own: bool) -> None:
    count = sum(item["memories"].values())
    head = f"day {item['day']}{'' if item['closed'] else ' (not closed)'}"
    out(paint(head, "yellow", bold=True) + f"  {counted(len(item['scenes']), 'scene')}, {counted(count, 'memory')}")
    if item["summary"] and not own:
        _say(item["summary"], indent=2)
    for scene in item["scenes"]:
        head = f"  {scene['scene']}. {scene['type']} · {scene['time_of_day']}"
        head += f" · {scene['location']}" if scene["location"] else ""
        out(paint(safe(clip(head.strip(), width() - 2)).join(("  ", "")), bold=True))
        _say(f"{', '.join(scene['participants'])}: {clip(scene['summary'], 220)}", indent=5)
    for node in item["own"]:
        out("  " + paint(f"+ {safe(node['id'])}", "green") + f" {safe(node['type'])} ({node['importance']})")
        _say(node["description"], indent=5)
    for node in item["reflections"]:
        out("  " + paint(f"+ {safe(node['id'])}", "magenta") + f" depth {node['depth']} ({node['importance']})")
        _say(node["description"], indent=5)
        if node["evidence"]:
            _say(f"rests on {', '.join(node['evidence'])}", indent=5, colour="magenta")
    for path in item["artifacts"]:
        out(paint(safe(f"  → {path}"), "green"))
    for thread in item["threads"]:
        _say(f"{thread.get('id', '')} {thread.get('event', '')}: {thread.get('text', '')}", indent=5, first="  · ")
    if not own:
        for text in item["highlights"]:
            _say(text, indent=4, first="  ★ ", colour="cyan")


def _say(text: str, indent: int, first: str | None = None, colour: str | None = None) -> None:
    for line in wrapped(text, indent, first):
        out(paint(line, colour) if colour else line)
