"""Books and character cards: ``gm export``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gm.base.config.pages import BOOK_FORMATS, LEAST_IMPORTANCE, PAPERS
from gm.base.errors import UsageError
from gm.base.texts import counted
from gm.cli import commands, options, output_files, terminal
from gm.files.layout import Layout
from gm.layers.privacy import BESIDE_STORY, RETOLD, book_words, card_words, with_private
from gm.memory.share import PRIVATE

if TYPE_CHECKING:
    from gm.api.imports.cardexport.cardfile import Exported
    from gm.faces.book.values import Manuscript

STDOUT = "-"


@commands.world_command()
@click.argument("what", nargs=-1)
@click.option(
    "--to",
    "target",
    metavar="FILE",
    help="Output file; its suffix sets the format. Default: Markdown on standard output.",
)
@click.option("--format", "form", type=click.Choice(BOOK_FORMATS), help="Format, if the file's suffix does not set it.")
@click.option(
    "--without",
    metavar="PARTS",
    multiple=True,
    help=f"What to leave out: {', '.join(book_words())} (private memories); minds of characters.",
)
@click.option(
    "--story",
    is_flag=True,
    help=f"The story alone, scenes with their place and time: without {', '.join(BESIDE_STORY)}.",
)
@click.option("--all", "everything", is_flag=True, help="Keep nothing back, not even what publish.private names.")
@click.option(
    "--card", metavar="FILE", help="Write a character card for other programs instead: a .png, .json or .charx file."
)
@options.names("--with", "shown", help=f"Private parts to include in a card: {', '.join(card_words())}.")
@click.option(
    "--importance",
    type=options.IMPORTANCE,
    default=LEAST_IMPORTANCE,
    show_default=True,
    help="Minimum importance of memories.",
)
@click.option("--title", default="", metavar="TEXT", help="Title; default: the world's, or the character's name.")
@click.option("--author", default="", metavar="TEXT", help="Author on the title page; default: world.author.")
@click.option("--paper", type=click.Choice(PAPERS), default="a5", show_default=True, help="Paper size of a PDF.")
@click.option("--force", is_flag=True, help="Replace a card, or a file that gm did not make.")
@options.despite_headings
def export(
    layout: Layout,
    what: tuple[str, ...],
    target: str | None,
    form: str | None,
    without: tuple[str, ...],
    story: bool,
    everything: bool,
    card: str | None,
    shown: tuple[str, ...],
    importance: int,
    title: str,
    author: str,
    paper: str,
    force: bool,
    despite_headings: bool,
    as_json: bool,
) -> None:
    """Make a book of days, of a character, or of the whole world.

    The book is Markdown, one HTML file, EPUB or PDF.

    WHAT is a day (3, day-003), days (3-5, day-003..day-005) or a character, or several of these; without, the whole
    world. What publish.private names is left out. The same world gives the same file, byte for byte. EPUB and PDF
    need the extra gm-worlds[book], HTML that one or gm-worlds[web].

    With --card, WHAT is one character. A character that came with a card goes out with it: what has changed since is
    changed or added in it, everything else stays as it came. Of what it has lived, reflections and memories from
    --importance on can go out.
    """
    if card is not None:
        if target is not None or form is not None or without or story:
            raise UsageError("--to, --format, --without and --story do not apply to --card", "leave them out")
        from gm.api.imports.cardexport.cardfile import make_card

        included = card_words() if everything else shown
        make = partial(make_card, layout, shown=included, importance=importance, despite_headings=despite_headings)
        _write_card(layout, what, card, make, force, as_json)
        return
    if shown:
        raise UsageError("--with belongs to --card", "a book leaves out with --without")
    from gm.faces.book.build import build_book
    from gm.faces.book.export.formats import bind_book, format_of
    from gm.faces.book.export.html import is_ours
    from gm.faces.book.sources import ExportOptions, parse_hidden
    from gm.files.story.now import report_lost_logbooks

    form = format_of(None if target == STDOUT else target, form)
    if target is None and (form != "md" or as_json):
        raise UsageError("no output file is given", f"--to book.{form}; --to - is standard output")
    place = output_files.free_place(layout, target, force, is_ours) if target and target != STDOUT else None
    private = () if everything else commands.read_private(layout)
    named = commands.find_private_words(layout, without, book_words())
    hidden = parse_hidden(BESIDE_STORY if story else (), with_private((*private, *named)))
    book, problems = build_book(layout, ExportOptions(what, hidden, title, author, importance, despite_headings))
    commands.show_broken(problems)
    terminal.say_notes(map(str, report_lost_logbooks(layout)))
    _say_left_out([word for word in book_words() if word in private], "--all puts all of it in")
    data = bind_book(book, form, paper, lambda notice: terminal.err(f"note: {notice}"))
    if place is not None:
        _write_book(book, data, str(target), place, form, as_json)
    elif form == "md":
        terminal.out(data.decode().rstrip("\n"), whole=True)
    else:
        sys.stdout.buffer.write(data)


def _say_left_out(words: Sequence[str], way: str) -> None:
    if words:
        terminal.err(f"left out as private: {', '.join(words)}")
        terminal.err(f"  {way}; publish.private in gm.yaml says what is private")
    if PRIVATE in words:
        terminal.err(f"  {RETOLD}")


def _write_book(book: Manuscript, data: bytes, target: str, place: Path, form: str, as_json: bool) -> None:
    from gm.files.formats import disk

    with disk.explained(place):
        disk.replace(place, data)
    if as_json:
        terminal.out_json(_describe_book(book, place, form, len(data)))
    else:
        size = f"{counted(len(book.chapters), 'part')}, {len(data) // 1024} KB"
        terminal.out(terminal.safe(f"{target}: {book.title}, {book.subtitle} ({size})"))


def _describe_book(book: Manuscript, place: Path, form: str, size: int) -> dict[str, object]:
    head = {name: getattr(book, name) for name in ("title", "subtitle", "identifier")}
    chapters = [
        {"kind": item.kind, "label": item.label, "title": item.title, "items": len(item.items)}
        for item in book.chapters
    ]
    return {"to": str(place), "format": form, "bytes": size, **head, "chapters": chapters, "pictures": len(book.images)}


def _write_card(
    layout: Layout,
    what: tuple[str, ...],
    target: str,
    make: Callable[[str, str], tuple[Exported, bytes, list[str]]],
    force: bool,
    as_json: bool,
) -> None:
    from gm.files.formats import disk

    if len(what) != 1:
        raise UsageError("a card takes one character", "name it: gm export AGENT --card FILE")
    place = output_files.free_place(layout, target, force, None)
    exported, data, notes = make(what[0], place.suffix.lower())
    with disk.explained(place):
        disk.replace(place, data)
    terminal.say_notes(f"note: {note}" for note in notes)
    _say_left_out(exported.held_back, "--with NAMES puts some of it in, --all all of it")
    if as_json:
        terminal.out_json({**asdict(exported), "to": str(place), "bytes": len(data)})
        return
    origin = "the card it came with, and what has changed since" if exported.from_card else "made from this world"
    entries = counted(exported.entries, "entry")
    terminal.out(terminal.safe(f"{target}: {exported.agent}, {origin}; {entries} in its book ({len(data) // 1024} KB)"))
