"""Options and arguments that several commands take."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from gm.cli import complete
from gm.cli.commands import split_names

Function = TypeVar("Function", bound=Callable[..., Any])
LIST = "A,B"
IMPORTANCE = click.IntRange(1, 10)
FOLDER = click.Path(file_okay=False, path_type=Path)
IMPORTANCE_HELP = "1 is routine, 10 is pivotal."

model = click.option(
    "--model",
    type=complete.MODEL,
    help="auto, rehearsal, mailbox, replay, a model of the Anthropic Messages API, or PROVIDER:MODEL (openai:gpt-5, "
    "ollama:qwen3); default: model in gm.yaml.",
)
seed = click.option(
    "--seed",
    metavar="N",
    type=click.IntRange(min=0),
    help="Seed of the Game Master's dice; default: that of the open day, else seed in gm.yaml.",
)
author = click.option(
    "--from",
    "author",
    metavar="NAME",
    help="Author of the text; default: the author of the newest brief, else world.outside.",
)
agent = click.argument("agent", type=complete.AGENT)
agents = click.argument("agents", type=complete.AGENT, nargs=-1, metavar="[AGENT]…")
despite_headings = click.option(
    "--despite-headings", is_flag=True, help="Show also the text below a persona's heading that only looks private."
)
topic = click.option("--topic", default="", help="Topic of the scene.")
place = click.option("--location", "--place", "place", default="", type=complete.PLACE, help="Place of the scene.")


def model_and_seed(function: Function) -> Function:
    """Add ``--model`` and ``--seed``."""
    return model(seed(function))


def day(help_text: str) -> Callable[[Function], Function]:
    """Return a decorator that adds ``--day N``."""
    offer = complete.DAY_NUMBER.shell_complete
    return click.option("--day", metavar="N", type=click.IntRange(min=0), help=help_text, shell_complete=offer)


def names(*option: str, help: str, of: complete.CompletedText = complete.ANY) -> Callable[[Function], Function]:
    """Return a decorator for an option of several values, by commas or repeated."""

    def split(_context: click.Context, _option: click.Parameter, given: tuple[str, ...]) -> tuple[str, ...]:
        return split_names(given)

    return click.option(*option, type=of, multiple=True, callback=split, help=help)


people = names(
    "--as", "people", of=complete.AGENTS, help="Play these characters yourself: on the terminal, else by the mailbox."
)
