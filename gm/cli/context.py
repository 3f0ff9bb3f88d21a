"""``gm context``: what a character has before its eyes, and what the prompt costs in tokens."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from gm.cli import complete
from gm.cli.options import examples, json_option, read_world, split_names, world_option
from gm.cli.terminal import counted, out, out_json, safe, say
from gm.errors import UsageError
from gm.store.layout import Layout

if TYPE_CHECKING:
    from gm.model.passage import Passage


@click.command(
    epilog=examples(
        "gm context AGENT --prompt",
        "gm context AGENT --tags towers --at day-001",
        'gm context AGENT --scene encounter --with AGENT,OTHER --topic "the threshold" --strategy vector',
    )
)
@click.argument("agent", shell_complete=complete.agents)
@world_option
@click.option("--last", type=click.IntRange(min=1), metavar="N", help="Size of the memory window.")
@click.option("--tags", metavar="A,B", help="Focus on memories that carry one of these tags.")
@click.option(
    "--at",
    "moment",
    metavar="day-005[/scene-02]",
    help="As it was after that day or scene.",
    shell_complete=complete.days,
)
@click.option(
    "--strategy",
    metavar="NAME",
    help="How the window is chosen: recent, scored, hybrid or vector; default: retrieval.strategy.",
    shell_complete=complete.strategies,
)
@click.option(
    "--scene",
    "kind",
    metavar="TYPE",
    help="For a scene of this type, as gm scene plays it; default: the next one.",
    shell_complete=complete.scene_types,
)
@click.option(
    "--with", "cast", metavar="A,B", multiple=True, help="Who takes part in it.", shell_complete=complete.agent_lists
)
@click.option("--topic", default="", help="What it is about.")
@click.option("--location", "place", default="", help="Where it happens.", shell_complete=complete.places)
@click.option("--prompt", is_flag=True, help="Show the whole prompt as it would be sent.")
@json_option
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
    as_json: bool,
) -> None:
    """Show what AGENT has before its eyes: the memories a scene would bring, and how many tokens the prompt has."""
    from contextlib import ExitStack, closing
    from dataclasses import replace
    from functools import partial

    from gm.day.prompts import open_prompts
    from gm.day.reminders import Reminder
    from gm.day.vector_search import VectorSearch
    from gm.llm.choose import will_tell_schema
    from gm.scene.requested_scene import SceneWish
    from gm.store.gallery import read_artifact
    from gm.store.library import find_passages
    from gm.store.streams.archive import read_archive
    from gm.tools.cast import known_agent
    from gm.tools.context import ContextWish, describe_context
    from gm.tools.mind.minds import SceneMinds
    from gm.tools.past import parse_moment
    from gm.tools.recall import check_strategy

    world = read_world(layout, whole_streams=False)
    agent = known_agent(world.agents, agent)
    prompts = open_prompts(layout, world.settings.language)
    world = replace(world, scene_types=prompts.scene_types())
    wished = tuple(tag.strip() for tag in (tags or "").split(",") if tag.strip())
    if not kind and (cast or topic or place):
        raise UsageError("--with, --topic and --location belong to a scene", "say which: --scene encounter")
    scene = SceneWish(kind, split_names(cast), topic, place) if kind else None
    at = None if moment is None else parse_moment(moment)
    wish = ContextWish(last, wished, at, check_strategy(strategy) if strategy else "", scene)
    read_piece = partial(read_artifact, layout)

    def find(query: str) -> tuple[Passage, ...]:
        return find_passages(layout, query, world.settings.language)[0]

    def notice(text: str) -> None:
        say(safe(text))

    def remind(assembler: Any) -> Reminder:
        return held.enter_context(closing(Reminder(layout, assembler, notice, vectors)))

    vectors = VectorSearch(layout, world.settings.index)
    minds = SceneMinds(layout, notice, vectors)
    seed, archive = world.settings.seed, partial(read_archive, layout)
    with ExitStack() as held, closing(vectors):
        document = describe_context(
            world,
            prompts,
            agent,
            wish,
            seed,
            read_piece,
            find,
            remind,
            archive,
            minds,
            notice,
            tells_schema=will_tell_schema(world.settings.model, world.settings.llm, os.environ),
        )
    text = document["prompt"] if prompt else document.pop("prompt")
    if as_json:
        out_json(document)
    elif prompt:
        out(safe(text), whole=True)
    else:
        _show(document)


def _show(document: dict[str, Any]) -> None:
    for node in document.get("summaries", ()):
        title = f"{node['metadata'].get('title')}: " if node["metadata"].get("title") else ""
        out(safe(f"{node['id']} summary ({node['importance']}): {title}{node['description']}"))
    for node in document["memories"]:
        depth = f" depth {node['depth']}" if node["depth"] else ""
        out(safe(f"{node['id']} {node['created']} {node['type']}{depth} ({node['importance']}): {node['description']}"))
        seen = document.get("lenses", {}).get(node["id"])
        if seen:
            _show_lens(seen)
    shown = counted(len(document["memories"]), "memory")
    dropped = f", {document['dropped']} left out by the budget" if document["dropped"] else ""
    out(f"{shown}, {len(document['reflections'])} of them reflections ({document['strategy']}{dropped});")
    out(f"the whole prompt has about {document['tokens']} tokens:")
    for section in document["sections"]:
        cut = f", {section['cut']} left out or shortened" if section["cut"] else ""
        out(f"  {section['priority']}  {section['name']:<9} {section['tokens']:>7}{cut}")


def _show_lens(seen: dict[str, Any]) -> None:
    """Tell how a lens shows a memory, and how it was before."""
    if seen["formation"]:
        out(safe(f"    bent by {', '.join(map(str, seen['formation']))}; before: {seen['original']}"))
    if seen["retrieval"]:
        out(safe(f"    seen through {', '.join(seen['retrieval'])}: {seen['reads']}"))
