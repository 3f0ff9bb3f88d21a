"""``gm memory``: look at single memories, find them, and write and correct them by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from gm.base.errors import UsageError
from gm.cli import complete
from gm.cli.options import (
    IMPORTANCE,
    IMPORTANCE_HELP,
    LIST,
    ids_option,
    json_option,
    read_world,
    split_names,
    tags_option,
    world_option,
)
from gm.cli.terminal import clip, out, safe, say, show
from gm.cli.world import WorldGroup
from gm.files.layout import Layout
from gm.model.node import NODE_TYPES, TIERS

if TYPE_CHECKING:
    from gm.api.memory.describe import MemoryCorrected, MemoryFound, SeenAs
    from gm.files.streams.find import Found
    from gm.model.node import Node

SHOWN = 100


@click.group(cls=WorldGroup)
def memory() -> None:
    """Look at single memories, find them, and write and correct them by hand."""


@memory.command("show")
@click.argument("what", metavar="ID|AGENT", shell_complete=complete.agents_and_nodes)
@world_option
@json_option
def show_memory(layout: Layout, what: str, as_json: bool) -> None:
    """Show the memory with an ID and what it rests on, or all memories of an AGENT."""
    from gm.api.memory.describe import describe_memory, describe_stream
    from gm.files.streams.find import find_memory
    from gm.model.character import find_agent

    places = find_memory(layout, what)
    if places:
        found = tuple(describe_memory(layout, item) for item in places)
        show(found[0] if len(found) == 1 else {"memories": found}, as_json, lambda _: list(map(_show_found, found)))
        return
    agent = find_agent(read_world(layout).agents, what)
    if agent is None:
        raise UsageError(f"there is no memory and nobody called {what!r}", "see: gm memory find TEXT")
    show(describe_stream(layout, agent), as_json, lambda stream: _show_lines(stream.memories))


@memory.command()
@click.argument("text", nargs=-1, required=True)
@world_option
@click.option(
    "--agent",
    "agents",
    metavar=LIST,
    multiple=True,
    help="Only these characters' memories.",
    shell_complete=complete.agent_lists,
)
@tags_option("Only memories that carry one of these tags.")
@click.option("--type", "kind", default="", help="Only memories of this type.")
@json_option
def find(
    layout: Layout, text: tuple[str, ...], agents: tuple[str, ...], tags: tuple[str, ...], kind: str, as_json: bool
) -> None:
    """Find memories by words, in descriptions and tags.

    All words must occur, each anywhere; capitals and the spelling of umlauts make no difference.
    """
    from gm.api.memory.describe import describe_found
    from gm.model.character import known_agent

    names = split_names(agents)
    if names:
        world = read_world(layout)
        names = tuple(known_agent(world.agents, name) for name in names)
    found = describe_found(layout, " ".join(text), names, split_names(tags), kind)
    show(found, as_json, lambda found: _show_lines(found.memories))
    if not (as_json or found.count):
        say("Nothing was found.")


@memory.command()
@click.argument("agent", shell_complete=complete.agents)
@click.argument("text")
@world_option
@click.option(
    "--importance",
    metavar="N",
    type=IMPORTANCE,
    help=f"{IMPORTANCE_HELP} Default: by rule, from its length and signal words.",
)
@click.option("--type", "kind", type=click.Choice(NODE_TYPES), default="observation", show_default=True)
@tags_option("Key words.")
@ids_option("--evidence", "Memories it rests on, anybody's.")
@click.option(
    "--at",
    metavar="day-003/scene-04",
    help="When it was made; default: in the last scene played.",
    shell_complete=complete.days,
)
@json_option
def add(
    layout: Layout,
    agent: str,
    text: str,
    importance: int | None,
    kind: str,
    tags: tuple[str, ...],
    evidence: tuple[str, ...],
    at: str | None,
    as_json: bool,
) -> None:
    """Write TEXT into AGENT's memory.

    Its id and its depth are computed, and AGENT's accumulator rises by its importance.
    """
    from gm.api.memory.add import NewMemory, add_memory
    from gm.model.node import node_record

    wish = NewMemory(text, importance, kind, split_names(tags), split_names(evidence), at)
    node, notes = add_memory(layout, agent, wish)
    line = safe(f"{node.id} {node.created} {node.type} ({node.importance}): {node.description}")
    show(node_record(node), as_json, lambda _: out(line), notes)


@memory.command()
@click.argument("identifier", metavar="ID", shell_complete=complete.nodes)
@world_option
@click.option("--description", help="Its new text.")
@click.option("--importance", metavar="N", type=IMPORTANCE, help=IMPORTANCE_HELP)
@click.option("--tags", metavar=LIST, help="All its tags, in place of those it has; empty for none.")
@click.option("--expect", metavar="SHA256", help="Only if its line is still the one of which show --json said this.")
@json_option
def edit(
    layout: Layout,
    identifier: str,
    description: str | None,
    importance: int | None,
    tags: str | None,
    expect: str | None,
    as_json: bool,
) -> None:
    """Correct the memory with an ID. Everything else in its line stays as it is."""
    from gm.api.memory.correct import Correction

    if description is None and importance is None and tags is None:
        raise UsageError("nothing to change", "say --description, --importance or --tags")
    wanted = None if tags is None else split_names((tags,))
    _correct(layout, identifier, Correction(description, importance, wanted), as_json, expect)


class TagCommand(click.Command):
    """A command that takes ``+x`` and ``-y`` for tags to add and to take away."""

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
@click.argument("identifier", metavar="ID", shell_complete=complete.nodes)
@world_option
@click.option("--add", "added", metavar=LIST, multiple=True, help="The same as +A +B.")
@click.option("--remove", "removed", metavar=LIST, multiple=True, help="The same as -A -B.")
@json_option
def tag(layout: Layout, identifier: str, added: tuple[str, ...], removed: tuple[str, ...], as_json: bool) -> None:
    """Add and take away tags of the memory with an ID: gm memory tag vera-042 +towers -draft."""
    from gm.api.memory.correct import Correction

    if not added and not removed:
        raise UsageError("nothing to change", f"for example: gm memory tag {identifier} +towers -draft")
    _correct(layout, identifier, Correction(add=split_names(added), remove=split_names(removed)), as_json)


@memory.command()
@click.argument("identifier", metavar="ID", shell_complete=complete.nodes)
@click.argument("level", metavar="TIER", type=click.Choice(TIERS))
@world_option
@json_option
def tier(layout: Layout, identifier: str, level: str, as_json: bool) -> None:
    """Say how much its owner holds on to the memory with an ID: pinned, critical, important, normal or low.

    A pinned memory is always found and never summarised or pruned; the others add to its score in recall, and to its
    value in pruning.
    """
    from gm.api.memory.correct import Correction

    _correct(layout, identifier, Correction(tier=level), as_json)


def _correct(layout: Layout, identifier: str, correction: Any, as_json: bool, expect: str | None = None) -> None:
    from gm.api.memory.correct import correct_memory
    from gm.api.memory.describe import MemoryCorrected

    found, notes = correct_memory(layout, identifier, correction, expect)
    show(MemoryCorrected(found.path, found.line, found.node), as_json, _show_whole, notes)


def _show_lines(memories: Sequence[Found]) -> None:
    for memory in memories:
        node = memory.node
        depth = f" depth {node.depth}" if node.depth else ""
        kept = {"archive": " (archived)", "summaries": " (summary)"}.get(memory.home, "")
        head = click.style(safe(node.id), bold=True)
        out(f"{head} " + safe(f"{node.created} {node.type}{depth} ({node.importance}){kept}: ") + _text(node))


def _text(node: Node) -> str:
    return safe(" ".join(node.description.split()))


def _show_found(found: MemoryFound) -> None:
    _show_whole(found.memory, found.seen_as)
    for other in found.rests_on:
        if isinstance(other, str):
            out(safe(f"  rests on {other}, which does not exist"))
        else:
            out(safe(f"  rests on {other.node.id}: {clip(other.node.description, SHOWN)}"))
    if found.cited_by:
        out(safe("  cited by " + ", ".join(found.cited_by)))


def _show_whole(memory: Found | MemoryCorrected, seen: SeenAs | None = None) -> None:
    node = memory.node
    out(click.style(safe(node.id), bold=True) + safe(f"  {memory.path}:{memory.line}"))
    out(safe(f"  {node.created}, {node.type}, depth {node.depth}, importance {node.importance}"))
    out("  " + _text(node))
    if seen:
        out(safe(f"  seen through {', '.join(seen.lens)}: {seen.text}"))
    if node.tags:
        out(safe("  tags: " + ", ".join(node.tags)))
    details = dict(node.metadata)
    exchange = details.pop("exchange", ())
    if details:
        out(safe("  metadata: " + ", ".join(f"{key} = {value}" for key, value in details.items())))
    for said in exchange if isinstance(exchange, list) else ():
        # a line that a person wrote by hand may be anything
        line = f"{said.get('agent')}: {said.get('text')}" if isinstance(said, dict) else str(said)
        out(safe("    " + " ".join(line.split())))
