"""``gm view``: serve the pages of a world on this machine until somebody ends it."""

from __future__ import annotations

import webbrowser
from threading import Thread

import click

from gm.cli.options import world_option
from gm.cli.terminal import safe, say
from gm.errors import EXIT_DONE, EXIT_INTERRUPTED, GmError
from gm.store.layout import Layout

PORT = 8765


@click.command()
@world_option
@click.option("--port", type=click.IntRange(0, 65535), default=PORT, show_default=True, help="Where; 0 = a free port.")
@click.option("--read-only", is_flag=True, help="Only look: no forms, and nothing can be changed.")
@click.option("--open/--no-open", "opens", default=False, help="Open the pages in the browser of this machine.")
def view(layout: Layout, port: int, read_only: bool, opens: bool) -> int:
    """Show the world as pages in a browser, and keep them up to date while days are played.

    Pages have forms for memories, briefs, posts, feedback and the calendar; each shows what it would write before it
    writes. Only browsers on this machine can see them, and no page loads anything from elsewhere. It needs the extra
    gm[web].
    """
    try:
        from gm.web.serve import serve
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "gm":
            raise
        raise GmError(f"the packages for pages are not installed: {error.name}", "pip install 'gm[web]'") from error

    def tell(address: str) -> None:
        say(safe(f"{layout.root.resolve().name}: {address}   (Ctrl-C ends it)"))
        if opens:
            # some browsers run in the terminal until they are left: the server does not wait for them
            Thread(target=_open, args=(address,), daemon=True).start()

    try:
        serve(layout, port, read_only=read_only, tell=tell)
    except KeyboardInterrupt:
        say("\nThe pages are closed. Whatever was written stays.")
        return EXIT_INTERRUPTED
    return EXIT_DONE


def _open(address: str) -> None:
    if not webbrowser.open(address):
        say("No browser was found here: open the address yourself.")
