"""``gm context``: what a character has before its eyes, and what the prompt costs in tokens."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from gm.base.errors import UsageError
from gm.cli import complete
from gm.cli.options import (
    Answer,
    examples,
    names_option,
    place_option,
    read_world,
    split_names,
    topic_option,
    world_command,
)
from gm.cli.terminal import counted, out, safe, say
from gm.files.layout import Layout

if TYPE_CHECKING:
    from gm.api.context import Context, SeenThrough


@world_command(
    epilog=examples(
        "gm context AGENT --prompt",
        "gm context AGENT --tags towers --at day-001",
        'gm context AGENT --scene encounter --with AGENT,OTHER --topic "the threshold" --strategy vector',
    )
)
@click.argument("agent", type=complete.AGENT)
@click.option("--last", type=click.IntRange(min=1), metavar="N", help="Size of the memory window.")
@click.option("--tags", metavar="A,B", help="Focus on memories that carry one of these tags.")
@click.option(
    "--at", "moment", metavar="day-005[/scene-02]", type=complete.DAY, help="As it was after that day or scene."
)
@click.option(
    "--strategy",
    type=complete.STRATEGY,
    help="How the window is chosen: recent, scored, hybrid or vector; default: retrieval.strategy.",
)
@click.option(
    "--scene",
    "kind",
    metavar="TYPE",
    type=complete.SCENE_TYPE,
    help="For a scene of this type, as gm scene plays it; default: the next one.",
)
@names_option("--with", "cast", of=complete.AGENTS, help="Who takes part in it.")
@topic_option
@place_option
@click.option("--prompt", is_flag=True, help="Show the whole prompt as it would be sent.")
def context(
    layout: Layout,
    agent: str,
    last: int | None,
    tags: str | None,
    moment: str | None,
    strategy: str | None,
    kind: str | None,
    cast: tuple[str, ...],
    topic: str,
    place: str,
    prompt: bool,
) -> Answer:
    """Show what AGENT has before its eyes: the memories a scene would bring, and how many tokens the prompt has."""
    from gm.api.cast import known_agent
    from gm.api.context import ContextWish, describe_context
    from gm.api.history.past import parse_moment
    from gm.api.recall import check_strategy
    from gm.scene.requested_scene import SceneWish

    world = read_world(layout, whole_streams=False)
    agent = known_agent(world.agents, agent)
    if not kind and (cast or topic or place):
        raise UsageError("--with, --topic and --location belong to a scene", "say which: --scene encounter")
    wish = ContextWish(
        last=last,
        tags=split_names((tags or "",)),
        moment=None if moment is None else parse_moment(moment),
        strategy=check_strategy(strategy) if strategy else "",
        scene=SceneWish(kind, cast, topic, place) if kind else None,
    )
    found = describe_context(layout, world, agent, wish, lambda text: say(safe(text)))
    if prompt:
        return Answer(lambda found: out(safe(found.prompt or ""), whole=True), found)
    return Answer(_show_context, replace(found, prompt=None))


def _show_context(found: Context) -> None:
    for node in found.summaries:
        title = f"{node.metadata.get('title')}: " if node.metadata.get("title") else ""
        out(safe(f"{node.id} summary ({node.importance}): {title}{node.description}"))
    for node in found.memories:
        depth = f" depth {node.depth}" if node.depth else ""
        out(safe(f"{node.id} {node.created} {node.type}{depth} ({node.importance}): {node.description}"))
        seen = (found.lenses or {}).get(node.id)
        if seen:
            _show_lens(seen)
    dropped = f", {found.dropped} left out by the budget" if found.dropped else ""
    many = counted(len(found.memories), "memory")
    out(f"{many}, {len(found.reflections)} of them reflections ({found.strategy}{dropped});")
    out(f"the whole prompt has about {found.tokens} tokens:")
    for section in found.sections:
        cut = f", {section.cut} left out or shortened" if section.cut else ""
        out(f"  {section.priority}  {section.name:<9} {section.tokens:>7}{cut}")


def _show_lens(seen: SeenThrough) -> None:
    """Tell how a lens shows a memory, and how it was before."""
    if seen.formation:
        out(safe(f"    bent by {', '.join(map(str, seen.formation))}; before: {seen.original}"))
    if seen.retrieval:
        out(safe(f"    seen through {', '.join(seen.retrieval)}: {seen.reads}"))
