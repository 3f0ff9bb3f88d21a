"""Memories from elsewhere: those that characters begin with (``gm gift``) and those of others (``gm share``)."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from gm.base.errors import UsageError
from gm.cli import complete
from gm.cli.options import agents_argument, ids_option, json_option, read_world, split_names, tags_option, world_option
from gm.cli.terminal import counted, out, safe, say, show
from gm.cli.world import WorldGroup
from gm.files.layout import Layout

if TYPE_CHECKING:
    from gm.api.gift import Given
    from gm.api.share import Passed, Requests
    from gm.model.link import LinkRequest


@click.command()
@agents_argument
@world_option
@click.option("--dry-run", is_flag=True, help="Tell what would change, and write nothing.")
@json_option
def gift(layout: Layout, agents: tuple[str, ...], dry_run: bool, as_json: bool) -> None:
    """Give characters the memories they begin with, made from personas and gm.yaml.

    They lie in state/gifted/ and are found by the tools of gm mcp; the memory streams stay what was lived. Run it again
    after a persona or gm.yaml has changed. Lines that you wrote or edited there stay as they are.
    """
    from gm.api.gift import give_memories

    given, notes = give_memories(layout, agents, write=not dry_run)
    show(given, as_json, _show_given, notes)


def _show_given(given: Given) -> None:
    for file in given.files:
        counts = (("added", file.added), ("changed", file.changed), ("removed", file.removed))
        told = ", ".join(f"{len(ids)} {what}" for what, ids in counts if ids) or "nothing changed"
        kept = f"; edited by hand and kept: {', '.join(file.edited_by_hand)}" if file.edited_by_hand else ""
        out(safe(f"{file.path}: {counted(file.memories, 'memory')}, {told}{kept}"))
    if not given.written:
        say("Nothing was written.")


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
@tags_option("Only memories that carry one of these tags.")
@click.option("--query", default="", metavar="TEXT", help="Only memories that hold all of these words.")
@ids_option("--ids", "Only these memories.")
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
    from gm.api.share import Choice, copy_memories

    choice = Choice(split_names(tags), query.strip(), split_names(ids))
    if everything and choice != Choice():
        raise UsageError("--all and a choice exclude each other", "leave one of them out")
    passed, notes = copy_memories(layout, giver, receiver, choice)
    show(passed, as_json, _show_passed, notes)


@share.command()
@click.argument("asker", metavar="A", shell_complete=complete.agents)
@click.argument("giver", metavar="B", shell_complete=complete.agents)
@world_option
@tags_option("Only what is about one of these: tags, or words.")
@click.option("--query", default="", metavar="TEXT", help="Only what holds all of these words.")
@json_option
def request(layout: Layout, asker: str, giver: str, tags: tuple[str, ...], query: str, as_json: bool) -> None:
    """Let A ask B for memories; for all of them unless it is said what they are to be about.

    It holds until the end of B's next scene, in which B may answer; `gm share accept` answers within
    share.window_seconds.
    """
    from gm.api.share import request_memories

    about = (*split_names(tags), *((query.strip(),) if query.strip() else ()))
    requested, notes = request_memories(layout, asker, giver, about, time.time)
    show(requested, as_json, lambda found: out(safe(_asked(found.request))), notes)


@share.command()
@click.argument("giver", metavar="B", shell_complete=complete.agents)
@click.argument("asker", metavar="A", shell_complete=complete.agents)
@world_option
@json_option
def accept(layout: Layout, giver: str, asker: str, as_json: bool) -> None:
    """Let B give A what A has asked for."""
    from gm.api.share import answer_request

    passed, notes = answer_request(layout, giver, asker, time.time, share=True)
    show(passed, as_json, _show_passed, notes)


@share.command()
@click.argument("giver", metavar="B", shell_complete=complete.agents)
@click.argument("asker", metavar="A", shell_complete=complete.agents)
@world_option
@json_option
def refuse(layout: Layout, giver: str, asker: str, as_json: bool) -> None:
    """Let B keep to itself what A has asked for."""
    from gm.api.share import answer_request

    passed, notes = answer_request(layout, giver, asker, time.time, share=False)
    show(passed, as_json, lambda found: out(safe(f"{found.giver} keeps it; {found.receiver} knows.")), notes)


@share.command("list")
@world_option
@json_option
def list_requests(layout: Layout, as_json: bool) -> None:
    """List who waits for whose memories."""
    from gm.api.share import describe_links

    show(describe_links(read_world(layout)), as_json, _show_requests)


def _show_requests(found: Requests) -> None:
    for request in found.requests:
        out(safe(f"{_asked(request)}, since {request.at}"))
    if not found.requests:
        out("Nobody waits for memories.")
    if not found.enabled:
        say("share.enabled is off: characters do not ask each other")


def _asked(request: LinkRequest) -> str:
    about = f"memories about {', '.join(request.about)}" if request.about else "all memories"
    return f"{request.asker} asks {request.giver} for {about}"


def _show_passed(passed: Passed) -> None:
    if passed.copied:
        span = f"{passed.first} … {passed.last}"
        out(safe(f"{passed.receiver} has {counted(passed.copied, 'memory')} of {passed.giver}: {span}"))
    else:
        out(safe(f"Nothing of {passed.giver} is new to {passed.receiver}."))
