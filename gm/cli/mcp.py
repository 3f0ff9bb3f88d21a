"""``gm mcp``: serve the memory tools on standard input and output."""

from __future__ import annotations

import click

from gm.cli import complete
from gm.cli.options import world_option
from gm.errors import GmError
from gm.store.layout import Layout


@click.command()
@world_option
@click.option(
    "--agent",
    metavar="NAME",
    help="Whose mind it is; without, each call names a character.",
    shell_complete=complete.agents,
)
def mcp(layout: Layout, agent: str | None) -> None:
    """Offer the characters' memories as tools to an MCP client, over standard input and output.

    A coding assistant or a desktop app starts this command itself, and can then play or interview a character. It needs
    the extra gm[mcp], and memories made by gm gift.
    """
    try:
        import mcp as _sdk  # noqa: F401
    except ImportError as error:
        raise GmError("the mcp package is not installed", "pip install 'gm[mcp]'") from error
    from gm.mcp.server import make_server

    make_server(layout, agent).run()
