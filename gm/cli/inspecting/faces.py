"""Pages, published sites, books and the MCP server: ``gm view``, ``gm publish``, ``gm export`` and ``gm mcp``."""

from __future__ import annotations

import sys
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

import click

from gm.base.config.pages import ALWAYS_SHOWN, BOOK_FORMATS, LEAST_IMPORTANCE, PAPERS
from gm.base.errors import EXIT_DONE, EXIT_INTERRUPTED, GmError, NoWorldError, UsageError, pip_install
from gm.base.texts import counted
from gm.cli import complete, options
from gm.cli.commands import (
    Output,
    chosen_world,
    json_option,
    kept_back,
    show_broken,
    world_command,
    world_option,
)
from gm.cli.terminal import out, out_json, safe, say, say_notes
from gm.cli.world import HELP, OPTIONS, folders, named_world
from gm.files.layout import Layout
from gm.layers.privacy import BESIDE_STORY, book_words, card_words, inner_words, private_words

if TYPE_CHECKING:
    from gm.api.views.private import Withholdable
    from gm.faces.book.values import Manuscript
    from gm.faces.web.publish import Published

PORT = 8765
STDOUT = "-"


@click.command()
@click.option(*OPTIONS, "world", metavar="DIR", shell_complete=folders, help=HELP)
@click.option("--port", type=click.IntRange(0, 65535), default=PORT, show_default=True, help="Port; 0 = any free port.")
@click.option("--read-only", is_flag=True, help="Serve pages without forms: nothing can be changed.")
@click.option("--open/--no-open", "opens", default=False, help="Open the pages in a browser on this machine.")
@click.pass_context
def view(context: click.Context, world: str | None, port: int, read_only: bool, opens: bool) -> int:
    """Show the world as pages in a browser, updated while days are played.

    Days are played there as well, with the scenes as they land. Pages have forms for memories, briefs, posts, feedback
    and the calendar, for what can be made, and for going back to a moment; each shows what it would do before it does
    it. In a folder without a world, the first page makes one, or opens one of those in its sub-folders. Only browsers
    on this machine can see the pages, and none loads anything from elsewhere. It needs the extra gm-worlds[web].
    """
    folder = Path(named_world(context, world) or ".")
    layout = None
    try:
        layout = chosen_world(context, world)
    except NoWorldError:
        if read_only or not folder.is_dir():
            raise
    with web_installed():
        from gm.faces.web.serve import serve, serve_first

    def tell(address: str) -> None:
        name = layout.root.resolve().name if layout else "no world here yet, make one"
        say(safe(f"{name}: {address}   (Ctrl-C ends it)"))
        if opens:
            # some browsers run in the terminal until they are left: the server does not wait for them
            Thread(target=_open_browser, args=(address,), daemon=True).start()

    def opened(made: Layout) -> None:
        say(safe(f"The pages show {made.root} now."))

    try:
        if layout is None:
            serve_first(folder, port, tell=tell, opened=opened)
        else:
            serve(layout, port, read_only=read_only, tell=tell)
    except KeyboardInterrupt:
        say("\nThe pages are closed. Everything written is kept.")
        return EXIT_INTERRUPTED
    return EXIT_DONE


