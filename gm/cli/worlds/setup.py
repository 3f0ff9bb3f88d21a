"""``gm init``, ``gm adopt``, ``gm migrate`` and ``gm git-setup``."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gm.base.errors import EXIT_DONE, EXIT_FIXABLE
from gm.base.texts import counted
from gm.cli import complete
from gm.cli.commands import Output, agreed, examples, json_option, world_command
from gm.cli.terminal import NO_CHARACTERS, err, out, out_json, safe, say_notes, show, show_difference
from gm.files.layout import Layout, find_world, is_world, lies_in_repository

if TYPE_CHECKING:
    from gm.api.history.gitsetup import GitSetupRemoved, SetUp
    from gm.api.imports.adopt.adoption import Adoption
    from gm.api.worlds.migrate.migration import Migration

USUAL, ENGLISH = "studio", "dinner"
NEXT = {0: "first", 1: "second", 3: "fourth"}


@click.command(epilog=examples("gm init my-world", "gm init dinner --template dinner"))
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--template", type=complete.TEMPLATE, help=f"{USUAL} (German, the default), or {ENGLISH}, ferry, orbit (English)."
)
@click.option(
    "--assistant",
    metavar="NAME",
    help="Add files for a coding assistant that plays the cast: claude-code, or agents (an AGENTS.md, which many others"
    " read). DIR may be a world already.",
)
@click.option(
    "--with-day",
    "days",
    flag_value=1,
    type=int,
    help="Start after a recorded day that language models played (studio, dinner).",
)
@click.option("--with-days", "days", flag_value=3, type=int, help="Start after three such days (studio).")
def init(folder: Path, template: str | None, assistant: str | None, days: int | None) -> None:
    """Make a copy of a world that comes with gm, characters included."""
    from gm.api.worlds.create import add_assistant, check_assistant, create_world

    if assistant:
        check_assistant(assistant)
    if assistant and is_world(folder):
        layout = Layout(folder.resolve())
    else:
        layout = create_world(folder, template or USUAL, days=days or 0)
        names = layout.agent_names()
        cast = counted(len(names), "character")
        out(safe(f"{folder}: the world {template or USUAL!r} with {cast}: {', '.join(names)}"))
        if template is None:
            out(f"Its characters speak German. For a world in English:  gm init DIR --template {ENGLISH}")
    if assistant:
        added = add_assistant(layout, assistant)
        for path in added:
            out(f"  {safe(path)}")
        if not added:
            out(f"{folder}: the files for {assistant} are there already")
        out(f"Open this folder with it and say:  {'/day' if assistant == 'claude-code' else 'play a day'}")
    else:
        say_next(folder, layout, days or 0)


def say_next(folder: Path, layout: Layout, days: int) -> None:
    """Suggest next steps for a new world."""
    where = shlex.quote(str(folder))
    out(safe(f"Play its {NEXT[days]} day:  gm advance-day -w {where}"), whole=True)
    begin = "" if lies_in_repository(layout) else f"git init {where} && "
    commit = f"git -C {where} add . && git -C {where} commit -m 'Day {days}'"
    out(safe(f"Follow every change in git:  {begin}{commit}"), whole=True)


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path), default=".")
@click.option("--dry-run", is_flag=True, help="Show what would be made, and write nothing.")
@json_option
def adopt(folder: Path, dry_run: bool, as_json: bool) -> None:
    """Make another tool's world a gm world, without changing its state.

    It gets a gm.yaml fitted to what is found, and a persona for every character without one, filled from agent
    definitions or rosters where there are any. Nothing that exists is touched. Run twice, it changes nothing.
    """
    from gm.api.imports.adopt.adoption import plan_adoption, write_adoption

    layout = find_world(folder, named=True)
    adoption = plan_adoption(layout)
    written = bool(adoption.made) and not dry_run
    if written:
        say_notes(write_adoption(layout, adoption))
    show(replace(adoption, written=written), as_json, lambda _: _show_adoption(adoption, folder, dry_run))


def _show_adoption(adoption: Adoption, folder: Path, dry_run: bool) -> None:
    cast = counted(len(adoption.agents), "character")
    out(f"{folder}: {cast}, day {adoption.day}: {', '.join(map(safe, adoption.agents))}")
    verb = "would make" if dry_run else "made"
    for item in adoption.made:
        source = f"  from {item.source} ({item.why})" if item.source else ""
        out(click.style(safe(f"{verb} {item.path}"), bold=True) + safe(source))
        for what in item.fill_in:
            out(safe(f"    fill in: {what}"))
    if not adoption.made:
        out("Nothing is missing; nothing was changed.")
    for note in adoption.notes:
        out(safe(f"note: {note}"))
    say_notes(map(str, adoption.problems))
    if adoption.problems:
        err("gm advance-day needs these places corrected by hand first.")
    elif adoption.agents:
        day = f"goes on with day {adoption.day}" if adoption.day_open else f"plays day {adoption.day + 1}"
        out(safe(f"gm advance-day -w {shlex.quote(str(folder))}  {day}"), whole=True)
    else:
        out(NO_CHARACTERS)


@world_command(epilog=examples("gm migrate --dry-run", "gm migrate"))
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@click.option("--dry-run", is_flag=True, help="Show what would change, and write nothing.")
def migrate(layout: Layout, yes: bool, dry_run: bool, as_json: bool) -> int:
    """Convert a world's files to the current format, after showing the diff.

    Older worlds are read as they are; this is for those who want one shape only. The diff is shown first, and all of it
    is one commit. Lines that have today's shape stay as they are, to the byte. With --json nothing is written unless
    --yes is given.
    """
    from gm.api.worlds.migrate.migration import plan_migration, write_migration

    migration = plan_migration(layout)
    say_notes(migration.left)
    if not as_json:
        for item in migration.files:
            show_difference(item.difference)
        if not migration.files:
            _say_nothing_to_do(migration)
    asked = yes or (not as_json and not dry_run and bool(migration.files) and _ask_to_rewrite(migration))
    written = bool(migration.files) and asked and not dry_run
    if written:
        say_notes(write_migration(layout, migration))
    if as_json:
        out_json(replace(migration, written=written))
    elif migration.files:
        where = counted(len(migration.files), "file")
        done = f"{counted(migration.lines, 'line')} rewritten in {where}; the world has format {migration.target}."
        out(done if written else "Nothing was changed.")
    return EXIT_DONE if written or dry_run or as_json or not migration.files else EXIT_FIXABLE


def _say_nothing_to_do(migration: Migration) -> None:
    from gm.base.config import FORMAT

    if migration.left:
        out("Nothing else has an older shape. Correct these places by hand, and run the command again.")
    elif migration.format < FORMAT:
        out("Nothing has an older shape. A gm.yaml could say the format; gm adopt makes one.")
    else:
        out(f"The world has format {migration.format}, the present one.")


def _ask_to_rewrite(migration: Migration) -> bool:
    lines, files = counted(migration.lines, "line"), counted(len(migration.files), "file")
    question = f"Rewrite {lines} in {files}?"
    return agreed(question, "\nThere was no answer. To write without confirmation: gm migrate --yes")


@world_command("git-setup")
@click.option("--undo", is_flag=True, help="Remove this setup.")
def git_setup(layout: Layout, undo: bool) -> Output:
    """Set up a git repository to show and merge worlds readably.

    Writes only to the repository's own configuration and hooks: differences of memories become readable lines, and
    branches that were both played can be merged with a plain git merge.
    """
    from gm.api.history import gitsetup

    if undo:
        return Output(_show_undone, gitsetup.remove_setup(layout))
    return Output(_show_set_up, gitsetup.set_up(layout))


def _show_set_up(found: SetUp) -> None:
    out("git is set up to show and merge this world." if found.changed else "git was set up already.")
    out(safe(f"  it calls: {found.command}"))
    out("To take over days that others have played:  git pull --no-rebase")
    _show_foreign(found.hooks, f"  add this line to it: {found.command} git-settle")


def _show_undone(found: GitSetupRemoved) -> None:
    out("The setup was removed." if found.changed else "git was not set up.")
    _show_foreign(found.hooks)


def _show_foreign(hooks: Mapping[str, str], *to_do: str) -> None:
    for name in (name for name, state in hooks.items() if state == "foreign"):
        say_notes((f"note: the hook {name} was not made by gm and stays as it is", *to_do))
