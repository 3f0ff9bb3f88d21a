"""``gm rewind`` returns a world to a moment; ``gm branch`` starts a second world from one."""

from __future__ import annotations

import shlex
import sys
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gm.base.errors import EXIT_DONE, EXIT_FIXABLE, UsageError
from gm.base.texts import clip_line, counted, is_digits
from gm.cli import complete
from gm.cli.commands import Output, agreed, examples, untold, world_command
from gm.cli.terminal import days_in_words, err, list_first, out, safe, say_notes
from gm.files.layout import Layout

if TYPE_CHECKING:
    from gm.api.history.rewind.apply_rewind import Done
    from gm.api.history.rewind.branches import Branch, Branches
    from gm.api.history.rewind.losses import Losses
    from gm.base.config import GitSettings

SHOWN_ROWS = 6


@world_command(epilog=examples("gm rewind day-001 --dry-run", "gm rewind --undo"))
@click.argument("ref", type=complete.DAY, metavar="[MOMENT]", required=False)
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@click.option("--dry-run", is_flag=True, help="Show what would be undone, and change nothing.")
@click.option("--commit/--no-commit", default=None, help="Make a git commit; default: git.commit.")
@click.option("--ask-again", is_flag=True, help="Set kept answers aside too, so that models are asked again.")
@click.option("--undo", is_flag=True, help="Restore what the last rewind, or rewind NUMBER, removed.")
def rewind(
    layout: Layout,
    ref: str | None,
    yes: bool,
    dry_run: bool,
    commit: bool | None,
    ask_again: bool,
    undo: bool,
    as_json: bool,
) -> Output:
    """Return the world to its state after a day or a scene.

    MOMENT is a day (3, day-003; 0 is the beginning) or a scene (day-003/scene-02).

    Shows what would be undone, and asks. Everything that is removed is kept, and --undo restores it. Settings, prompts
    and the library stay as they are. Answers stay too: played again as before, a day becomes what it was, and no model
    is asked twice.
    """
    from gm.api.history.rewind.apply_rewind import check_commit, choose_git

    git = choose_git(layout, commit)
    if not dry_run:
        check_commit(layout, git)
    chosen = _RewindOptions(git, yes, dry_run, ask_again)
    if undo:
        return _undo(layout, ref, chosen, as_json=as_json)
    if ref is None:
        raise UsageError("name a day or scene: gm rewind day-003", "gm log lists them; --undo undoes a rewind")
    return _go_back(layout, ref, chosen, as_json=as_json)


@dataclass(frozen=True, slots=True)
class _RewindOptions:
    git: GitSettings | None
    yes: bool
    dry_run: bool
    ask_again: bool


def _go_back(layout: Layout, ref: str, chosen: _RewindOptions, *, as_json: bool) -> Output:
    from gm.api.history.past import parse_moment
    from gm.api.history.rewind.apply_rewind import Rewound, go_back
    from gm.api.history.rewind.losses import describe_losses
    from gm.api.history.rewind.moments import find_moment
    from gm.files.commits.snapshot import snapshot

    with snapshot(layout):
        moment = find_moment(layout, parse_moment(ref))
        losses = describe_losses(layout, moment)
    if not as_json:
        _show_losses(losses, certain=chosen.yes and not chosen.dry_run)
    if chosen.dry_run or (moment.files and not (chosen.yes or _agreed(as_json, "Go back?"))):
        return Output(untold, Rewound(losses=losses, done=False), code=EXIT_DONE if chosen.dry_run else EXIT_FIXABLE)
    done = go_back(layout, moment, chosen.git, ask_again=chosen.ask_again)
    now = f"This is the world after {moment.ref}." if moment.ref.day else "This is the world before day 1."
    return Output(lambda _: _show_done(done, now), Rewound(losses=losses, done=True, result=done))


def _undo(layout: Layout, number: str | None, chosen: _RewindOptions, *, as_json: bool) -> Output:
    from gm.api.history.rewind.apply_rewind import Undone, find_kept, refuse_changed, undo

    if number is not None and not is_digits(number):
        raise UsageError(f"--undo takes a number, not {number!r}", "gm rewind --undo, or gm rewind --undo 2")
    kept = find_kept(layout, int(number) if number else None)
    refuse_changed(layout, kept)
    found = Undone(kept.number, kept.to, tuple(sorted(kept.files)), done=False)
    if not as_json:
        files = counted(len(kept.files), "file")
        out(safe(f"This restores what rewind {kept.number} (to {kept.to}) removed: {files}."))
    if chosen.dry_run or not (chosen.yes or _agreed(as_json, "Restore it?")):
        return Output(untold, found, code=EXIT_DONE if chosen.dry_run else EXIT_FIXABLE)
    done = undo(layout, kept, chosen.git)
    before = "The world is as it was before."
    return Output(lambda _: _show_done(done, before), replace(found, done=True, result=done))