@contextmanager
def web_installed() -> Iterator[None]:
    """Say how to install what the pages need if an import in this block does not find it."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "gm":
            raise
        raise GmError(f"the packages for pages are not installed: {error.name}", pip_install("web")) from error


def _open_browser(address: str) -> None:
    if not webbrowser.open(address):
        say("No browser was found: open the address yourself.")


@world_command()
@json_option
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--private", metavar="NAMES", help=f"What to keep back: {', '.join(private_words())}.")
@click.option("--all", "everything", is_flag=True, help="Keep nothing back.")
@click.option("--dry-run", is_flag=True, help="Report what would be published and kept back, and write nothing.")
@click.option("--force", is_flag=True, help="Overwrite files that gm did not make, or that were changed by hand.")
def publish(layout: Layout, folder: Path, private: str | None, everything: bool, dry_run: bool, force: bool) -> Output:
    """Write the world's pages as a static site.

    Before it writes, it reports how many pages of each kind there will be, and what is kept back. By default
    that is everything that only a mind knows; publish.private in gm.yaml says otherwise.

    The site works in any folder, on any static host, and opened from the disk; no page loads anything from elsewhere.
    Publishing again renews what has changed. It needs the extra gm-worlds[web].
    """
    with web_installed():
        import nh3 as _sanitiser  # noqa: F401
        import starlette as _framework  # noqa: F401
    from gm.api.views.private import count_private
    from gm.faces.web.publish import prepare

    hidden = _hidden(layout, private, everything)
    prepared = prepare(layout, folder, hidden)
    counts = count_private(layout)
    _state(prepared.published, counts)
    done = prepared.published if dry_run else prepared.write(force=force)
    document = {**asdict(done), "folder": str(folder), "dry_run": dry_run, "private": dict(counts.counts)}
    return Output(partial(_show_published, folder, done, dry_run), document)


def _state(site: Published, private: Withholdable) -> None:
    """Say what will be published before it is."""
    kinds = ", ".join(f"{name.replace('_', ' ')} {count}" for name, count in site.pages.items())
    say(f"{counted(sum(site.pages.values()), 'page')}: {kinds}")
    if site.kept_back:
        say("kept back: " + ", ".join(_with_count(name, private) for name in site.kept_back))
    shown = [name for name in private_words() if name not in site.kept_back]
    told = ", ".join((*ALWAYS_SHOWN, *(_with_count(name, private) for name in shown)))
    say(f"shown: {told}; publish.private, --private and --all change that")
    inner = [name for name in inner_words() if name in shown and name in private.counts]
    if private.secretive and inner:
        whose = safe(", ".join(private.secretive))
        say(f"note: the personas of {whose} hold a secret; {', '.join(inner)} may tell it, and nothing looks for it")


def _with_count(name: str, private: Withholdable) -> str:
    return f"{name} ({private.counts[name]})" if name in private.counts else name


def _show_published(folder: Path, done: Published, dry_run: bool, _document: object) -> None:
    written = counted(len(done.files.written), "file")
    say("nothing was written" if dry_run else f"{folder}: {written} written, {done.files.unchanged} unchanged")


def _hidden(layout: Layout, private: str | None, everything: bool) -> frozenset[str]:
    if everything and private is not None:
        raise UsageError("--all and --private exclude each other", "take one of them")
    if everything:
        return frozenset()
    if private is None:
        return frozenset(kept_back(layout))
    names = [name.strip() for name in private.split(",") if name.strip()]
    unknown = [name for name in names if name not in private_words()]
    if unknown:
        raise UsageError(f"nothing private is called {unknown[0]!r}", "there are: " + ", ".join(private_words()))
    return frozenset(names)


@world_command()
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
    help=f"What to leave out: {', '.join(book_words())} (memories with the tag private).",
)
@click.option(
    "--story",
    is_flag=True,
    help=f"The story alone, scenes with their place and time: without {', '.join(BESIDE_STORY)}.",
)
@click.option("--all", "everything", is_flag=True, help="Keep nothing back, whatever publish.private says.")
@click.option(
    "--card",
    metavar="FILE",
    help="Write a character card for other programs instead: a .png, .json or .charx file.",
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
@click.option("--force", is_flag=True, help="Replace a file that gm did not make.")
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
    as_json: bool,
) -> None:
    """Make a book of days, of a character, or of the whole world.

    The book is Markdown, one HTML file, EPUB or PDF.

    WHAT is a day (3, day-003), days (3-5, day-003..day-005) or a character, or several of these; without, the whole
    world. What publish.private names is left out. The same world gives the same file, byte for byte. HTML, EPUB and
    PDF need the extra gm-worlds[book].

    With --card, WHAT is one character. A character that came with a card goes out with it: what has changed since is
    changed in it, everything else stays as it came.
    """
    if card is not None:
        if target is not None or form is not None or without or story:
            raise UsageError("--to, --format, --without and --story do not apply to --card", "leave them out")
        _write_card(layout, what, card, card_words() if everything else shown, force, as_json)
        return
    if shown:
        raise UsageError("--with belongs to --card", "a book leaves out with --without")
    from gm.faces.book.build import build_book
    from gm.faces.book.export.formats import bind_book, format_of
    from gm.faces.book.export.html import is_ours
    from gm.faces.book.sources import ExportOptions, parse_hidden

    form = format_of(None if target == STDOUT else target, form)
    if target is None and (form != "md" or as_json):
        raise UsageError("no output file is given", f"--to book.{form}; --to - is standard output")
    place = free_place(layout, target, force, is_ours) if target and target != STDOUT else None
    private = () if everything else kept_back(layout)
    hidden = parse_hidden((*without, *(BESIDE_STORY if story else ())), private)
    book, problems = build_book(layout, ExportOptions(what, hidden, title, author, importance))
    show_broken(problems)
    if private:
        say(f"kept back: {', '.join(sorted(private))}; publish.private and --all change that")
    data = bind_book(book, form, paper, lambda notice: say(f"note: {notice}"))
    if place is not None:
        _write_book(book, data, str(target), place, form, as_json)
    elif form == "md":
        out(data.decode().rstrip("\n"), whole=True)
    else:
        sys.stdout.buffer.write(data)


def _write_book(book: Manuscript, data: bytes, target: str, place: Path, form: str, as_json: bool) -> None:
    from gm.files.formats import disk

    with disk.explained(place):
        disk.replace(place, data)
    if as_json:
        out_json(_describe_book(book, place, form, len(data)))
    else:
        size = f"{counted(len(book.chapters), 'chapter')}, {len(data) // 1024} KB"
        out(safe(f"{target}: {book.title}, {book.subtitle} ({size})"))


def _write_card(
    layout: Layout, what: tuple[str, ...], target: str, shown: tuple[str, ...], force: bool, as_json: bool
) -> None:
    from gm.api.imports.cardexport.cardfile import make_card
    from gm.files.formats import disk

    if len(what) != 1:
        raise UsageError("a card takes one character", "name it: gm export AGENT --card FILE")
    place = free_place(layout, target, force, lambda _data: False)
    exported, data, notes = make_card(layout, what[0], place.suffix.lower(), shown)
    with disk.explained(place):
        disk.replace(place, data)
    say_notes(f"note: {note}" for note in notes)
    if exported.held_back:
        say(f"kept back: {', '.join(exported.held_back)}; --with and --all change that")
    if as_json:
        out_json({**asdict(exported), "to": str(place), "bytes": len(data)})
        return
    origin = "the card it came with, and what has changed since" if exported.from_card else "made from this world"
    entries = counted(exported.entries, "entry")
    out(safe(f"{target}: {exported.agent}, {origin}; {entries} in its book ({len(data) // 1024} KB)"))


def free_place(layout: Layout, target: str, force: bool | None, is_ours: Callable[[bytes], bool]) -> Path:
    """Return where a file goes.

    Args:
        force: Replace any file; None = the command cannot.
        is_ours: Whether gm made a file with this content, which may be replaced.

    Raises:
        UsageError: The world keeps its own files there.
        GmError: There is a file that gm did not make.
    """
    try:
        place = Path(target).resolve()
        is_folder, is_there = place.is_dir(), place.exists()
    except (OSError, ValueError, RuntimeError) as error:
        raise UsageError(f"{target!r} cannot be a file", "name another one") from error
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
            raise GmError(
                f"{target} already exists, and gm did not make it",
                "name another file" + ("" if force is None else ", or give --force"),
            )
    return place


def _describe_book(book: Manuscript, place: Path, form: str, size: int) -> dict[str, object]:
    told = {name: getattr(book, name) for name in ("title", "subtitle", "identifier")}
    chapters = [
        {"kind": item.kind, "label": item.label, "title": item.title, "items": len(item.items)}
        for item in book.chapters
    ]
    return {"to": str(place), "format": form, "bytes": size, **told, "chapters": chapters, "pictures": len(book.images)}


@click.command()
@world_option
@click.option("--agent", type=complete.AGENT, help="Offer only this character; by default each call names one.")
def mcp(layout: Layout, agent: str | None) -> None:
    """Offer characters' memories as tools to an MCP client.

    It reads standard input and writes standard output. A coding assistant or a desktop app starts this command itself,
    and can then play or interview a character. It needs the extra gm-worlds[mcp], and memories made by gm gift.
    """
    try:
        import mcp as _sdk  # noqa: F401
    except ImportError as error:
        raise GmError("the mcp package is not installed", pip_install("mcp")) from error
    from gm.faces.mcp.server import make_server

    make_server(layout, agent).run()
