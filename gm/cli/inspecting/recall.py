"""``gm recall`` answers a question; ``gm context`` shows a scene's memories and its prompt's tokens."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gm.base.errors import UsageError
from gm.base.texts import counted
from gm.cli import complete, options
from gm.cli.commands import Output, examples, read_world, show_broken, split_names, world_command
from gm.cli.terminal import err, out, out_json, safe, say_notes
from gm.files.layout import Layout

if TYPE_CHECKING:
    from gm.api.playing.context import Context, SeenThrough
    from gm.api.reports.recall import Recalled, RecallOptions
    from gm.play.windows import Window


@world_command(
    epilog=examples(
        'gm recall AGENT "Who built the tower?" -k 5', "gm recall AGENT tower --about OTHER --days 1-3 --explain"
    )
)
@options.agent
@click.argument("query", nargs=-1)
@click.option(
    "-k", "most", type=click.IntRange(min=1), metavar="N", help="Maximum number of memories; default: recall.limit."
)
@click.option(
    "--strategy", type=complete.STRATEGY, help="recent, tags, scored, hybrid or vector; default: recall.strategy."
)
@click.option(
    "--purpose", type=click.Choice(("past", "now")), help="Kind of question: about the past, or what is needed now."
)
@options.names(
    "--type",
    "types",
    help="Only these types, or episodic (lived), semantic (known); character, scene … are seed memories.",
)
@options.names("--kind", "kinds", help="Only these finer kinds (metadata.kind).")
@options.names(
    "--category",
    "categories",
    help="Only these categories (metadata.category): identity, background … of seed memories, dialogue.",
)
@options.names("--about", help="Only memories about one of these people or things.")
@options.names("--tags", help="Only memories that carry one of these tags.")
@click.option(
    "--min-importance",
    metavar="N",
    type=options.IMPORTANCE,
    default=None,
    help="Minimum importance.",
)
@click.option("--min-turn", metavar="N", type=click.IntRange(min=1), help="First scene of the world, counted from 1.")
@click.option("--max-turn", metavar="N", type=click.IntRange(min=1), help="Last scene of the world.")
@click.option("--days", metavar="A-B", help="Only these story days.")
@click.option("--all-agents", is_flag=True, help="Search the memories of all characters.")
@click.option("--explain", is_flag=True, help="Show the parts of each score.")
@click.option(
    "--queries",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help='Answer each question of FILE, one {"question": "…"} per line; prints one document per line, in order.',
)
def recall(layout: Layout, agent: str, query: tuple[str, ...], queries: Path | None, **given: Any) -> Output | None:
    """Find the memories of a character that answer a question best.

    It searches stream, archive and summaries.
    """
    from gm.api.answers.document import as_json as as_plain
    from gm.api.reports.recall import load_questions, open_recall
    from gm.files.story.now import load_settings

    text = " ".join(query)
    if bool(text.strip()) == (queries is not None):
        raise UsageError(
            "say what to look for: a question, or --queries FILE", f'for example: gm recall {agent} "tower"'
        )
    wanted = _make_options(given)
    settings, problems = load_settings(layout)
    show_broken(tuple(problems))
    questions = load_questions(queries) if queries is not None else []
    with open_recall(layout, settings, tell=lambda text: err(safe(text))) as memories:
        asker = memories.agent(agent)
        if queries is None:
            found, notices = memories.find(asker, text, wanted)
            return Output(_show_recalled, found, dict.fromkeys(notices))
        said: set[str] = set()
        for record in questions:
            found, notices = memories.find(asker, record["question"], wanted)
            say_notes(notice for notice in dict.fromkeys(notices) if notice not in said)
            said.update(notices)
            out_json({**record, **as_plain(found)}, indent=None)
    return None


def _make_options(given: dict[str, Any]) -> RecallOptions:
    from gm.api.reports.recall import RecallOptions, require_strategy
    from gm.memory.recall.query import Filters
    from gm.model.calendar import parse_days

    names: dict[str, Any] = {key: given[key] for key in ("types", "kinds", "categories", "about", "tags")}
    least: dict[str, Any] = {key: given[key] or 0 for key in ("min_importance", "min_turn", "max_turn")}
    days = parse_days(given["days"]) if given["days"] else None
    return RecallOptions(
        strategy=require_strategy(given["strategy"]) if given["strategy"] else None,
        most=given["most"] or 0,
        purpose=given["purpose"],
        everybody=given["all_agents"],
        filters=Filters(**names, **least, days=days),
        explain=given["explain"],
        seeds=True,
    )


def _show_recalled(found: Recalled) -> None:
    for memory in found.memories:
        head = click.style(safe(memory.id), bold=True)
        kept = f" ({memory.kept_in})" if memory.kept_in else ""
        out(
            f"{memory.relevance:.2f}  {head} "
            + safe(f"{memory.created} {memory.type} ({memory.importance}){kept}: ")
            + safe(" ".join(memory.content.split()))
        )
        if memory.parts:
            out(safe("      " + ", ".join(f"{name} {value:.2f}" for name, value in memory.parts.items())))
    if not found.memories:
        err("No memories were found.")


@world_command(
    epilog=examples(
        "gm context AGENT --prompt",
        "gm context AGENT --tags towers --at day-001",
        'gm context AGENT --scene encounter --with AGENT,OTHER --topic "the threshold" --strategy vector',
    )
)
@options.agent
@click.option("--last", type=click.IntRange(min=1), metavar="N", help="Size of the memory window.")
@click.option("--tags", metavar="A,B", help="Focus on memories that carry one of these tags.")
@click.option(
    "--at",
    "moment",
    type=complete.DAY,
    metavar="MOMENT",
    help="Show the state after this day (3, day-003) or scene (day-003/scene-02).",
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
    help="Type of the scene, as for gm scene; default: the next scene.",
)
@options.names("--with", "cast", of=complete.AGENTS, help="Participants of the scene.")
@options.topic
@options.place
@click.option(
    "--model",
    type=complete.MODEL,
    metavar="NAME",
    help="Use this model's window, as its server reports it; default: as configured, without asking a server.",
)
@click.option("--prompt", is_flag=True, help="Show the prompt as it would be sent.")
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
    model: str | None,
    prompt: bool,
) -> Output:
    """Show the memories that a scene would put into a character's prompt.

    The tokens of the prompt are counted too.
    """
    from gm.api.history.past import parse_moment
    from gm.api.playing.context import ContextOptions, describe_context
    from gm.api.reports.recall import require_strategy
    from gm.model.world import known_agent, known_agents
    from gm.scene.directing.choosing import SceneRequest

    world = read_world(layout, whole_streams=False)
    agent = known_agent(world.agents, agent)
    if cast:
        cast = tuple(known_agents(world.agents, (*cast, agent)))
    if not kind and (cast or topic or place):
        raise UsageError("--with, --topic and --location belong to a scene", "say which: --scene encounter")
    wanted = ContextOptions(
        last=last,
        tags=split_names((tags or "",)),
        moment=None if moment is None else parse_moment(moment),
        strategy=require_strategy(strategy) if strategy else "",
        scene=SceneRequest(kind, cast, topic, place) if kind else None,
        model=model or "",
    )
    found = describe_context(layout, world, agent, wanted, lambda text: err(safe(text)))
    if prompt:
        return Output(lambda found: out(safe(found.prompt or ""), whole=True), found)
    return Output(_show_context, replace(found, prompt=None))


def _show_context(found: Context) -> None:
    for node in found.summaries:
        title = f"{node.title}: " if node.title else ""
        out(safe(f"{node.id} summary ({node.importance}): {title}{node.description}"))
    for node in found.memories:
        depth = f" depth {node.depth}" if node.depth else ""
        out(safe(f"{node.id} {node.created} {node.type}{depth} ({node.importance}): {node.description}"))
        seen = (found.lenses or {}).get(node.id)
        if seen:
            _show_lens(seen)
    dropped = f", {found.dropped} left out by the budget" if found.dropped else ""
    dropped += f", {len(found.in_plan)} said by the plan instead ({', '.join(found.in_plan)})" if found.in_plan else ""
    many = counted(len(found.memories), "memory")
    out(f"{many}, {len(found.reflections)} of them reflections ({found.strategy}{dropped});")
    out(f"the whole prompt has about {found.tokens} tokens:")
    for section in found.sections:
        cut = f", {section.cut} left out or shortened" if section.cut else ""
        out(f"  {section.priority}  {section.name:<9} {section.tokens:>7}{cut}")
    if found.window:
        _show_window(found.window, [section.name for section in found.sections if section.cut])


def _show_window(window: Window, gave_way: list[str]) -> None:
    name = safe(window.model)
    if window.tokens is None:
        out(f"the window of {name} is not known; its answer may take {window.answer:,} tokens")
    else:
        out(f"the window of {name} holds {window.tokens:,} tokens, its answer may take {window.answer:,};")
    if window.prompt is not None:
        what = f"gave way: {', '.join(gave_way)}" if gave_way else "nothing gave way"
        is_lowered = window.tokens is None or window.prompt < window.tokens - window.answer
        room = "are left for the prompt" if not is_lowered else "may be in the prompt (context in gm.yaml)"
        out(f"{window.prompt:,} {room}; {what}")


def _show_lens(seen: SeenThrough) -> None:
    if seen.formation:
        out(safe(f"    bent by {', '.join(map(str, seen.formation))}; before: {seen.original}"))
    if seen.retrieval:
        out(safe(f"    seen through {', '.join(seen.retrieval)}: {seen.reads}"))
