"""``gm mailbox``: what characters are asked that a person answers."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from gm.cli.commands import ListGroup, Output, join_words
from gm.cli.terminal import err, out, safe
from gm.files.layout import Layout

if TYPE_CHECKING:
    from gm.api.playing.mailbox import Letter

STATES = {"answered": "answered", "problem": "cannot be used yet", "superseded": "asked anew in another letter"}
"""What the list says of a letter, by the first of these keys that holds."""


@click.group(cls=ListGroup)
def mailbox() -> None:
    """List and answer questions that wait for a person who plays a character.

    Without a command: the list. Letters come from gm advance-day --as NAME, from a persona with 'model: mailbox', and
    from --model mailbox; an answer is a file beside its letter in state/mailbox/.
    """


@mailbox.command("list")
def list_letters(layout: Layout) -> Output:
    """List letters, unanswered ones first."""
    from gm.api.playing.mailbox import open_letters

    return Output(_show_list, {"letters": [letter.brief for letter in open_letters(layout)]})


def _show_list(document: dict[str, list[dict[str, object]]]) -> None:
    for item in document["letters"]:
        state = next((said for key, said in STATES.items() if item[key]), "open")
        out(safe(f"{item['letter']}  {item['who']}  {item['scene']}  since {item['since']}  {state}"))
    if not document["letters"]:
        out("Nothing is asked.")


@mailbox.command("show")
@click.argument("letter")
def show_letter(layout: Layout, letter: str) -> Output:
    """Show a whole letter, and why its answer cannot be used.

    LETTER is its name, or a part of it that only one name has, such as scene-04-vera.
    """
    from gm.api.playing.mailbox import find_letter

    found = find_letter(layout, letter, may_be_short=True)
    return Output(lambda _: _show_whole(found), {**found.brief, "text": found.text, "why": found.problem})


def _show_whole(letter: Letter) -> None:
    out(safe(letter.text), whole=True)
    if letter.problem:
        err(safe(letter.problem))


@mailbox.command("answer")
@click.argument("letter")
@click.argument("text", nargs=-1)
def answer(layout: Layout, letter: str, text: tuple[str, ...]) -> Output:
    """Answer a letter: in a form on the terminal, or with TEXT, the whole answer in JSON or YAML.

    LETTER is its name, or a part of it that only one name has, such as scene-04-vera. TEXT - is read from standard
    input. An answer that could not be used, or of which a key, place or name is not known, is refused, and nothing is
    written.
    """
    from gm.api.playing.mailbox import answer_letter, find_letter
    from gm.base.errors import UsageError
    from gm.cli.playing.byhand import ask_until_it_fits

    found = find_letter(layout, letter, may_be_short=True)
    if not text and not sys.stdin.isatty():
        raise UsageError("there is no answer", f"write: gm mailbox answer {found.name} - < ANSWER.json")
    if len(text) == 1 and os.path.isfile(text[0]):
        raise UsageError(f"{text[0]!r} is a file", f"write: gm mailbox answer {found.name} - < {text[0]}")
    path = answer_letter(layout, found, join_words(text)) if text else ask_until_it_fits(layout, found)
    if path is None:
        raise UsageError("the answer is empty", "the letter stays open")
    return Output(lambda _: err(safe(f"answered in {path}")), {"letter": found.name, "answer": path})