def _agreed(as_json: bool, question: str) -> bool:
    if as_json or not sys.stdin.isatty():
        err("Nothing was changed. To skip the confirmation: --yes")
        return False
    if agreed(question, ""):
        return True
    err("Nothing was changed.")
    return False


def _show_losses(document: Losses, *, certain: bool) -> None:
    where = f"commit {document.commit[:8]}" if document.commit else "the world's own record"
    if not document.files:
        out(safe(f"The world is as it was after {document.to} ({where}): nothing to undo."))
        return
    out(safe(f"Back to {document.to}, from {where}. This {'is' if certain else 'would be'} undone:"))
    days = document.days
    if days:
        out(f"  {counted(len(document.scenes), 'scene')} of {days_in_words(days)}")
    if document.memories:
        total = sum(map(len, document.memories.values()))
        each = ", ".join(f"{name} {len(ids)}" for name, ids in document.memories.items())
        out(safe(f"  {counted(total, 'memory')}: {each}"))
    for path in document.artifacts[:SHOWN_ROWS]:
        out(safe(f"  {path}"))
    if len(document.artifacts) > SHOWN_ROWS:
        out(f"  … and {len(document.artifacts) - SHOWN_ROWS} more pieces of work")
    if document.restored:
        texts = [clip_line(text, 60) for text in document.restored]
        out(safe(f"  comes back: {list_first(texts, SHOWN_ROWS)}"))
    lines = Counter(item.path for item in document.by_hand)
    for path, count in lines.items():
        if count > SHOWN_ROWS:
            out(safe(f"  written by your commands: {path}: {count} lines"))
    for item in document.by_hand:
        if lines[item.path] > SHOWN_ROWS:
            continue
        out(safe(f"  written by your commands: {item.path}{f': {clip_line(item.text, 100)}' if item.text else ''}"))
    for edit in document.edits:
        since = f" since {edit.since}" if edit.since else ""
        fate = "stays" if edit.kept else f"goes too; commit {edit.commit[:8]} has it" if edit.commit else "goes too"
        how = "merged by git" if edit.merged else "edited by hand"
        out(safe(f"  {how}{since}: {edit.path} ({fate})"))
        for line in edit.lost[:SHOWN_ROWS]:
            out(safe(f"    {clip_line(line, 100)}"))
    if document.uncommitted:
        out(safe(f"  not committed yet: {list_first(document.uncommitted, SHOWN_ROWS)}"))
    say_notes(f"note: {note}" for note in document.notes)


def _show_done(done: Done, sentence: str) -> None:
    say_notes(done.notes)
    out(sentence)
    if done.committed:
        out(f"  committed {done.committed[:8]}")
    if done.kept:
        out(safe(f"  What was there is kept in {done.kept}/. To get it back: gm rewind --undo {done.number}"))


@world_command(epilog=examples("gm branch what-if --from day-001"))
@click.argument("name", required=False)
@click.option(
    "--from",
    "ref",
    metavar="MOMENT",
    type=complete.DAY,
    help="Start after this day (3, day-003) or scene (day-003/scene-02); default: now.",
)
@click.option(
    "--dir", "folder", type=click.Path(path_type=Path), help="Folder of the new world; default: beside the repository."
)
def branch(layout: Layout, name: str | None, ref: str | None, folder: Path | None) -> Output:
    """Make a second world that starts from a day or a scene of this one.

    Without NAME, list branches. In a git repository it is a branch in a work tree of its own, which a plain git merge
    brings back (gm git-setup); without git it is a copy. Nothing changes in this world.
    """
    from gm.api.history.past import parse_moment
    from gm.api.history.rewind.branches import list_branches, make_branch

    if name is None:
        if ref or folder:
            raise UsageError("the branch has no name", "gm branch NAME --from day-003")
        return Output(_show_branches, list_branches(layout))
    return Output(_show_branch, make_branch(layout, name, parse_moment(ref) if ref else None, folder))


def _show_branch(made: Branch) -> None:
    if made.commit:
        out(safe(f"Branch {made.branch}, at {made.at}, begins with commit {made.commit[:8]}:"))
        if made.changed:
            differ = f"{counted(made.changed, 'file')} differ{'s' if made.changed == 1 else ''}"
            out(f"  {differ} from that commit; the next commit there has them")
    else:
        out(safe(f"A plain copy (there is no git here), at {made.at}:"))
    out(safe(f"  {made.world}"))
    out(safe(f"Continue it:  gm advance-day -w {shlex.quote(made.world)}"), whole=True)


def _show_branches(found: Branches) -> None:
    if not found.branches:
        err("There is no git repository here: copies are not listed.")
    for item in found.branches:
        out(safe(f"{'*' if item.here else ' '} {item.branch or '(no branch)'}  {item.at}  {item.world}"))
