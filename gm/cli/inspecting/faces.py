"""Pages, published sites and the MCP server: ``gm view``, ``gm publish`` and ``gm mcp``."""

from __future__ import annotations

import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

import click

from gm.base.config.pages import ALWAYS_SHOWN
from gm.base.errors import EXIT_DONE, EXIT_INTERRUPTED, GmError, NoWorldError, UsageError
from gm.base.installed import pip_install
from gm.base.texts import counted
from gm.cli import commands, complete, options
from gm.cli.terminal import err, safe, say_notes
from gm.cli.world import COMMAND_PAGES, HELP, OPTIONS, folders, named_world
from gm.files.layout import Layout
from gm.layers.privacy import RETOLD, inner_words, private_words, with_private
from gm.memory.share import PRIVATE

if TYPE_CHECKING:
    from gm.api.views.private import Withholdable
    from gm.faces.web.publish import Published

PORT = 8765


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
        layout = commands.chosen_world(context, world)
    except NoWorldError:
        if read_only or not folder.is_dir():
            raise
    with web_installed():
        from gm.faces.web.pages import help as pages
        from gm.faces.web.serve import serve, serve_first
    pages.COMMAND_PAGES.update(context.meta[COMMAND_PAGES]())

    def tell(address: str) -> None:
        from gm.files.story.now import load_settings

        name = "no world here yet, make one"
        if layout:
            name = load_settings(layout)[0].world.title or layout.root.resolve().name
        err(safe(f"{name}: {address}   (Ctrl-C ends it)"))
        if opens:
            # some browsers run in the terminal until they are left: the server does not wait for them
            Thread(target=_open_browser, args=(address,), daemon=True).start()

    def opened(made: Layout) -> None:
        err(safe(f"The pages show {made.root} now."))

    try:
        if layout is None:
            serve_first(folder, port, tell=tell, opened=opened)
        else:
            serve(layout, port, read_only=read_only, tell=tell)
    except KeyboardInterrupt:
        err("\nThe pages are closed. Everything written is kept.")
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
        err("No browser was found: open the address yourself.")


@commands.world_command()
@commands.json_option
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--private",
    metavar="NAMES",
    help=f"What to keep back instead of publish.private: {', '.join(private_words())}; characters.",
)
@click.option("--all", "everything", is_flag=True, help="Keep nothing back.")
@click.option("--dry-run", is_flag=True, help="Report what would be published and kept back, and write nothing.")
@click.option("--force", is_flag=True, help="Overwrite files that gm did not make, or that were changed by hand.")
@options.despite_headings
def publish(
    layout: Layout,
    folder: Path,
    private: str | None,
    everything: bool,
    dry_run: bool,
    force: bool,
    despite_headings: bool,
) -> commands.Output:
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
    from gm.faces.web.publish import prepare_site
    from gm.files.check.personas import refuse_near_headings
    from gm.files.story.now import load_settings

    hidden = _choose_hidden(layout, private, everything)
    if PRIVATE in hidden and not (dry_run or despite_headings):
        refuse_near_headings(layout, layout.agent_names(), load_settings(layout)[0].publish.headings)
    commands.read_world(layout)  # names what cannot be read and is on no page
    counts = count_private(layout)
    prepared = prepare_site(layout, folder, hidden)
    _show_scope(prepared.published, counts)
    done = prepared.published if dry_run else prepared.write(force=force)
    document = {
        **asdict(done),
        "folder": str(folder),
        "dry_run": dry_run,
        "private": dict(counts.counts),
        "kept_back_of": list(counts.secretive) if PRIVATE in hidden else [],
        "warnings": [str(problem) for problem in counts.doubtful] if PRIVATE in hidden else [],
    }
    return commands.Output(partial(_show_published, folder, done, dry_run), document)


def _show_scope(site: Published, private: Withholdable) -> None:
    """Say what will be published before it is."""
    kinds = ", ".join(f"{name.replace('_', ' ')} {count}" for name, count in site.pages.items())
    err(f"{counted(sum(site.pages.values()), 'page')}: {kinds}")
    if site.kept_back:
        err("left out as private: " + ", ".join(_with_count(name, private) for name in site.kept_back))
    if PRIVATE in site.kept_back:
        if private.names:
            err(safe(f"kept back of {', '.join(private.names)}: the text of the persona under a private heading"))
        say_notes(f"note: {problem}" for problem in private.doubtful)
        if private.counts.get(PRIVATE):
            err(f"note: {RETOLD}")
    shown = [name for name in private_words() if name not in site.kept_back]
    parts = ", ".join((*ALWAYS_SHOWN, *(_with_count(name, private) for name in shown)))
    err(f"shown: {parts}; publish.private, --private and --all change that")
    inner = [name for name in inner_words() if name in shown and name in private.counts]
    whose = safe(", ".join(private.secretive))
    if private.secretive and PRIVATE in shown:
        err(f"note: the secrets in the personas of {whose} are shown; to keep them back, keep back private as well")
    elif private.secretive and inner:
        err(f"note: the personas of {whose} hold a secret; {', '.join(inner)} may tell it, and nothing looks for it")


def _with_count(name: str, private: Withholdable) -> str:
    return f"{name} ({private.counts[name]})" if name in private.counts else name


def _show_published(folder: Path, done: Published, dry_run: bool, _document: object) -> None:
    written = counted(len(done.files.written), "file")
    err("nothing was written" if dry_run else f"{folder}: {written} written, {done.files.unchanged} unchanged")


def _choose_hidden(layout: Layout, private: str | None, everything: bool) -> frozenset[str]:
    if everything and private is not None:
        raise UsageError("--all and --private exclude each other", "take one of them")
    if everything:
        return frozenset()
    if private is None:
        return frozenset(commands.read_private(layout))
    return frozenset(with_private(commands.find_private_words(layout, [private], private_words())))


@click.command()
@commands.world_option
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
