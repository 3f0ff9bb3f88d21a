"""``gm share``: memories that pass from one character to another."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import click

from gm.cli import complete
from gm.cli.options import json_option, read_world, split_names, world_option
from gm.cli.terminal import out, out_json, safe, say
from gm.cli.world import WorldGroup
from gm.errors import UsageError
from gm.store.layout import Layout

LIST = "A,B"


class CopyGroup(WorldGroup):
    """A group that copies when its first word is no command: ``gm share FROM TO`` is ``gm share copy FROM TO``."""

    usual = "copy"
    alone = False


@click.group(cls=CopyGroup, options_metavar="[FROM TO | COMMAND]")
def share() -> None:
    """Copy memories of one character for another, or let them ask each other.

    gm share FROM TO copies at once: a person does it, and nobody is asked. With share.enabled in gm.yaml, characters
    ask each other in their scenes, and `request`, `accept` and `refuse` do the same by hand.
    """


@share.command()
@click.argument("giver", metavar="FROM", shell_complete=complete.agents)
@click.argument("receiver", metavar="TO", shell_complete=complete.agents)
@world_option
@click.option("--all", "everything", is_flag=True, help="All memories; the same as naming none.")
@click.option("--tags", metavar=LIST, multiple=True, help="Only memories that carry one of these tags.")
@click.option("--query", default="", metavar="TEXT", help="Only memories that hold all of these words.")
@click.option("--ids", metavar="ID,ID", multiple=True, help="Only these memories.", shell_complete=complete.node_lists)
@json_option
def copy(
    layout: Layout,
    giver: str,
    receiver: str,
    everything: bool,
    tags: tuple[str, ...],
    query: str,
    ids: tuple[str, ...],
    as_json: bool,
) -> None:
    """Copy memories of FROM into TO's stream, those that are not there yet. FROM keeps everything."""
    from gm.tools.share import Choice, copy_memories

    choice = Choice(split_names(tags), query.strip(), split_names(ids))
    if everything and choice != Choice():
        raise UsageError("--all and a choice exclude each other", "leave one of them out")
    _show_passed(*copy_memories(layout, giver, receiver, choice), as_json)


@share.command()
@click.argument("asker", metavar="A", shell_complete=complete.agents)
@click.argument("giver", metavar="B", shell_complete=complete.agents)
@world_option
@click.option("--tags", metavar=LIST, multiple=True, help="Only what is about one of these: tags, or words.")
@click.option("--query", default="", metavar="TEXT", help="Only what holds all of these words.")
@json_option
def request(layout: Layout, asker: str, giver: str, tags: tuple[str, ...], query: str, as_json: bool) -> None:
    """Let A ask B for memories; for all of them unless it is said what they are to be about.

    It holds until the end of B's next scene, in which B may answer; `gm share accept` answers within
    share.window_seconds.
    """
    from gm.tools.share import request_memories

    about = (*split_names(tags), *((query.strip(),) if query.strip() else ()))
    document, notes = request_memories(layout, asker, giver, about, time.time)
    _say(notes)
    if as_json:
        out_json(document)
    else:
        out(safe(_asked(document)))


@share.command()
@click.argument("giver", metavar="B", shell_complete=complete.agents)
@click.argument("asker", metavar="A", shell_complete=complete.agents)
@world_option
@json_option
def accept(layout: Layout, giver: str, asker: str, as_json: bool) -> None:
    """Let B give A what A has asked for."""
    from gm.tools.share import answer_request

    _show_passed(*answer_request(layout, giver, asker, time.time, share=True), as_json)


@share.command()
@click.argument("giver", metavar="B", shell_complete=complete.agents)
@click.argument("asker", metavar="A", shell_complete=complete.agents)
@world_option
@json_option
def refuse(layout: Layout, giver: str, asker: str, as_json: bool) -> None:
    """Let B keep to itself what A has asked for."""
    from gm.tools.share import answer_request

    document, notes = answer_request(layout, giver, asker, time.time, share=False)
    _say(notes)
    if as_json:
        out_json(document)
    else:
        out(safe(f"{document['from']} keeps it; {document['to']} knows."))


@share.command("list")
@world_option
@json_option
def list_requests(layout: Layout, as_json: bool) -> None:
    """List who waits for whose memories."""
    from gm.tools.share import describe_links

    document = describe_links(read_world(layout))
    if as_json:
        out_json(document)
        return
    for item in document["requests"]:
        out(safe(f"{_asked(item)}, since {item['at']}"))
    if not document["requests"]:
        out("Nobody waits for memories.")
    if not document["enabled"]:
        say("share.enabled is off: characters do not ask each other")


def _asked(item: dict[str, Any]) -> str:
    about = f"memories about {', '.join(item['about'])}" if item["about"] else "all memories"
    return f"{item['from']} asks {item['to']} for {about}"


def _show_passed(document: dict[str, Any], notes: Sequence[str], as_json: bool) -> None:
    _say(notes)
    if as_json:
        out_json(document)
    elif document["copied"]:
        count = "1 memory" if document["copied"] == 1 else f"{document['copied']} memories"
        span = f"{document['first']} … {document['last']}"
        out(safe(f"{document['to']} has {count} of {document['from']}: {span}"))
    else:
        out(safe(f"Nothing of {document['from']} is new to {document['to']}."))


def _say(notes: Sequence[str]) -> None:
    for note in notes:
        say(safe(note))
