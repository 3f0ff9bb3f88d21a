"""Commands that git calls many times in one merge: they import little."""

from __future__ import annotations

from pathlib import Path

import click

from gm.base.errors import EXIT_FIXABLE
from gm.base.texts import counted
from gm.cli.terminal import err, out, out_json, safe


@click.command("git-textconv", hidden=True)
@click.argument("file", type=click.Path(path_type=Path))
def git_textconv(file: Path) -> None:
    """Write a file of memories as readable lines. Called by git."""
    from gm.api.history.textconv import render_readable
    from gm.base.errors import UsageError
    from gm.files.formats import disk

    data = disk.read_or_none(file)
    if data is None:
        raise UsageError(f"there is no file {file}")
    out(render_readable(data).rstrip("\n"))


@click.command("git-merge", hidden=True)
@click.argument("base", type=click.Path(path_type=Path))
@click.argument("ours", type=click.Path(path_type=Path))
@click.argument("theirs", type=click.Path(path_type=Path))
@click.argument("path")
def git_merge(base: Path, ours: Path, theirs: Path, path: str) -> int:
    """Merge one file of a world. Called by git: exit code 1 = conflict."""
    from gm.api.history.merge.drive import merge_file

    merged = merge_file(Path.cwd(), base, ours, theirs, path)
    for note in merged.notes:
        err(safe(f"gm: {path}: {note}"))
    if not merged.conflicts:
        return 0
    err(safe(f"gm: {path}: changed differently on both sides: {', '.join(merged.conflicts)}"))
    err("    correct the marked places; then git add and git commit")
    return EXIT_FIXABLE


@click.command("git-settle", hidden=True)
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
def git_settle(as_json: bool) -> None:
    """Bring the names into line in files that a merge took over whole. Called by git's hooks."""
    from gm.api.history.gitsetup import settle_all

    changed = settle_all(Path.cwd())
    if as_json:
        out_json(changed)
        return
    count = sum(map(len, changed.values()))
    if count:
        err(f"gm: ids brought into line in {counted(count, 'file')}")
