"""``gm git-setup``: a repository is told how to show and merge worlds, or told to forget it."""

from __future__ import annotations

import click

from gm.cli.options import json_option, world_option
from gm.cli.terminal import out, out_json, safe, say
from gm.store.layout import Layout


@click.command("git-setup")
@world_option
@click.option("--undo", is_flag=True, help="Take it out again.")
@json_option
def git_setup(layout: Layout, undo: bool, as_json: bool) -> None:
    """Teach this repository to show and merge the world readably.

    Writes to the repository's own configuration and hooks alone: differences of memories become readable lines, and
    branches that were both played can be merged with a plain git merge.
    """
    from gm.tools import gitsetup

    document = gitsetup.undo(layout) if undo else gitsetup.set_up(layout)
    if as_json:
        out_json(document)
        return
    if undo:
        out("git is as it was." if document["changed"] else "There was nothing to take out.")
    else:
        out("git shows and merges this world now." if document["changed"] else "git was set up already.")
        out(safe(f"  it calls: {document['command']}"))
    for name, found in document["hooks"].items():
        if found == "foreign":
            say(f"note: the hook {name} is somebody else's and stays as it is")
            if not undo:
                say(safe(f"  add this line to it: {document['command']} git-settle"))
