"""``gm memory``: find, write and correct single memories."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from gm.base.errors import UsageError
from gm.base.texts import clip_line, counted
from gm.base.untyped import items_of
from gm.cli import complete, options
from gm.cli.commands import CommandGroup, Output, WorldCommand, read_world, split_names
from gm.cli.terminal import err, out, safe
from gm.files.layout import Layout
from gm.model.node import NODE_TYPES, TIERS

if TYPE_CHECKING:
    from gm.api.reports.memories import MemoriesFound, MemoryCorrected, MemoryFound, SeenAs
    from gm.api.reports.shown import ShownInScene
    from gm.files.streams.find import FoundMemory
    from gm.model.node import Node, Tier

SHOWN_CHARACTERS = 100


@click.group(cls=CommandGroup)
def memory() -> None:
    """Show, find, write and correct single memories."""


@memory.command("show")
@click.argument("what", type=complete.AGENT_OR_NODE, metavar="ID|AGENT")
def show_memory(layout: Layout, what: str) -> Output:
    """Show the memory ID (or gifted/ID) and its evidence, or all memories of AGENT."""
    from gm.api.reports.memories import describe_memory, describe_stream
    from gm.files.streams.find import GIFTED, find_memory, list_found
    from gm.model.ids import pad_node_id
    from gm.model.world import find_agent

    places = find_memory(layout, pad_node_id(what))
    if places:
        found = tuple(describe_memory(layout, item) for item in places)
        return Output(lambda _: list(map(_show_found, found)), found[0] if len(found) == 1 else {"memories": found})
    agent = find_agent(read_world(layout).agents, what)
    if agent is None:
        raise UsageError(f"there is no memory and no character {what!r}", "see: gm memory find TEXT")
    seeds = sum(1 for _ in list_found(layout, agent, (GIFTED,)))
    path = layout.shown(layout.gifted(agent))
    notes = [f"{path} holds {counted(seeds, 'memory')} from before the first day; see: gm recall"] if seeds else []
    return Output(lambda stream: _show_lines(stream.memories), describe_stream(layout, agent), notes)


@memory.command()
@click.argument("text", nargs=-1, required=True)
@options.names("--agent", "agents", of=complete.AGENTS, help="Only these characters' memories.")
@options.names("--tags", help="Only memories that carry one of these tags.")
@click.option("--type", "kind", default="", help="Only memories of this type.")
def find(layout: Layout, text: tuple[str, ...], agents: tuple[str, ...], tags: tuple[str, ...], kind: str) -> Output:
    """Find memories by words in descriptions and tags, of all characters, and count them by character.

    All words must occur, in any order; case and the spelling of umlauts are ignored.
    """
    from gm.api.reports.memories import describe_found

    return Output(_show_matches, describe_found(layout, " ".join(text), agents, tags, kind))


def _show_matches(found: MemoriesFound) -> None:
    _show_lines(found.memories)
    who = ", ".join(f"{name} {count}" for name, count in found.by_agent.items())
    err(safe(f"{counted(found.count, 'memory')}" + f": {who}" * bool(who)) if found.count else "Nothing was found.")


@memory.command()
@click.argument("scene", type=complete.DAY)
def shown(layout: Layout, scene: str) -> Output:
    """List the memories that the recorded questions of SCENE (day-003/scene-04) show, and those cited."""
    from gm.api.history.past import parse_moment
    from gm.api.reports.shown import describe_shown

    return Output(_show_shown, describe_shown(layout, parse_moment(scene)))


def _show_shown(found: ShownInScene) -> None:
    for item in found.memories:
        times = f"{item.questions}/{found.questions[item.agent]}"
        cited = f", cited by {', '.join(item.cited_by)}" if item.cited_by else ""
        head = click.style(safe(item.memory.id), bold=True)
        out(f"{head} " + safe(f"{times}{cited}: {clip_line(item.memory.description, SHOWN_CHARACTERS)}"))
    err(counted(len(found.memories), "memory"))


@memory.command()
@options.agent
@click.argument("text")
@click.option(
    "--importance",
    metavar="N",
    type=options.IMPORTANCE,
    help=f"{options.IMPORTANCE_HELP} Default: by rule, from its length and signal words.",
)
@click.option("--type", type=click.Choice(NODE_TYPES), default="observation", show_default=True)
@options.names("--tags", help="Tags of the memory.")
@options.names("--evidence", of=complete.NODES, help="Memories that it rests on, of any character.")
@click.option(
    "--at", metavar="day-003/scene-04", type=complete.DAY, help="When it was made; default: the last scene played."
)
def add(layout: Layout, agent: str, text: str, **given: Any) -> Output:
    """Write TEXT into AGENT's memory.

    Its id and its depth are computed, and AGENT's accumulator rises by its importance.
    """
    from gm.api.editing.memory import NewMemory, add_memory
    from gm.model.node import node_record

    node, notes = add_memory(layout, agent, NewMemory(text, **given))
    line = safe(f"{node.id} {node.created} {node.type} ({node.importance}): {node.description}")
    return Output(lambda _: out(line), node_record(node), notes)


@memory.command()
@click.argument("identifier", type=complete.NODE, metavar="ID")
@click.argument("text", required=False, metavar="[TEXT]")
@click.option("--description", help="Its new text; TEXT is the same.")
@click.option("--importance", metavar="N", type=options.IMPORTANCE, help=options.IMPORTANCE_HELP)
@click.option("--tags", metavar=options.LIST, help="New tags, replacing all old ones; empty for none.")
@click.option("--expect", metavar="SHA256", help="Refuse if the line changed since `show --json` printed this digest.")
def edit(
    layout: Layout,
    identifier: str,
    text: str | None,
    description: str | None,
    importance: int | None,
    tags: str | None,
    expect: str | None,
) -> Output:
    """Correct the memory ID. Everything else on its line stays as it is."""
    from gm.api.editing.memory import MemoryCorrection

    if text is not None and description is not None:
        raise UsageError("TEXT and --description are both its new text", "leave one out")
    description = description if text is None else text
    if description is None and importance is None and tags is None:
        raise UsageError("nothing to change", "give its new TEXT, --importance or --tags")
    wanted = None if tags is None else split_names((tags,))
    return _corrected(layout, identifier, MemoryCorrection(description, importance, wanted), expect)


@memory.command()
@click.argument("identifier", type=complete.NODE, metavar="ID")
@click.option("--dry-run", is_flag=True, help="Show the memory and what rests on it, and delete nothing.")
def delete(layout: Layout, identifier: str, dry_run: bool) -> Output:
    """Delete the memory ID: its line leaves the stream, and no other memory gets its number.

    What rests on it and the logbook still name it; gm check says where.
    """
    from gm.api.editing.memory import delete_memory, find_one
    from gm.api.history.rewind.apply_rewind import way_back
    from gm.api.reports.memories import describe_memory

    found = describe_memory(layout, find_one(layout, identifier))
    notes = [] if dry_run else delete_memory(layout, found.memory.node.id, found.line_sha256)
    way = "" if dry_run else way_back(layout)
    said = "nothing was deleted" if dry_run else f"deleted from {found.memory.path}"
    return Output(_show_found, found, [*notes, f"{said}; to bring it back: {way}" if way else said])


class TagCommand(WorldCommand):
    """A command with ``+x`` and ``-y`` as arguments."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Turn ``+x`` into ``--add=x`` and ``-y`` into ``--remove=y``."""
        turned: list[str] = []
        takes_value = False
        for word in args:
            is_own = takes_value or word.startswith("--") or word in ("-w", "-h", "-")
            if is_own or word[:1] not in ("+", "-"):
                turned.append(word)
            else:
                turned.append(("--add=" if word[0] == "+" else "--remove=") + word[1:])
            takes_value = not takes_value and word in ("-w", "--world", "--add", "--remove")
        return super().parse_args(ctx, turned)


