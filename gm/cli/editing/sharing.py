"""``gm gift`` and ``gm share``."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from gm.base.errors import UsageError
from gm.base.texts import counted
from gm.cli import complete, options
from gm.cli.commands import CommandGroup, Output, read_world, world_command
from gm.cli.terminal import err, out, safe
from gm.files.layout import Layout

if TYPE_CHECKING:
    from gm.api.editing.gift import Given
    from gm.api.editing.share import Requests, SharedMemories
    from gm.model.link import LinkRequest


@world_command()
@options.agents
@click.option("--dry-run", is_flag=True, help="Show what would change, and write nothing.")
def gift(layout: Layout, agents: tuple[str, ...], dry_run: bool) -> Output:
    """Write the memories that characters begin with, from personas and gm.yaml.

    They are written to state/gifted/ and found by the tools of gm mcp; memory streams hold only what was lived. Run it
    again after a persona or gm.yaml has changed. Lines that you wrote or edited there stay as they are.
    """
    from gm.api.editing.gift import give_memories

    return Output(_show_given, *give_memories(layout, agents, write=not dry_run))


def _show_given(given: Given) -> None:
    for file in given.files:
        counts = (("added", file.added), ("changed", file.changed), ("removed", file.removed))
        changes = ", ".join(f"{len(ids)} {what}" for what, ids in counts if ids) or "nothing changed"
        kept = f"; edited by hand and kept: {', '.join(file.edited_by_hand)}" if file.edited_by_hand else ""
        out(safe(f"{file.path}: {counted(file.memories, 'memory')}, {changes}{kept}"))
    if not given.written:
        err("Nothing was written.")


class CopyGroup(CommandGroup):
    """A group that copies by default: ``gm share FROM TO`` is ``gm share copy FROM TO``."""

    usual = "copy"
    alone = False


@click.group(cls=CopyGroup, subcommand_metavar="FROM TO | COMMAND [ARGS]...")
def share() -> None:
    """Copy memories from one character to another, or let characters ask for them.

    gm share FROM TO copies at once, without asking a model. With share.enabled in gm.yaml, characters ask each other in
    their scenes, and `request`, `accept` and `refuse` do the same by hand.
    """


@share.command()
@click.argument("giver", type=complete.AGENT, metavar="FROM")
@click.argument("receiver", type=complete.AGENT, metavar="TO")
@click.option("--all", "everything", is_flag=True, help="Copy all memories (the default).")
@options.names("--tags", help="Only memories that carry one of these tags.")
@click.option("--query", default="", metavar="TEXT", help="Only memories with all of these words.")
@options.names("--ids", of=complete.NODES, help="Only these memories.")
def copy(
    layout: Layout, giver: str, receiver: str, everything: bool, tags: tuple[str, ...], query: str, ids: tuple[str, ...]
) -> Output:
    """Copy memories of FROM into TO's stream, those that are not there yet. FROM keeps everything."""
    from gm.api.editing.share import ShareFilter, copy_memories
    from gm.api.history.rewind.apply_rewind import way_back

    choice = ShareFilter(tags, query.strip(), ids)
    if everything and choice != ShareFilter():
        raise UsageError("--all and a choice exclude each other", "leave one of them out")
    passed, notes = copy_memories(layout, giver, receiver, choice)
    ways = filter(None, ("gm memory delete ID for each", way_back(layout)))
    return Output(
        _show_passed, passed, [*notes, f"to take them back: {', or '.join(ways)}"] if passed.copied else notes
    )


@share.command()
@click.argument("asker", type=complete.AGENT, metavar="A")
@click.argument("giver", type=complete.AGENT, metavar="B")
@options.names("--tags", help="Only memories with one of these tags or words.")
@click.option("--query", default="", metavar="TEXT", help="Only memories with all of these words.")
def request(layout: Layout, asker: str, giver: str, tags: tuple[str, ...], query: str) -> Output:
    """Let A ask B for memories; for all of them by default.

    It holds until the end of B's next scene, in which B may answer; `gm share accept` answers within
    share.window_seconds.
    """
    from gm.api.editing.share import request_memories

    about = (*tags, *((query.strip(),) if query.strip() else ()))
    return Output(
        lambda found: out(safe(_render_request(found.request))),
        *request_memories(layout, asker, giver, about, time.time),
    )


@share.command()
@click.argument("giver", type=complete.AGENT, metavar="B")
@click.argument("asker", type=complete.AGENT, metavar="A")
def accept(layout: Layout, giver: str, asker: str) -> Output:
    """Accept A's request: copy B's memories to A."""
    from gm.api.editing.share import answer_request

    return Output(_show_passed, *answer_request(layout, giver, asker, time.time, share=True))


@share.command()
@click.argument("giver", type=complete.AGENT, metavar="B")
@click.argument("asker", type=complete.AGENT, metavar="A")
def refuse(layout: Layout, giver: str, asker: str) -> Output:
    """Refuse A's request for B's memories."""
    from gm.api.editing.share import answer_request

    return Output(
        lambda found: out(safe(f"{found.giver} keeps it; {found.receiver} knows.")),
        *answer_request(layout, giver, asker, time.time, share=False),
    )


@share.command("list")
def list_requests(layout: Layout) -> Output:
    """List open requests."""
    from gm.api.editing.share import describe_links

    return Output(_show_requests, describe_links(read_world(layout)))


def _show_requests(found: Requests) -> None:
    for request in found.requests:
        out(safe(f"{_render_request(request)}, since {request.at}"))
    if not found.requests:
        out("There are no open requests.")
    if not found.enabled:
        err("share.enabled is off: characters do not ask each other")


def _render_request(request: LinkRequest) -> str:
    about = f"memories about {', '.join(request.about)}" if request.about else "all memories"
    return f"{request.asker} asks {request.giver} for {about}"


def _show_passed(passed: SharedMemories) -> None:
    if passed.copied:
        span = f"{passed.first} … {passed.last}"
        out(safe(f"{passed.receiver} has {counted(passed.copied, 'memory')} of {passed.giver}: {span}"))
    else:
        out(safe(f"Nothing of {passed.giver} is new to {passed.receiver}."))
