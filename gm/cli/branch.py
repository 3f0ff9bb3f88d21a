"""``gm branch``: a second world, going its own way from a moment on."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from gm.cli import complete
from gm.cli.options import examples, json_option, world_option
from gm.cli.terminal import counted, out, out_json, safe, say
from gm.errors import UsageError
from gm.store.layout import Layout


@click.command(epilog=examples("gm branch what-if --from day-001"))
@click.argument("name", required=False)
@world_option
@click.option(
    "--from",
    "ref",
    metavar="day-003[/scene-02]",
    help="After which day or scene; default: as it is now.",
    shell_complete=complete.days,
)
@click.option("--dir", "folder", type=click.Path(path_type=Path), help="Where; default: beside the repository.")
@json_option
def branch(layout: Layout, name: str | None, ref: str | None, folder: Path | None, as_json: bool) -> None:
    """Make a second world that goes its own way from a day or a scene on; without NAME, list them.

    In a git repository it is a branch in a work tree of its own, which a plain git merge brings back (gm git-setup);
    without git it is a copy. Nothing changes in this world.
    """
    from gm.store.commits.snapshot import snapshot
    from gm.tools.past import parse_moment
    from gm.tools.rewind.branches import list_branches, make_branch

    if name is None:
        if ref or folder:
            raise UsageError("the branch has no name", "gm branch NAME --from day-003")
        _list(list_branches(layout), as_json=as_json)
        return
    with snapshot(layout):
        document = make_branch(layout, name, parse_moment(ref) if ref else None, folder)
    if as_json:
        out_json(document)
        return
    world = document["world"]
    if document["commit"]:
        out(safe(f"Branch {name}, at {document['at']}, begins with commit {document['commit'][:8]}:"))
        if document["changed"]:
            differ = f"{counted(document['changed'], 'file')} differ{'s' if document['changed'] == 1 else ''}"
            out(f"  {differ} from that commit; the next commit there has them")
    else:
        out(safe(f"A plain copy (there is no git here), at {document['at']}:"))
    out(safe(f"  {world}"))
    out(safe(f"Play it on:  gm advance-day -w {shlex.quote(world)}"), whole=True)


def _list(found: list[dict[str, object]], *, as_json: bool) -> None:
    if as_json:
        out_json({"branches": found})
        return
    if not found:
        say("There is no git repository here: copies are not listed.")
    for item in found:
        mark = "*" if item["here"] else " "
        out(safe(f"{mark} {item['branch'] or '(no branch)'}  {item['at']}  {item['world']}"))