@memory.command(cls=TagCommand, options_metavar="[+TAG|-TAG]… [OPTIONS]")
@click.argument("identifier", type=complete.NODE, metavar="ID")
@click.option("--add", "added", metavar=options.LIST, multiple=True, help="Same as +A +B.")
@click.option("--remove", "removed", metavar=options.LIST, multiple=True, help="Same as -A -B.")
def tag(layout: Layout, identifier: str, added: tuple[str, ...], removed: tuple[str, ...]) -> Output:
    """Add and remove tags of the memory ID: gm memory tag vera-042 +towers -draft."""
    from gm.api.editing.memory import MemoryCorrection

    if not added and not removed:
        raise UsageError("nothing to change", f"for example: gm memory tag {identifier} +towers -draft")
    return _corrected(layout, identifier, MemoryCorrection(add=split_names(added), remove=split_names(removed)))


@memory.command()
@click.argument("identifier", type=complete.NODE, metavar="ID")
@click.argument("level", metavar="TIER", type=click.Choice(TIERS))
def tier(layout: Layout, identifier: str, level: Tier) -> Output:
    """Set the tier of the memory ID: pinned, critical, important, normal or low.

    A pinned memory is always found and never summarised or pruned; the others add to its score in recall, and to its
    value in pruning.
    """
    from gm.api.editing.memory import MemoryCorrection

    return _corrected(layout, identifier, MemoryCorrection(tier=level))


