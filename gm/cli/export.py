"""``gm export``: a book of days, of a character, or of the whole world."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gm.cli.options import IMPORTANCE, json_option, kept_back, show_broken, world_option
from gm.cli.terminal import out, out_json, safe, say
from gm.errors import GmError, UsageError
from gm.store.layout import Layout

if TYPE_CHECKING:
    from gm.tools.book.values import Book

STDOUT = "-"
FORMATS = ("md", "html", "epub", "pdf")
PAPERS = ("a5", "a4", "b5", "us-trade", "us-letter")


@click.command()
@click.argument("what", nargs=-1)
@world_option
@click.option("--to", "target", metavar="FILE", help="Where; its ending says the format. Default: Markdown to stdout.")
@click.option("--format", "form", type=click.Choice(FORMATS), help="Format, if the ending does not say it.")
@click.option(
    "--without",
    metavar="PARTS",
    multiple=True,
    help="Leave out, of: cast, thoughts, reasons, numbers, plates, closing, soul, diary, reflections, relationships,"
    " memories, private (what has the tag private).",
)
@click.option("--all", "everything", is_flag=True, help="Keep nothing back: publish.private does not hold.")
@click.option("--importance", type=IMPORTANCE, default=7, show_default=True, help="Least, of memories.")
@click.option("--title", default="", metavar="TEXT", help="Title; default: the world's, or the character's name.")
@click.option("--author", default="", metavar="TEXT", help="Author on the title page.")
@click.option("--paper", type=click.Choice(PAPERS), default="a5", show_default=True, help="Paper of a PDF.")
@click.option("--force", is_flag=True, help="Replace a file that gm did not make.")
@json_option
def export(
    layout: Layout,
    what: tuple[str, ...],
    target: str | None,
    form: str | None,
    without: tuple[str, ...],
    everything: bool,
    importance: int,
    title: str,
    author: str,
    paper: str,
    force: bool,
    as_json: bool,
) -> None:
    """Make a book: Markdown, one HTML file, EPUB or PDF.

    WHAT is a day (3, day-003), days (3-5, day-003..day-005) or a character, or several of these; without, the whole
    world. What publish.private names is left out. The same world gives the same file, byte for byte. HTML, EPUB and
    PDF need the extra gm[book].
    """
    from gm.binding.formats import bind_book, format_of
    from gm.store.forms import disk
    from gm.tools.book.build import build_book
    from gm.tools.book.sources import Wish, parse_hidden

    form = format_of(None if target == STDOUT else target, form)
    if target is None and (form != "md" or as_json):
        raise UsageError("it is not said where the book goes", f"--to book.{form}; --to - is standard output")
    place = _free_place(layout, target, force) if target and target != STDOUT else None
    private = () if everything else kept_back(layout)
    book, problems = build_book(layout, Wish(what, parse_hidden(without, private), title, author, importance))
    show_broken(problems)
    if private:
        say(f"kept back: {', '.join(sorted(private))}; publish.private and --all change that")
    data = bind_book(book, form, paper, lambda notice: say(f"note: {notice}"))
    if place is None:
        if form == "md":
            out(data.decode().rstrip("\n"), whole=True)
        else:
            sys.stdout.buffer.write(data)
        return
    with disk.explained(place):
        disk.replace(place, data)
    if as_json:
        out_json(_described(book, place, form, len(data)))
    else:
        out(safe(f"{target}: {book.title}, {book.subtitle} ({len(book.chapters)} chapters, {len(data) // 1024} KB)"))


def _free_place(layout: Layout, target: str, force: bool) -> Path:
    """Find where the book goes; nothing of the world and nothing of anybody else's is overwritten.

    Raises:
        UsageError: It lies where the world keeps its own files.
        GmError: There is something that gm did not make.
    """
    from gm.binding.html import is_ours

    try:
        place = Path(target).resolve()
        is_folder, is_there = place.is_dir(), place.exists()
    except (OSError, ValueError, RuntimeError) as error:
        raise UsageError(f"{target!r} can be no file", "name another one") from error
    for folder in (layout.state, layout.gallery, layout.prompts, layout.library, layout.scripts, layout.logbook):
        if place.is_relative_to(folder.resolve()):
            raise UsageError(
                f"{target} lies in {layout.shown(folder)}/, which is the world's own", "name another place"
            )
    if is_folder:
        raise UsageError(f"{target} is a folder", "name a file in it")
    if not place.parent.is_dir():
        raise UsageError(f"there is no folder {place.parent}", "make it first")
    if is_there and not force:
        try:
            ours = is_ours(place.read_bytes())
        except OSError as error:
            raise GmError(f"cannot read {target}: {error.strerror}", "name another file") from error
        if not ours:
            raise GmError(f"{target} is there already, and gm did not make it", "name another file, or say --force")
    return place


def _described(book: Book, place: Path, form: str, size: int) -> dict[str, object]:
    """Say what was made, in the form of ``gm export --json``."""
    chapters = [
        {"kind": chapter.kind, "label": chapter.label, "title": chapter.title, "items": len(chapter.items)}
        for chapter in book.chapters
    ]
    return {
        "to": str(place),
        "format": form,
        "bytes": size,
        "title": book.title,
        "subtitle": book.subtitle,
        "identifier": book.identifier,
        "chapters": chapters,
        "pictures": len(book.images),
    }
