"""``gm rewind``: a world brought back to a moment, after showing what goes; or forward again."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from gm.cli import complete
from gm.cli.options import examples, json_option, world_option
from gm.cli.terminal import clip, counted, out, out_json, safe, say
from gm.errors import EXIT_DONE, EXIT_FIXABLE, UsageError
from gm.store.layout import Layout

if TYPE_CHECKING:
    from gm.config import GitSettings
    from gm.tools.rewind.carry import Done

SHOWN = 6


@click.command(epilog=examples("gm rewind day-001 --dry-run", "gm rewind --undo"))
@click.argument("ref", metavar="[day-003[/scene-02]]", required=False, shell_complete=complete.days)
@world_option
@click.option("--yes", is_flag=True, help="Do it without asking.")
@click.option("--dry-run", is_flag=True, help="Only show what would be taken back.")
@click.option("--commit/--no-commit", default=None, help="Make it a git commit; default: as git.commit says.")
@click.option("--ask-again", is_flag=True, help="Put the kept answers aside too: what is played anew is asked anew.")
@click.option("--undo", is_flag=True, help="Bring back what the last rewind, or the one of a NUMBER, took away.")
@json_option
def rewind(
    layout: Layout,
    ref: str | None,
    yes: bool,
    dry_run: bool,
    commit: bool | None,
    ask_again: bool,
    undo: bool,
    as_json: bool,
) -> int:
    """Go back to how the world was after a day or a scene; day-000 is the beginning.

    Shows what would be taken back, and asks. Everything that is taken away is kept, and --undo brings it back.
    Settings, prompts and the library stay as they are. Answers stay too: played again as before, a day becomes what it
    was, and nobody is asked twice.
    """
    from gm.store.load import load_settings
    from gm.tools.commits import NEVER
    from gm.tools.rewind.carry import check_commit

    settings = load_settings(layout)[0].git
    git = settings if (settings.commit != NEVER if commit is None else commit) else None
    if git is not None and not dry_run:
        check_commit(layout, git)
    if undo:
        return _undo(layout, ref, git, yes=yes, dry_run=dry_run, as_json=as_json)
    if ref is None:
        raise UsageError(
            "say to which day or scene: gm rewind day-003", "gm log lists them; --undo takes a rewind back"
        )
    return _go_back(layout, ref, git, yes=yes, dry_run=dry_run, ask_again=ask_again, as_json=as_json)


def _go_back(
    layout: Layout, ref: str, git: GitSettings | None, *, yes: bool, dry_run: bool, ask_again: bool, as_json: bool
) -> int:
    from gm.store.commits.snapshot import snapshot
    from gm.tools.past import parse_moment
    from gm.tools.rewind.carry import describe_done, go_back
    from gm.tools.rewind.losses import describe_losses
    from gm.tools.rewind.moments import find_moment

    with snapshot(layout):
        moment = find_moment(layout, parse_moment(ref))
        document = describe_losses(layout, moment)
    if not as_json:
        _show(document)
    if dry_run or (moment.files and not (yes or _agreed(as_json, "Go back?"))):
        if as_json:
            out_json({**document, "done": False})
        return EXIT_DONE if dry_run else EXIT_FIXABLE
    done = go_back(layout, moment, git, ask_again=ask_again)
    if as_json:
        out_json({**document, "done": True, **describe_done(done)})
    else:
        _show_done(
            done, f"This is the world after {moment.ref}." if moment.ref.day else "This is the world before day 1."
        )
    return EXIT_DONE


def _undo(
    layout: Layout, number: str | None, git: GitSettings | None, *, yes: bool, dry_run: bool, as_json: bool
) -> int:
    from gm.tools.rewind.carry import describe_done, find_kept, undo

    if number is not None and not number.isdecimal():
        raise UsageError(f"--undo takes a number, and {number!r} is none", "gm rewind --undo, or gm rewind --undo 2")
    kept = find_kept(layout, int(number) if number else None)
    document = {"undo": kept.number, "to": kept.to, "files": sorted(kept.files)}
    if not as_json:
        out(
            safe(f"Brings back what rewind {kept.number} (to {kept.to}) took away: {counted(len(kept.files), 'file')}.")
        )
    if dry_run or not (yes or _agreed(as_json, "Bring it back?")):
        if as_json:
            out_json({**document, "done": False})
        return EXIT_DONE if dry_run else EXIT_FIXABLE
    done = undo(layout, kept, git)
    if as_json:
        out_json({**document, "done": True, **describe_done(done)})
    else:
        _show_done(done, "The world is as it was before.")
    return EXIT_DONE


def _agreed(as_json: bool, question: str) -> bool:
    if as_json or not sys.stdin.isatty():
        say("Nothing was changed. To do it without being asked: --yes")
        return False
    try:
        return click.confirm(question, default=False, err=True)
    except click.Abort:
        say("\nNothing was changed.")
        return False


def _show(document: Mapping[str, Any]) -> None:
    where = f"commit {document['commit'][:8]}" if document["commit"] else "the world's own record"
    if not document["files"]:
        out(safe(f"The world is as it was after {document['to']} ({where}): nothing to take back."))
        return
    out(safe(f"Back to {document['to']}, from {where}. This is taken back:"))
    days = document["days"]
    if days:
        span = f"day {days[0]}" if len(days) == 1 else f"days {days[0]} to {days[-1]}"
        out(f"  {_count(len(document['scenes']), 'scene')} of {span}")
    if document["memories"]:
        total = sum(map(len, document["memories"].values()))
        each = ", ".join(f"{name} {len(ids)}" for name, ids in document["memories"].items())
        out(safe(f"  {_count(total, 'memory')}: {each}"))
    for path in document["artifacts"][:SHOWN]:
        out(safe(f"  {path}"))
    if len(document["artifacts"]) > SHOWN:
        out(f"  … and {len(document['artifacts']) - SHOWN} more pieces of work")
    for edit in document["edits"]:
        since = f" since {edit['since']}" if edit["since"] else ""
        fate = "stays" if edit["kept"] else "goes too"
        out(safe(f"  edited by hand{since}: {edit['path']} ({fate})"))
        for line in edit["lost"][:SHOWN]:
            out(safe(f"    {clip(line, 100)}"))
    if document["uncommitted"]:
        out(safe(f"  not committed yet: {_listed(document['uncommitted'])}"))
    for note in document["notes"]:
        say(safe(f"note: {note}"))


def _show_done(done: Done, sentence: str) -> None:
    for note in done.notes:
        say(safe(note))
    out(sentence)
    if done.commit:
        out(f"  committed {done.commit[:8]}")
    if done.kept:
        out(safe(f"  What was there is kept in {done.kept}/. To get it back: gm rewind --undo {done.number}"))


def _listed(paths: list[str]) -> str:
    more = f" and {len(paths) - SHOWN} more" if len(paths) > SHOWN else ""
    return ", ".join(paths[:SHOWN]) + more


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"
