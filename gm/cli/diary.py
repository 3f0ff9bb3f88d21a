"""``gm diary``: what characters wrote in the evening."""

from __future__ import annotations

import click

from gm.cli import complete
from gm.cli.options import json_option, read_world, world_option
from gm.cli.terminal import out, out_json, safe, say
from gm.store.layout import Layout


@click.command()
@click.argument("agent", required=False, shell_complete=complete.agents)
@world_option
@click.option(
    "--day",
    metavar="N",
    help="Only of this day (3, day-003, a date) or of these days (3-5).",
    shell_complete=complete.day_numbers,
)
@click.option("--search", metavar="TEXT", help="Only entries in which all these words occur; ue finds ü.")
@json_option
def diary(layout: Layout, agent: str | None, day: str | None, search: str | None, as_json: bool) -> None:
    """Show the diary of AGENT, or of everybody.

    Entries stand in state/diary/, one a day; 'diary: on' in gm.yaml has characters write them when a day closes.
    """
    from gm.tools.diary import describe_diaries

    document = describe_diaries(read_world(layout), agent, day, search)
    if as_json:
        out_json(document)
        return
    for item in document["entries"]:
        about = ", ".join(filter(None, (item.get("date", ""), item["mood"], item["location"])))
        head = click.style(safe(f"{item['day']} {item['agent']}"), bold=True)
        out(head + (safe(f"  ({about})") if about else ""))
        for line in item["text"].splitlines():
            out(safe(f"    {line}"))
    if not document["entries"]:
        out("There is no such entry." if agent or day or search else "Nobody has written anything yet.")
    if not document["on"]:
        say("Diaries are switched off: put 'diary: on' into gm.yaml.")
