"""``gm ask``: a character is asked out of scene, and the answer is shown."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click

from gm.cli import complete
from gm.cli.options import author_option, examples, json_option, model_option, text_of, world_option
from gm.cli.terminal import out, out_json, safe, say
from gm.errors import WaitingError
from gm.store.layout import Layout


@click.command(epilog=examples('gm ask AGENT "What would you throw away?" --thoughts'))
@click.argument("agent", shell_complete=complete.agents)
@click.argument("text", nargs=-1, required=True)
@world_option
@author_option
@click.option("--remember", is_flag=True, help="AGENT remembers the question and its own answer.")
@click.option("--thoughts", is_flag=True, help="Show what AGENT thinks and does not say.")
@model_option
@json_option
def ask(
    layout: Layout,
    agent: str,
    text: tuple[str, ...],
    author: str | None,
    remember: bool,
    thoughts: bool,
    model: str | None,
    as_json: bool,
) -> None:
    """Ask AGENT something out of scene.

    It answers in character, from the same memories as in a scene. No day is opened, and without --remember no file of
    the world changes. The same question after the same scene is not asked twice. TEXT - is read from standard input.
    """
    from gm.tools.ask import ask_character
    from gm.tools.models import choose_for

    def notice(line: str) -> None:
        say(safe(f"note: {line}"))

    choice = choose_for(layout, model, notice)
    say(safe(f"model: {choice.backend.model} ({choice.why})"))
    try:
        document = ask_character(layout, choice, agent, text_of(text), notice, author=author, remember=remember)
    except WaitingError as error:
        if as_json:
            out_json({"backend": choice.backend.name, "awaiting": [asdict(item) for item in error.awaited]})
        raise
    if as_json:
        out_json(document)
    else:
        _show(document, thoughts=thoughts)


def _show(document: dict[str, Any], *, thoughts: bool) -> None:
    for line in document["answer"]:
        out(safe(line))
    if not document["answer"]:
        say("No answer.")
    if thoughts and document["thoughts"]:
        out(safe(f"({document['thoughts']})"))
    if document["remembered"]:
        node = document["remembered"]
        say(safe(f"+ {node['id']} {node['type']} ({node['importance']})"))
