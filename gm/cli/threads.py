"""``gm threads``: what is open between people, and what became of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from gm.cli import complete
from gm.cli.options import json_option, read_world, split_names, world_option
from gm.cli.terminal import clip, out, out_json, safe, say
from gm.cli.world import ListGroup
from gm.model.thread import OUTCOMES, THREAD_KINDS
from gm.store.layout import Layout

MOST_WAITING = 12
TEXT = 300


@click.group(cls=ListGroup)
def threads() -> None:
    """Show what was promised and asked and is open, and what else waits for an answer.

    Without a command: the open threads. A promise or a question becomes a thread when somebody says it aloud in a
    scene; it is settled when one of those it concerns says so. They stand in state/threads.jsonl, one event a line.
    """


@threads.command("list")
@world_option
@click.option("--all", "with_settled", is_flag=True, help="Also what is settled, with its outcome.")
@click.option("--agent", metavar="NAME", help="Only what concerns this character.", shell_complete=complete.agents)
@json_option
def list_threads(layout: Layout, with_settled: bool, agent: str | None, as_json: bool) -> None:
    """List open threads, the most urgent first, and what else waits."""
    from gm.tools.cast import known_agent
    from gm.tools.threads import describe_threads

    world = read_world(layout)
    name = known_agent(world.agents, agent) if agent else None
    document = describe_threads(world, name)
    if as_json:
        out_json(document)
        return
    for item in document["open"]:
        _show(item)
    if with_settled:
        for item in document["settled"]:
            _show(item)
    if not document["open"]:
        out("Nothing is open.")
    _show_waiting(document["waiting"])
    if not with_settled and document["settled"]:
        say(f"{len(document['settled'])} settled: gm threads --all")


@threads.command("open")
@click.argument("agent", shell_complete=complete.agents)
@click.argument("text")
@world_option
@click.option("--kind", type=click.Choice(THREAD_KINDS), default="promise", show_default=True)
@click.option(
    "--to",
    metavar="A,B",
    multiple=True,
    help="To whom it was said; default: nobody in particular.",
    shell_complete=complete.agent_lists,
)
@click.option("--due", metavar="DAY", type=click.IntRange(min=0), help="Story day by which it should be done.")
@json_option
def open_by_hand(
    layout: Layout, agent: str, text: str, kind: str, to: tuple[str, ...], due: int | None, as_json: bool
) -> None:
    """Note that AGENT has promised or asked TEXT."""
    from gm.tools.threads import NewThread, open_thread

    line, notes = open_thread(layout, NewThread(agent, text, kind, split_names(to), due))
    _written(line, notes, as_json)


@threads.command("close")
@click.argument("identifier", metavar="ID", shell_complete=complete.threads)
@world_option
@click.option("--outcome", type=click.Choice(OUTCOMES), required=True, help="What became of it.")
@click.option("--text", default="Settled by hand.", show_default=True, help="How, in one sentence.")
@json_option
def close_by_hand(layout: Layout, identifier: str, outcome: str, text: str, as_json: bool) -> None:
    """Settle the thread with an ID."""
    from gm.tools.threads import close_thread

    line, notes = close_thread(layout, identifier, outcome, text)
    _written(line, notes, as_json)


def _written(line: dict[str, Any], notes: Sequence[str], as_json: bool) -> None:
    for note in notes:
        say(safe(note))
    if as_json:
        out_json(line)
    else:
        what = line.get("outcome") or f"{line['kind']} of {line['by']}"
        out(safe(f"{line['id']} {what}: {line['text']}"))


def _show(item: dict[str, Any]) -> None:
    state, colour = _state(item)
    to = f" → {', '.join(item['to'])}" if item["to"] else ""
    head = click.style(safe(item["id"]), bold=True) + " " + click.style(safe(state), fg=colour)
    out(f"{head}  {safe(item['kind'])} of {safe(item['by'])}{safe(to)}, since {safe(item['since'])}")
    out(f"    {safe(clip(item['text'], TEXT))}")
    if item["reason"]:
        out(click.style(f"    {safe(clip(item['reason'], TEXT))}", dim=True))


def _state(item: dict[str, Any]) -> tuple[str, str | None]:
    if item["outcome"]:
        return item["outcome"], "green" if item["outcome"] in ("kept", "answered") else None
    if item["state"] == "overdue":
        return f"overdue since day {item['due']}", "red"
    if item["state"] == "today":
        return "due today", "yellow"
    return f"due on day {item['due']}" if item["due"] is not None else "open", None


def _show_waiting(waiting: Sequence[dict[str, Any]]) -> None:
    if not waiting:
        return
    out("Also waiting:")
    shown = waiting[-MOST_WAITING:]
    if len(waiting) > len(shown):
        out(f"– {len(waiting) - len(shown)} older")
    for item in shown:
        out(f"– {item['kind']} of {safe(item['by'])}, {safe(item['since'])}: {safe(clip(item['text'], TEXT))}")
