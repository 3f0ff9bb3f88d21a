"""``gm mind relationships``, ``gm threads`` and ``gm mind goals``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any

import click

from gm.base.errors import UsageError
from gm.base.texts import clip_line, counted
from gm.cli import complete, options
from gm.cli.commands import ListGroup, Output, read_world, some_agent, world_command, world_option
from gm.cli.terminal import err, out, out_json, safe
from gm.files.layout import Layout
from gm.model.thread import OUTCOMES, THREAD_KINDS

if TYPE_CHECKING:
    from gm.api.editing.goals import Goals, GoalState
    from gm.api.editing.threads import Threads, ThreadState, WaitingItem
    from gm.api.reports.relationships import Regard, Relationships
    from gm.layers.goals import GoalEventKind
    from gm.model.mind import GoalReported
    from gm.model.thread import ThreadEvent

MOST_WAITING = 12
TEXT = 300
WHAT = 160
COLOURS = {"kept": "green", "answered": "green", "broken": "red", "missed": "red"}
"""Of outcomes; the others have none."""
_settled_option = click.option(
    "--text", default="Settled by hand.", show_default=True, help="Explanation in one sentence."
)


@world_command()
@click.argument("agent", type=complete.AGENT, required=False)
@click.option("--with", "other", type=complete.AGENT, help="Only what they think of this character.")
@click.option("--history", is_flag=True, help="Show every change with its scene.")
@click.option("--by-day", is_flag=True, help="Show trust at the end of each day.")
@click.option(
    "--graph", type=click.Choice(("dot", "json")), help="Print a graph: dot for Graphviz, or json with nodes and edges."
)
def relationships(
    layout: Layout, agent: str | None, other: str | None, history: bool, by_day: bool, graph: str | None, as_json: bool
) -> Output:
    """Show what characters think of each other.

    Trust goes from -1 to 1. The files are in state/relationships/, where you may correct them; 'relationships: on' in
    gm.yaml lets characters have them.
    """
    from gm.api.reports.relationships import describe_graph, describe_relationships, render_relationships_dot

    if graph and (history or by_day or (as_json and graph == "dot")):
        raise UsageError(
            "--graph does not go with --history, --by-day or --json", "leave them out, or write --graph json"
        )
    world = read_world(layout)
    found, problems = describe_relationships(layout, world, agent, other, history=history, by_day=by_day)
    if graph == "dot":
        return Output(
            lambda graph: out(safe(render_relationships_dot(graph)), whole=True), describe_graph(world, found), problems
        )
    if graph:
        return Output(out_json, describe_graph(world, found), problems)
    return Output(_show_relationships, found, problems)


def _show_relationships(found: Relationships) -> None:
    for change in found.history or ():
        _show_change(change.agent, change.line)
    for (one, other), days in groupby(found.days or (), lambda item: (item.agent, item.other)):
        out(
            safe(
                f"{one} → {other}  " + "  ".join(f"day {item.day}: {_render_trust(item.trust_level)}" for item in days)
            )
        )
    is_plain = found.history is None and found.days is None
    for item in found.relationships if is_plain else ():
        _show_regard(item)
    if not (found.relationships if is_plain else found.history or found.days):
        out("Nothing is noted yet.")
    if not found.on:
        err("Relationships are switched off: put 'relationships: on' into gm.yaml.")


def _show_regard(item: Regard) -> None:
    head = click.style(safe(f"{item.agent} → {item.other}"), bold=True)
    regard, trust = item.regard, item.regard.trust_level
    shown = click.style(_render_trust(trust), fg="green" if trust > 0 else "red" if trust < 0 else None)
    what = ", ".join(filter(None, (regard.relationship_type, regard.emotional_tone))) or "nothing said yet"
    since = f", counted since {regard.first_met_at}" if regard.first_met_at else ""
    out(f"{head}  {shown}  {safe(clip_line(what, WHAT))}  ({counted(regard.interaction_count, 'scene')}{safe(since)})")
    for text in (regard.rationale, regard.relationship_notes):
        if text:
            out(f"    {safe(clip_line(text, WHAT))}")


def _render_trust(trust: float) -> str:
    return f"{trust:+.2f}" if trust else " 0.00"


def _show_change(agent: str, line: Mapping[str, Any]) -> None:
    out(safe(f"{line.get('at', '')} {agent} → {line.get('with', '')}"))
    old, new = (value if isinstance(value := line.get(key), dict) else {} for key in ("old", "new"))
    for key, value in new.items():
        out(safe(f"    {key}: {clip_line(str(old.get(key, '')), WHAT) or '–'} → {clip_line(str(value), WHAT)}"))
    if line.get("why") and line["why"] != new.get("rationale"):
        out(safe(f"    {clip_line(str(line['why']), WHAT)}"))


@click.group(cls=ListGroup)
def threads() -> None:
    """Show open promises, questions and appointments, or settle them by hand.

    Without a command: the open threads. A promise, a question, an appointment or a silence (a promise to keep something
    to oneself) becomes a thread when a character says it aloud in a scene; it is settled when one of those it concerns
    says so. They stand in state/threads.jsonl, one event a line.
    """


@threads.command("list")
@click.option("--all", "with_settled", is_flag=True, help="Also list settled threads, with their outcomes.")
@click.option("--agent", type=complete.AGENT, help="Only show what concerns this character.")
def list_threads(layout: Layout, with_settled: bool, agent: str | None) -> Output:
    """List open threads, most urgent first, and what else awaits an answer."""
    from gm.api.editing.threads import describe_threads

    return Output(partial(_show_threads, with_settled), describe_threads(read_world(layout), agent))


def _show_threads(with_settled: bool, found: Threads) -> None:
    for item in (*found.open, *(found.settled if with_settled else ())):
        _show_thread(item)
    if not found.open:
        out("Nothing is open.")
    _show_waiting(found.waiting)
    if not with_settled and found.settled:
        err(f"{len(found.settled)} settled: gm threads --all")


@threads.command("open")
@options.agent
@click.argument("text")
@click.option("--kind", type=click.Choice(THREAD_KINDS), default="promise", show_default=True)
@options.names("--to", of=complete.AGENTS, help="Who it was said to; default: no one in particular.")
@click.option(
    "--due",
    metavar="DAY",
    type=click.IntRange(min=0),
    help="Story day by which it is due, or day of an appointment (default: the open day, else the next one).",
)
@click.option("--time", metavar="TIME", default="", help="Time of an appointment: a time of day, or 15:00.")
@click.option("--place", metavar="PLACE", default="", help="Place of an appointment, as in gm.yaml.")
def open_by_hand(layout: Layout, agent: str, text: str, **values: Any) -> Output:
    """Open a thread: AGENT has promised or asked TEXT, or arranged it with others."""
    from gm.api.editing.threads import NewThread, open_thread

    return _written(*open_thread(layout, NewThread(agent, text, **values)))


@threads.command("close")
@click.argument("identifier", type=complete.THREAD, metavar="ID")
@click.option("--outcome", type=click.Choice(OUTCOMES), required=True, help="How the thread ended.")
@_settled_option
def close_by_hand(layout: Layout, identifier: str, outcome: str, text: str) -> Output:
    """Settle the thread ID."""
    from gm.api.editing.threads import close_thread

    return _written(*close_thread(layout, identifier, outcome, text))


def _written(event: ThreadEvent, notes: Sequence[str]) -> Output:
    from gm.model.thread import THREAD_EVENT

    what = event.outcome or f"{event.kind} of {event.by}{_render_addressees(event.to)}"
    line = safe(f"{event.id} {what}: {event.text}")
    return Output(lambda _: out(line), THREAD_EVENT.write(event), notes)


def _render_addressees(names: Sequence[str]) -> str:
    return f" → {', '.join(names)}" if names else ""


def _show_thread(item: ThreadState) -> None:
    state, colour = _state(item)
    to = _render_addressees(item.to)
    head = click.style(safe(item.id), bold=True) + " " + click.style(safe(state), fg=colour)
    where = "".join(f", {value}" for value in (item.time, item.place) if value)
    where += f", in place of {item.replaces}" if item.replaces else ""
    out(f"{head}  {safe(item.kind)} of {safe(item.by)}{safe(to)}{safe(where)}, since {safe(item.since)}")
    out(f"    {safe(clip_line(item.text, TEXT))}")
    if item.reason:
        out(click.style(f"    {safe(clip_line(item.reason, TEXT))}", dim=True))


def _state(item: ThreadState) -> tuple[str, str | None]:
    if item.outcome:
        return item.outcome, COLOURS.get(item.outcome)
    if item.state == "overdue":
        return f"overdue since day {item.due}", "red"
    if item.state == "today":
        return "due today", "yellow"
    return f"due on day {item.due}" if item.due is not None else "open", None


def _show_waiting(waiting: Sequence[WaitingItem]) -> None:
    if not waiting:
        return
    out("Also waiting:")
    shown = waiting[-MOST_WAITING:]
    if len(waiting) > len(shown):
        out(f"– {len(waiting) - len(shown)} older")
    for item in shown:
        out(f"– {item.kind} of {safe(item.by)}, {safe(item.since)}: {safe(clip_line(item.text, TEXT))}")


@click.group(cls=ListGroup)
def goals() -> None:
    """Show and change goals and their progress.

    Goals are in state/goals/NAME.jsonl, one event per line. Once one character has a goal, all are asked about theirs
    (`goals: auto`).
    """


@goals.command("list")
@options.agents
def list_goals(layout: Layout, agents: tuple[str, ...]) -> Output:
    """List goals with the last report about each."""
    from gm.api.editing.goals import describe_goals

    return Output(partial(_show_goals, layout), describe_goals(read_world(layout), agents))


def _show_goals(layout: Layout, found: Goals) -> None:
    for name, items in found.agents.items():
        for item in items:
            _show_goal(name, item)
    if not any(found.agents.values()):
        out(safe(f'No character has a goal yet: gm mind goals add {some_agent(layout)} "…"'))


@goals.command("add")
@options.agent
@click.argument("text")
def add_goal(layout: Layout, agent: str, text: str) -> Output:
    """Give AGENT a goal."""
    return _written_goal(layout, agent, "open", text)


@goals.command("progress")
@options.agent
@click.argument("identifier", metavar="ID")
@click.argument("text")
def report_progress(layout: Layout, agent: str, identifier: str, text: str) -> Output:
    """Note AGENT's progress towards a goal."""
    return _written_goal(layout, agent, "progress", text, identifier)


@goals.command("close")
@options.agent
@click.argument("identifier", metavar="ID")
@click.option("--outcome", type=click.Choice(("reached", "abandoned")), required=True, help="How the goal ended.")
@_settled_option
@world_option
def close_goal(layout: Layout, agent: str, identifier: str, outcome: GoalReported, text: str) -> Output:
    """Settle a goal of AGENT."""
    return _written_goal(layout, agent, outcome, text, identifier)


def _written_goal(layout: Layout, agent: str, event: GoalEventKind, text: str, identifier: str = "") -> Output:
    from gm.api.editing.goals import write_goal

    return Output(
        lambda found: _show_goal(found.agent, found.goal), *write_goal(layout, agent, event, text, identifier)
    )


def _show_goal(name: str, item: GoalState) -> None:
    state = item.outcome or counted(item.steps, "step")
    head = click.style(safe(f"{name} {item.id}"), bold=True)
    out(f"{head}  {safe(clip_line(item.text, TEXT))}  ({safe(state)}, since {safe(item.since)})")
    if item.last:
        out(click.style(f"    {safe(item.touched)}: {safe(clip_line(item.last, TEXT))}", dim=True))
