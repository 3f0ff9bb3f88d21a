"""``gm migrate``: memories of the older shape brought into today's, after showing the difference."""

from __future__ import annotations

import click

from gm.cli.options import json_option, world_option
from gm.cli.terminal import counted, out, out_json, safe, say
from gm.errors import EXIT_DONE, EXIT_FIXABLE
from gm.store.layout import Layout


@click.command()
@world_option
@click.option("--yes", is_flag=True, help="Write without asking.")
@click.option("--dry-run", is_flag=True, help="Only show what would change.")
@json_option
def migrate(layout: Layout, yes: bool, dry_run: bool, as_json: bool) -> int:
    """Rewrite memories of an older shape to the nine keys of today.

    Older memories are read as they are; this is for those who want one shape only. The diff is shown first. Lines
    that have today's shape stay as they are, to the byte. With --json nothing is written unless --yes is given.
    """
    from gm.cli.difference import show_difference
    from gm.tools.migrate import carry_out, describe_migration, plan_migration

    migration = plan_migration(layout)
    for note in migration.left:
        say(safe(note))
    if not as_json:
        for item in migration.files:
            show_difference(item.difference)
        if not migration.files:
            out("No memory has an older shape.")
    count = sum(item.lines for item in migration.files)
    asked = yes or (not as_json and not dry_run and bool(count) and _ask(count, len(migration.files)))
    written = bool(migration.files) and asked and not dry_run
    if written:
        for note in carry_out(layout, migration):
            say(safe(note))
    if as_json:
        out_json(describe_migration(migration, written=written))
    elif migration.files:
        out(f"{counted(count, 'memory')} rewritten." if written else "Nothing was changed.")
    return EXIT_DONE if written or dry_run or as_json or not migration.files else EXIT_FIXABLE


def _ask(lines: int, files: int) -> bool:
    try:
        return click.confirm(
            f"Rewrite {counted(lines, 'memory')} in {counted(files, 'file')}?", default=False, err=True
        )
    except click.Abort:
        say("\nNobody answered. To write without being asked: gm migrate --yes")
        return False
