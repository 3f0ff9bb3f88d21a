"""``gm status`` and ``gm due``: the day, and the cast in a line each; who is due for a reflection."""

from __future__ import annotations

from typing import Any

import click

from gm.cli.options import json_option, show_broken, world_option
from gm.cli.terminal import clip, counted, out, out_json, safe
from gm.store.layout import Layout
from gm.tools.status import describe_due, describe_status


@click.command()
@world_option
@json_option
def status(layout: Layout, as_json: bool) -> None:
    """Show the day and how each character stands."""
    document, problems = describe_status(layout)
    show_broken(problems)
    if as_json:
        out_json(document)
        return
    when = f"day {document['day']}" + (f" ({document['day_of_week']})" if document["day_of_week"] else "")
    state = f"is open after {counted(document['scenes_today'], 'scene')}" if document["open"] else "is closed"
    out(click.style(safe(document["world"] or layout.root.name), bold=True) + f": {safe(when)} {state}")
    for line in _what_to_do(document):
        out(click.style("! ", fg="yellow", bold=True) + safe(line))
    agents = document["agents"]
    if not agents:
        out("Nobody lives here yet: put a persona into state/personas/<id>.md")
        return
    widest = max(len(name) for name in agents)
    for name, agent in agents.items():
        out(_line(name.ljust(widest), agent))


def _what_to_do(document: dict[str, Any]) -> list[str]:
    """Say what is unfinished, and what to do about it."""
    lines = []
    writer = document["writer"]
    if writer:
        lines.append(f"{writer['command']} is running (process {writer['pid']}, since {writer['since']})")
    elif document["awaiting"]:
        lines.append(f"the day waits for answers to {', '.join(document['awaiting'])}")
    elif document["open"]:
        lines.append("the day was interrupted: gm advance-day goes on with it")
    if document["unfinished_write"] and not writer:
        files = document["unfinished_write"]
        lines.append(
            f"a write of {counted(files, 'file')} was interrupted: the next command that writes finishes it first"
        )
    if document["stale_gifts"]:
        stale = ", ".join(document["stale_gifts"])
        lines.append(
            f"personas or gm.yaml have changed since these seed memories were made: {stale}; gm gift renews them"
        )
    if document["lessons_not_given"]:
        lines.append(f"{document['lessons_not_given']} of seeds.lessons have not been given to the characters: gm gift")
    return lines


def _line(name: str, agent: dict[str, Any]) -> str:
    due = click.style(" due", fg="yellow") if agent["due"] else "    "
    counts = f"{agent['memories']:5d} memories {agent['reflections']:4d} reflections  {agent['accumulator']:4d}{due}"
    rest = ", ".join(part for part in (agent["mood"], agent["position"]) if part)
    return f"{click.style(safe(name), bold=True)} {counts}  {safe(clip(rest, 60))}".rstrip()


@click.command()
@world_option
@click.option("--threshold", metavar="N", type=click.IntRange(min=1), help="Another threshold than the world's.")
@json_option
def due(layout: Layout, threshold: int | None, as_json: bool) -> None:
    """List who is due for a reflection: whose accumulated importance exceeds the threshold."""
    document, problems = describe_due(layout, threshold)
    show_broken(problems)
    if as_json:
        out_json(document)
    else:
        names = ", ".join(document["due"]) or "nobody"
        out(f"{safe(names)} (threshold {document['threshold']})")
