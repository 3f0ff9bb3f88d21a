"""``gm view``."""

from __future__ import annotations

import webbrowser

import click

from gm.cli.options import world_option
from gm.cli.terminal import say
from gm.errors import GmError
from gm.store.layout import Layout

PORT = 8765


@click.command()
@world_option
@click.option("--port", type=click.IntRange(0, 65535), default=PORT, show_default=True, help="Where; 0 = a free port.")
@click.option("--read-only", is_flag=True, help="Only look: no forms, and nothing can be changed.")
@click.option("--open/--no-open", "opens", default=False, help="Open the pages in the browser of this machine.")
def view(layout: Layout, port: int, read_only: bool, opens: bool) -> None:
    """Show the world as pages in a browser, and keep them up to date while days are played.

    Only browsers on this machine can see them, and no page loads anything from elsewhere. It needs the extra gm[web].
    """
    try:
        import starlette as _framework  # noqa: F401
        import uvicorn as _server  # noqa: F401
    except ImportError as error:
        raise GmError("the packages for pages are not installed", "pip install 'gm[web]'") from error
    from gm.web.serve import serve

    def tell(address: str) -> None:
        say(f"{layout.root.resolve().name}: {address}   (Ctrl-C ends it)")
        if opens:
            webbrowser.open(address)

    serve(layout, port, read_only=read_only, tell=tell)
