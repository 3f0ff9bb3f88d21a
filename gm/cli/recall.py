"""``gm recall``: the memories that answer a question, with how each of them was found."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gm.base.errors import UsageError
from gm.cli import complete
from gm.cli.options import IMPORTANCE, Answer, examples, names_option, show_broken, world_command
from gm.cli.terminal import out, out_json, safe, say, say_notes
from gm.files.layout import Layout

if TYPE_CHECKING:
    from gm.api.recall import Recalled, RecallWish


@world_command(
    epilog=examples(
        'gm recall AGENT "Who built the tower?" -k 5', "gm recall AGENT tower --about OTHER --days 1-3 --explain"
    )
)
@click.argument("agent", type=complete.AGENT)
@click.argument("query", nargs=-1)
@click.option("-k", "most", type=click.IntRange(min=1), metavar="N", help="Most memories; default: recall.limit.")
@click.option(
    "--strategy", type=complete.STRATEGY, help="recent, tags, scored, hybrid or vector; default: recall.strategy."
)
@click.option("--purpose", type=click.Choice(("past", "now")), help="A question about what was, or what is needed now.")
@names_option(
    "--type",
    "types",
    help="Only these types, or episodic (lived), semantic (known); character, scene … are seed memories.",
)
@names_option("--kind", "kinds", help="Only these finer kinds (metadata.kind).")
@names_option(
    "--category",
    "categories",
    help="Only these categories (metadata.category): identity, background … of seed memories, dialogue.",
)
@names_option("--about", help="Only memories about one of these people or things.")
@names_option("--tags", help="Only memories that carry one of these tags.")
@click.option(
    "--min-importance",
    metavar="N",
    type=IMPORTANCE,
    default=None,
    help="Only memories as important as this.",
)
@click.option(
    "--min-turn", metavar="N", type=click.IntRange(min=1), help="From this scene of the world on, counted from 1."
)
@click.option("--max-turn", metavar="N", type=click.IntRange(min=1), help="Up to this scene of the world.")
@click.option("--days", metavar="A-B", help="Only these story days.")
@click.option("--all-agents", is_flag=True, help="Look through everybody's memories.")
@click.option("--explain", is_flag=True, help="Show what each score is made of.")
@click.option(
    "--queries",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help='Ask every question of a file, {"question": "…"} a line; one document a line comes out, in order.',
)
def recall(layout: Layout, agent: str, query: tuple[str, ...], queries: Path | None, **options: Any) -> Answer | None:
    """Find the memories of AGENT that answer QUERY best, in stream, archive and summaries."""
    from gm.api.document import as_json as as_plain
    from gm.api.recall import open_recall, read_questions
    from gm.files.load import load_settings

    text = " ".join(query)
    if bool(text.strip()) == (queries is not None):
        raise UsageError(
            "say what to look for: a question, or --queries FILE", f'for example: gm recall {agent} "tower"'
        )
    wish = _wish(options)
    settings, problems = load_settings(layout)
    show_broken(tuple(problems))
    questions = read_questions(queries) if queries is not None else []
    with open_recall(layout, settings) as memories:
        asker = memories.agent(agent)
        if queries is None:
            found, notices = memories.find(asker, text, wish)
            return Answer(_show_recalled, found, dict.fromkeys(notices))
        said: set[str] = set()
        for record in questions:
            found, notices = memories.find(asker, record["question"], wish)
            say_notes(notice for notice in dict.fromkeys(notices) if notice not in said)
            said.update(notices)
            out_json({**record, **as_plain(found)}, indent=None)
    return None


def _wish(options: dict[str, Any]) -> RecallWish:
    from gm.api.recall import RecallWish, check_strategy, parse_days
    from gm.memory.recall.query import Filters

    names: dict[str, Any] = {key: options[key] for key in ("types", "kinds", "categories", "about", "tags")}
    least: dict[str, Any] = {key: options[key] or 0 for key in ("min_importance", "min_turn", "max_turn")}
    days = parse_days(options["days"]) if options["days"] else None
    return RecallWish(
        strategy=check_strategy(options["strategy"]) if options["strategy"] else None,
        most=options["most"] or 0,
        purpose=options["purpose"],
        everybody=options["all_agents"],
        filters=Filters(**names, **least, days=days),
        explain=options["explain"],
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
        say("Nothing comes to mind.")