def _corrected(layout: Layout, identifier: str, correction: Any, expect: str | None = None) -> Output:
    from gm.api.editing.memory import correct_memory
    from gm.api.reports.memories import MemoryCorrected

    found, notes = correct_memory(layout, identifier, correction, expect)
    return Output(_show_whole, MemoryCorrected(found.path, found.line, found.node), notes)


def _show_lines(memories: Sequence[FoundMemory]) -> None:
    for memory in memories:
        node = memory.node
        depth = f" depth {node.depth}" if node.depth else ""
        kept = {"archive": " (archived)", "summaries": " (summary)"}.get(memory.home, "")
        kept += f" (from {node.copied_from})" if node.copied_from else ""
        head = click.style(safe(node.id), bold=True)
        out(
            f"{head} "
            + safe(f"{node.created} {node.type}{depth} ({node.importance}){kept}: ")
            + _shown_description(node)
        )


def _shown_description(node: Node) -> str:
    return safe(" ".join(node.description.split()))


def _show_found(found: MemoryFound) -> None:
    _show_whole(found.memory, found.seen_as)
    for other in found.rests_on:
        if isinstance(other, str):
            out(safe(f"  rests on {other}, which does not exist"))
        else:
            out(safe(f"  rests on {other.node.id}: {clip_line(other.node.description, SHOWN_CHARACTERS)}"))
    if found.cited_by:
        out(safe("  cited by " + ", ".join(found.cited_by)))


def _show_whole(memory: FoundMemory | MemoryCorrected, seen: SeenAs | None = None) -> None:
    node = memory.node
    out(click.style(safe(node.id), bold=True) + safe(f"  {memory.path}:{memory.line}"))
    out(safe(f"  {node.created}, {node.type}, depth {node.depth}, importance {node.importance}"))
    out("  " + _shown_description(node))
    if seen:
        out(safe(f"  seen through {', '.join(seen.lens)}: {seen.text}"))
    if node.tags:
        out(safe("  tags: " + ", ".join(node.tags)))
    details = dict(node.metadata)
    exchange = details.pop("exchange", ())
    if details:
        out(safe("  metadata: " + ", ".join(f"{key} = {value}" for key, value in details.items())))
    for said in items_of(exchange):
        # a line that a person wrote by hand may be anything
        line = f"{said.get('agent')}: {said.get('text')}" if isinstance(said, dict) else str(said)
        out(safe("    " + " ".join(line.split())))
