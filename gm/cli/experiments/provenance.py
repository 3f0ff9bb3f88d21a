"""``gm provenance`` and ``gm replay``: days that others can repeat."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from gm.base.errors import EXIT_DONE, EXIT_FIXABLE
from gm.base.texts import counted
from gm.cli.commands import Output, examples, json_option, world_command
from gm.cli.output_files import free_place
from gm.cli.terminal import days_in_words, list_first, out, safe, say_notes, show
from gm.files.layout import Layout

if TYPE_CHECKING:
    from gm.api.experiments.provenance.contents import ProvenanceKept
    from gm.api.experiments.provenance.replay import MachineDifference, Replayed

SHOWN_ROWS = 8


@world_command(epilog=examples("gm provenance --dry-run", "gm provenance --days 1-3 -o run.gmrun.zip"))
@click.option("--days", metavar="1-3", help="Range of story days; default: all closed days.")
@click.option(
    "-o",
    "file",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Output file; default: named after the world's folder.",
)
@click.option("--seed", metavar="N", type=int, help="Seed of all days; default: as noted, else seed in gm.yaml.")
@click.option("--dry-run", is_flag=True, help="Try it and report what the file would hold, without writing it.")
def provenance(layout: Layout, days: str | None, file: Path | None, seed: int | None, dry_run: bool) -> Output:
    """Write one file from which others can repeat the played days.

    It holds the world as it was before these days, what people changed by hand between them (briefs, posts, edits),
    every answer of a model, and in provenance.json the versions, settings, digests and models. The days are
    tried first: a file is made only if they come out the same to the byte from what is in it.

    What people did while a day was open (a wished scene, a choice, a post, an edit) is not repeated: such days are
    refused. Edits of settings, prompts, personas and library have no record: they are stored as they are now,
    and questions that differ because of them are counted. It holds no keys and no questions outside of scenes,
    but all that the world's files and answers say.
    """
    from gm.api.experiments.provenance.contents import ProvenanceKept
    from gm.api.experiments.provenance.keep import make_provenance
    from gm.api.experiments.provenance.pack import ENDING, is_provenance
    from gm.files.formats import disk
    from gm.model.calendar import parse_days

    first, last = parse_days(days) if days else (None, None)
    target = file or Path(f"{layout.root.resolve().name}{ENDING}")
    place = free_place(layout, str(target), None, is_provenance)
    made = make_provenance(layout, first, last, seed)
    if not dry_run:
        with disk.explained(place):
            disk.replace_synced(place, made.data)
    answer = ProvenanceKept(str(target), len(made.data), not dry_run, made.note)
    return Output(_show_made, answer, _otherwise(made.note.asked_otherwise, made.note.asked, made.note.notes))


def _show_made(made: ProvenanceKept) -> None:
    note = made.provenance
    verb = "written" if made.written else "would be written"
    out(safe(f"{made.file}: {verb}, {made.bytes:,} bytes"))
    scenes = counted(note.scenes, "scene")
    seeds = ", ".join(dict.fromkeys(str(note.seed_of(day)) for day in note.days))
    out(safe(f"  {days_in_words(note.days)} of {note.title or 'the world'}, seed {seeds}: {scenes}"))
    for name, sums in note.models.items():
        tokens = sum(count for key, count in sums.items() if key.endswith("_tokens"))
        used = f"{tokens:,} tokens" if tokens else "tokens not known"
        out(safe(f"  {counted(sums['calls'], 'answer')} of {name}, {used}"))
    start = [name.removeprefix("world/") for name in note.files if name.startswith("world/")]
    out(f"  the world before: {counted(len(start), 'file')}, digest {note.begin[:16]}")
    for day, paths in note.by_hand.items():
        out(safe(f"  changed by hand before {day}: {list_first(paths, SHOWN_ROWS)}"))
    out(f"  the world after: {counted(len(note.end_files), 'file')}, digest {note.end[:16]}")
    commit = f" {note.commit[:12]}{'+' * note.commit.endswith('+')}" if note.commit else ""
    out(safe(f"  gm {note.gm}{commit}, Python {note.python}, {counted(len(note.prompts), 'prompt')} of gm"))
    out(safe(f"  cite: {note.cite}"))
    out("The days were played again from it, and came out the same to the byte.")


@click.command(epilog=examples("gm replay run.gmrun.zip", "gm replay run.gmrun.zip again"))
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@click.argument("folder", metavar="[DIR]", required=False, type=click.Path(path_type=Path))
@json_option
def replay(file: Path, folder: Path | None, as_json: bool) -> int:
    """Repeat the days of a file made by gm provenance and check that they are the same.

    The days are played in the new folder DIR. Only kept answers are used: no model is asked, and no network is used.
    What differs here (gm, libraries, prompts) is listed first. Exit code 1: the end differs, or a question has no
    answer.
    """
    from gm.api.experiments.provenance.pack import ENDING, open_file
    from gm.api.experiments.provenance.replay import check_target, find_differences
    from gm.api.experiments.provenance.replay import replay as play_again

    target = folder or Path(file.name.removesuffix(ENDING).removesuffix(".zip") + "-replayed")
    check_target(target)
    packed = open_file(file)
    if not as_json:
        _show_differences(find_differences(packed.note))
    found = play_again(packed, target)
    say_notes(_otherwise(found.asked_otherwise, found.asked, found.notes))
    show(found, as_json, _show_replayed)
    return EXIT_DONE if found.is_same else EXIT_FIXABLE


def _show_differences(differences: tuple[MachineDifference, ...]) -> None:
    for item in differences[:SHOWN_ROWS]:
        there, here = (text[:24] or "none" for text in (item.there, item.here))
        out(safe(f"differs: {item.what}: {there} there, {here} here"))
    if len(differences) > SHOWN_ROWS:
        out(f"… and {len(differences) - SHOWN_ROWS} more differ")


def _show_replayed(found: Replayed) -> None:
    out(safe(f"{found.world}: {days_in_words(found.days)}, {counted(found.asked, 'question')} answered from the file"))
    out(f"  begin     {found.begin}")
    out(safe(f"  expected  {found.expected}"))
    out(f"  found     {found.found}")
    if found.is_same:
        out("The same to the byte.")
        return
    out(f"Not the same: {counted(len(found.other), 'file')} {'differs' if len(found.other) == 1 else 'differ'}")
    for path in found.other[:SHOWN_ROWS]:
        out(safe(f"  {path}"))
    if len(found.other) > SHOWN_ROWS:
        out(f"  … and {len(found.other) - SHOWN_ROWS} more")


def _otherwise(other: int, asked: int, notes: tuple[str, ...]) -> list[str]:
    found = [f"note: {text}" for text in notes]
    if other:
        found.append(
            f"note: {other} of {counted(asked, 'question')} differ from those that were answered: settings,"
            " prompts, personas or the library were edited since, or this is another version of gm"
        )
    return found
