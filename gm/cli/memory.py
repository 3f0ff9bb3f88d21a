"""``gm memory``: look at single memories, find them, and write and correct them by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from gm.cli import complete
from gm.cli.options import IMPORTANCE, IMPORTANCE_HELP, json_option, read_world, split_names, world_option
from gm.cli.terminal import clip, out, out_json, safe, say
from gm.cli.world import WorldGroup
from gm.errors import UsageError
from gm.model.node import NODE_TYPES, TIERS
from gm.store.layout import Layout

SHOWN = 100
LIST = "A,B"


@click.group(cls=WorldGroup)
def memory() -> None:
    """Look at single memories, find them, and write and correct them by hand."""


@memory.command()
@click.argument("what", metavar="ID|AGENT", shell_complete=complete.agents_and_nodes)
@world_option
@json_option
def show(layout: Layout, what: str, as_json: bool) -> None:
    """Show the memory with an ID and what it rests on, or all memories of an AGENT."""
    from gm.model.character import find_agent
    from gm.tools.memory.describe import describe_memory, describe_stream
    from gm.tools.memory.kept import find_kept

    found = find_kept(layout, what)
    if found:
        documents = [describe_memory(layout, kept) for kept in found]
        if as_json:
            out_json(documents[0] if len(documents) == 1 else {"memories": documents})
            return
        for document in documents:
            _show_whole(document)
        return
    agent = find_agent(read_world(layout).agents, what)
    if agent is None:
        raise UsageError(f"there is no memory and nobody called {what!r}", "see: gm memory find TEXT")
    document = describe_stream(layout, agent)
    if as_json:
        out_json(document)
    else:
        _show_lines(document["memories"])


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
@click.option("--tags", metavar=LIST, multiple=True, help="Only memories that carry one of these tags.")
@click.option("--type", "kind", default="", help="Only memories of this type.")
@json_option
def find(
    layout: Layout, text: tuple[str, ...], agents: tuple[str, ...], tags: tuple[str, ...], kind: str, as_json: bool
) -> None:
    """Find memories by words, in descriptions and tags.

    All words must occur, each anywhere; capitals and the spelling of umlauts make no difference.
    """
    from gm.tools.cast import known_agent
    from gm.tools.memory.describe import describe_found

    names = split_names(agents)
    if names:
        world = read_world(layout)
        names = tuple(known_agent(world.agents, name) for name in names)
    document = describe_found(layout, " ".join(text), names, split_names(tags), kind)
    if as_json:
        out_json(document)
        return
    _show_lines(document["memories"])
    if not document["count"]:
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
@click.option("--tags", metavar=LIST, multiple=True, help="Key words.")
@click.option(
    "--evidence",
    metavar="ID,ID",
    multiple=True,
    help="Memories it rests on, anybody's.",
    shell_complete=complete.node_lists,
)
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
    from gm.model.node import node_record
    from gm.tools.memory.add import NewMemory, add_memory

    wish = NewMemory(text, importance, kind, split_names(tags), split_names(evidence), at)
    node, notes = add_memory(layout, agent, wish)
    _say_notes(notes)
    if as_json:
        out_json(node_record(node))
    else:
        out(safe(f"{node.id} {node.created} {node.type} ({node.importance}): {node.description}"))


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
    from gm.tools.memory.correct import Correction

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
    from gm.tools.memory.correct import Correction

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
    from gm.tools.memory.correct import Correction

    _correct(layout, identifier, Correction(tier=level), as_json)


def _correct(layout: Layout, identifier: str, correction: Any, as_json: bool, expect: str | None = None) -> None:
    from gm.model.node import node_record
    from gm.tools.memory.correct import correct_memory

    kept, notes = correct_memory(layout, identifier, correction, expect)
    _say_notes(notes)
    if as_json:
        out_json({"path": kept.path, "line": kept.line, **node_record(kept.node)})
    else:
        _show_whole({"path": kept.path, "line": kept.line, **node_record(kept.node)})


def _say_notes(notes: Sequence[str]) -> None:
    for note in notes:
        say(safe(note))


def _show_lines(memories: Sequence[dict[str, Any]]) -> None:
    for node in memories:
        depth = f" depth {node['depth']}" if node["depth"] else ""
        kept = " (archived)" if node.get("archived") else " (summary)" if node.get("summary") else ""
        head = click.style(safe(node["id"]), bold=True)
        out(f"{head} " + safe(f"{node['created']} {node['type']}{depth} ({node['importance']}){kept}: ") + _text(node))


def _text(node: dict[str, Any]) -> str:
    return safe(" ".join(node["description"].split()))


def _show_whole(document: dict[str, Any]) -> None:
    out(click.style(safe(document["id"]), bold=True) + safe(f"  {document['path']}:{document['line']}"))
    out(safe(f"  {document['created']}, {document['type']}, depth {document['depth']}, "
             f"importance {document['importance']}"))  # fmt: skip
    out("  " + _text(document))
    if "seen_as" in document:
        seen = document["seen_as"]
        out(safe(f"  seen through {', '.join(seen['lens'])}: {seen['text']}"))
    if document["tags"]:
        out(safe("  tags: " + ", ".join(document["tags"])))
    details = dict(document["metadata"])
    exchange = details.pop("exchange", ())
    if details:
        out(safe("  metadata: " + ", ".join(f"{key} = {value}" for key, value in details.items())))
    for said in exchange if isinstance(exchange, list) else ():
        # a line that somebody wrote by hand may be anything
        line = f"{said.get('agent')}: {said.get('text')}" if isinstance(said, dict) else str(said)
        out(safe("    " + " ".join(line.split())))
    for other in document.get("rests_on", ()):
        if "missing" in other:
            out(safe(f"  rests on {other['missing']}, which does not exist"))
        else:
            out(safe(f"  rests on {other['id']}: {clip(other['description'], SHOWN)}"))
    if document.get("cited_by"):
        out(safe("  cited by " + ", ".join(document["cited_by"])))
