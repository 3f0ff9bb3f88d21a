"""``gm relationships``: what characters think of each other."""

from __future__ import annotations

from typing import Any

import click

from gm.cli import complete
from gm.cli.options import json_option, read_world, show_broken, world_option
from gm.cli.terminal import clip, counted, out, out_json, safe, say
from gm.errors import UsageError
from gm.store.layout import Layout

TEXT = 160


@click.command()
@click.argument("agent", required=False, shell_complete=complete.agents)
@world_option
@click.option(
    "--with", "other", metavar="NAME", help="Only what they think of this one.", shell_complete=complete.agents
)
@click.option("--history", is_flag=True, help="How it has changed: every change with its scene.")
@click.option("--graph", type=click.Choice(("dot", "json")), help="A graph: for Graphviz, or as nodes and edges.")
@json_option
def relationships(
    layout: Layout, agent: str | None, other: str | None, history: bool, graph: str | None, as_json: bool
) -> None:
    """Show what AGENT, or everybody, thinks of the others.

    Trust goes from -1 to 1. They stand in state/relationships/, where a person may correct them; 'relationships: on' in
    gm.yaml lets characters have them.
    """
    from gm.tools.relationships import describe_graph, describe_relationships, render_dot

    if graph and (history or (as_json and graph == "dot")):
        raise UsageError("a graph shows how things are now", "leave --history and --json out, or write --graph json")
    world = read_world(layout)
    document, problems = describe_relationships(layout, world, agent, other, history=history)
    show_broken(tuple(problems))
    if graph == "dot":
        out(safe(render_dot(describe_graph(world, document))), whole=True)
        return
    if graph or as_json:
        out_json(describe_graph(world, document) if graph else document)
        return
    if history:
        for line in document["history"]:
            _show_change(line)
    else:
        _show(document["relationships"])
    if not document["history" if history else "relationships"]:
        out("Nothing is noted yet.")
    if not document["on"]:
        say("Relationships are switched off: put 'relationships: on' into gm.yaml.")


def _show(items: list[dict[str, Any]]) -> None:
    for item in items:
        head = click.style(safe(f"{item['agent']} → {item['with']}"), bold=True)
        trust = item["trust_level"]
        shown = click.style(
            f"{trust:+.2f}" if trust else " 0.00", fg="green" if trust > 0 else "red" if trust < 0 else None
        )
        what = ", ".join(filter(None, (item["relationship_type"], item["emotional_tone"]))) or "nothing said yet"
        since = f" since {item['first_met_at']}" if item["first_met_at"] else ""
        out(f"{head}  {shown}  {safe(clip(what, TEXT))}  ({counted(item['interaction_count'], 'scene')}{safe(since)})")
        for text in (item["rationale"], item["relationship_notes"]):
            if text:
                out(f"    {safe(clip(text, TEXT))}")


def _show_change(line: dict[str, Any]) -> None:
    out(safe(f"{line.get('at', '')} {line['agent']} → {line.get('with', '')}"))
    old, new = (value if isinstance(value := line.get(key), dict) else {} for key in ("old", "new"))
    for key, value in new.items():
        out(safe(f"    {key}: {clip(str(old.get(key, '')), TEXT) or '–'} → {clip(str(value), TEXT)}"))
    if line.get("why") and line["why"] != new.get("rationale"):
        out(safe(f"    {clip(str(line['why']), TEXT)}"))
