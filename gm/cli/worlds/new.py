"""``gm new`` and ``gm character``."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gm.base.errors import UsageError
from gm.base.texts import counted
from gm.cli import complete, options
from gm.cli.commands import CommandGroup, Output, examples, join_words, json_option, telling_what_is_awaited
from gm.cli.inspecting.cost import calls_in_words
from gm.cli.terminal import err, out, safe, say_note, say_notes, show
from gm.cli.worlds.setup import say_next
from gm.files.layout import Layout
from gm.files.packaged.shipped import shipped_languages

if TYPE_CHECKING:
    from gm.api.worlds.new import Named, Sketch

Asked = tuple["Named", ...]
_LANGUAGE = f"Language, {' or '.join(shipped_languages())}; default: from your locale, else English."


def _parse_named(_context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> Asked:
    from gm.api.worlds.new import read_named

    return tuple(read_named(value, parameter.opts[0].lstrip("-")) for value in values)


@click.command(
    epilog=examples(
        "gm new orbit", 'gm new orbit --premise "Two people keep a station." --character "Mira: pilot" --character Ono'
    )
)
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--language", metavar="CODE", help=_LANGUAGE)
@click.option("--title", default="", help="Title of the world; default: the folder's name.")
@click.option("--premise", default="", help="What all characters know: where, when, who, and what is at stake.")
@click.option("--brief", default="", help="The brief on the board on the first morning.")
@click.option("--outside", default="", metavar="NAME", help="Author of the first brief; default: A voice from outside.")
@click.option(
    "--place",
    "places",
    multiple=True,
    metavar="TEXT",
    callback=_parse_named,
    help='A place, "kitchen: What is there"; repeatable.',
)
@click.option(
    "--character",
    "characters",
    multiple=True,
    metavar="TEXT",
    callback=_parse_named,
    help='A character, "Mira: pilot, …"; repeatable. Its home is a place that TEXT names, else each place in turn.',
)
@click.option(
    "--from",
    "notes",
    type=click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path),
    metavar="FILE",
    help="Notes from which a model drafts the world and its personas; - is standard input.",
)
@options.model
@click.option("--template", type=complete.TEMPLATE, help="Copy a world that comes with gm instead, as gm init does.")
@json_option
def new(
    folder: Path,
    template: str | None,
    notes: Path | None,
    model: str | None,
    as_json: bool,
    language: str | None,
    **said: Any,
) -> None:
    """Make a world of your own, from a few sentences or from notes.

    What you leave out is shown as comments in the files. On a terminal, without any of the options, you are asked. With
    --from, a model drafts the world; read it and correct it before you play.
    """
    from gm.api.worlds.create import check_folder, create_world
    from gm.api.worlds.new import MOST_OF_ROLE, Sketch, new_world, role_of, usual_language

    check_folder(folder)
    if bool(template) + bool(notes) + any(said.values()) > 1:
        raise UsageError("--template, --from and what you say of the world exclude each other", "give one of them")
    if template:
        layout = create_world(folder, template)
    else:
        sketch = Sketch(language or usual_language(os.environ), **said)
        if notes:
            sketch = _draft_world(folder, _read_notes(notes), sketch.language, model, as_json)
        elif not any(said.values()) and not as_json and sys.stdin.isatty():
            sketch = _ask_for_sketch(sketch)
        layout = new_world(folder, sketch)
        too_long = f"what stands before the first comma has more than {MOST_OF_ROLE} characters"
        without = (one for one in sketch.characters if one.text and not (one.persona or role_of(one)))
        say_notes(f"{one.name} has no role: {too_long}" for one in without)
    files = [layout.shown(layout.settings), *(layout.shown(path) for path in sorted(layout.personas.glob("*.md")))]
    called = _called(layout)
    made = {"folder": str(folder), "agents": list(called), "called": called, "files": files}
    show(made, as_json, lambda _: _show_made(folder, files, layout, called))


def _read_notes(notes: Path) -> str:
    if str(notes) == "-":
        return join_words(("-",))
    try:
        return notes.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{notes} cannot be read: {error}", "notes are a text in UTF-8") from error


def _draft_world(folder: Path, notes: str, language: str, model: str | None, as_json: bool) -> Sketch:
    from gm.api.reports.models import choose_for
    from gm.api.worlds.new import sketch_from

    choice = choose_for(Layout(folder.resolve()), model, say_note)
    err(safe(f"model: {choice.shown} ({choice.why})"))
    with telling_what_is_awaited(choice, as_json):
        sketch, cost = sketch_from(folder, choice, notes, language, say_note)
    err(safe(f"drafted with {calls_in_words(cost)}"))
    return sketch


def _ask_for_sketch(sketch: Sketch) -> Sketch:
    from dataclasses import replace

    from gm.api.worlds.new import read_named

    err("Five questions; an empty answer leaves something for later.")
    ask: Callable[..., str] = partial(click.prompt, default="", show_default=False, err=True)
    title, premise = (
        ask("What is the world called"),
        ask("What do all characters know: where, who, what is at stake"),
    )
    places = tuple(
        read_named(text, "place") for text in _ask_until_empty(ask, "A place, as in “kitchen: What is there”")
    )
    cast = tuple(
        read_named(text, "character")
        for text in _ask_until_empty(ask, "A character, as in “Mira: pilot, laughs too early”")
    )
    brief = ask("What hangs on the board on the first morning")
    return replace(sketch, title=title, premise=premise, places=places, characters=cast, brief=brief)


def _ask_until_empty(ask: Callable[..., str], question: str) -> Iterator[str]:
    while text := ask(question):
        yield text
        question = "Another one"


def _called(layout: Layout) -> dict[str, str]:
    from gm.files.story.now import load_cast

    return {name: agent.call_name for name, agent in load_cast(layout)[0].items()}


def _show_made(folder: Path, files: list[str], layout: Layout, called: Mapping[str, str]) -> None:
    out(safe(f"{folder}: a world with {counted(len(called), 'character')}: {', '.join(called)}"))
    out(safe(f"The characters call each other {', '.join(called.values())}; called: in a persona says otherwise."))
    out("Read and correct these files:")
    for path in files:
        out(safe(f"  {folder}/{path}"), whole=True)
    out(safe(f"Check the world:  gm check -w {shlex.quote(str(folder))}"), whole=True)
    say_next(folder, layout, 0)


@click.group(cls=CommandGroup)
def character() -> None:
    """Add a character to the world."""


@character.command("add", epilog=examples('gm character add "Mira: pilot, laughs too early" --home galley'))
@click.argument("name", metavar="NAME[: TEXT]", nargs=-1, required=True)
@click.option("--home", default="", metavar="PLACE", help="Where the character is in the morning.")
def add(layout: Layout, name: tuple[str, ...], home: str) -> Output:
    """Write a persona for a new character, with comments that show what can be added."""
    from gm.api.worlds.new import add_character, read_named

    path = add_character(layout, read_named(" ".join(name), "character"), home)
    return Output(_show_added, {"path": path, "called": _called(layout)[Path(path).stem]})


def _show_added(made: Mapping[str, str]) -> None:
    out(safe(f"{made['path']}: read and correct it"))
    out(safe(f"Others call the character {made['called']}; called: in the persona says otherwise."))
