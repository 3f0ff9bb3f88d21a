"""``gm recall``: the memories that answer a question, with how each of them was found."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from gm.cli import complete
from gm.cli.options import IMPORTANCE, examples, json_option, show_broken, split_names, world_option
from gm.cli.terminal import out, out_json, out_line, safe, say
from gm.errors import UsageError
from gm.store.layout import Layout

LIST = "A,B"


@click.command(
    epilog=examples(
        'gm recall AGENT "Who built the tower?" -k 5', "gm recall AGENT tower --about OTHER --days 1-3 --explain"
    )
)
@click.argument("agent", shell_complete=complete.agents)
@click.argument("query", nargs=-1)
@world_option
@click.option("-k", "most", type=click.IntRange(min=1), metavar="N", help="Most memories; default: recall.limit.")
@click.option(
    "--strategy",
    metavar="NAME",
    help="recent, tags, scored, hybrid or vector; default: recall.strategy.",
    shell_complete=complete.strategies,
)
@click.option("--purpose", type=click.Choice(("past", "now")), help="A question about what was, or what is needed now.")
@click.option(
    "--type",
    "types",
    metavar=LIST,
    multiple=True,
    help="Only these types, or episodic (lived), semantic (known); character, scene … are seed memories.",
)
@click.option("--kind", "kinds", metavar=LIST, multiple=True, help="Only these finer kinds (metadata.kind).")
@click.option(
    "--category",
    "categories",
    metavar=LIST,
    multiple=True,
    help="Only these categories (metadata.category): identity, background … of seed memories, dialogue.",
)
@click.option("--about", metavar=LIST, multiple=True, help="Only memories about one of these people or things.")
@click.option("--tags", metavar=LIST, multiple=True, help="Only memories that carry one of these tags.")
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
@json_option
def recall(
    layout: Layout, agent: str, query: tuple[str, ...], queries: Path | None, as_json: bool, **options: Any
) -> None:
    """Find the memories of AGENT that answer QUERY best, in stream, archive and summaries."""
    from gm.store.load import load_settings
    from gm.tools.recall import open_recall, read_questions

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
            document, notices = memories.document(asker, text, wish)
            _say_once(notices, set())
            _show(document, as_json)
            return
        said: set[str] = set()
        for record in questions:
            document, notices = memories.document(asker, record["question"], wish)
            _say_once(notices, said)
            out_line({**record, **document})


def _wish(options: dict[str, Any]) -> Any:
    from gm.memory.recall.query import Filters
    from gm.tools.recall import RecallWish, check_strategy, parse_days

    filters = Filters(
        types=split_names(options["types"]),
        kinds=split_names(options["kinds"]),
        categories=split_names(options["categories"]),
        about=split_names(options["about"]),
        tags=split_names(options["tags"]),
        min_importance=options["min_importance"] or 0,
        min_turn=options["min_turn"] or 0,
        max_turn=options["max_turn"] or 0,
        days=parse_days(options["days"]) if options["days"] else None,
    )
    strategy = check_strategy(options["strategy"]) if options["strategy"] else None
    return RecallWish(
        strategy,
        options["most"] or 0,
        options["purpose"],
        options["all_agents"],
        filters,
        options["explain"],
        seeds=True,
    )


def _say_once(notices: Sequence[str], said: set[str]) -> None:
    for notice in notices:
        if notice not in said:
            said.add(notice)
            say(safe(notice))


def _show(document: dict[str, Any], as_json: bool) -> None:
    if as_json:
        out_json(document)
        return
    for memory in document["memories"]:
        head = click.style(safe(memory["id"]), bold=True)
        kept = f" ({memory['kept_in']})" if "kept_in" in memory else ""
        out(
            f"{memory['relevance']:.2f}  {head} "
            + safe(f"{memory['created']} {memory['type']} ({memory['importance']}){kept}: ")
            + safe(" ".join(memory["content"].split()))
        )
        if memory.get("parts"):
            out(safe("      " + ", ".join(f"{name} {value:.2f}" for name, value in memory["parts"].items())))
    if not document["memories"]:
        say("Nothing comes to mind.")
