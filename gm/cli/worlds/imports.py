"""What other tools have made: ``gm import``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from gm.cli import complete
from gm.cli.commands import Output, examples, world_command
from gm.cli.terminal import out, paint, paragraph, safe
from gm.files.layout import Layout

if TYPE_CHECKING:
    from gm.api.imports.landing import Imported, Landed

LORE = ("library", "gifted")


@world_command(
    "import",
    epilog=examples(
        "gm import vera.png", "gm import town.json --for vera", "gm import personas/", "gm import chat.jsonl --user Tom"
    ),
)
@click.argument("files", metavar="FILE…", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--as", "name", metavar="NAME", default="", help="Name of the character in this world.")
@click.option(
    "--user",
    metavar="NAME",
    default="",
    help="The character that the file calls its user; default: the person outside the world.",
)
@click.option(
    "--lore",
    type=click.Choice(LORE),
    help="Where to put entries of lorebooks: the library, or the memories that a character begins with.",
)
@click.option("--for", "holder", type=complete.AGENT, default="", help="The character that remembers a lorebook.")
@click.option("--dry-run", is_flag=True, help="Show what would be written, and write nothing.")
def import_(
    layout: Layout, files: tuple[Path, ...], name: str, user: str, lore: str | None, holder: str, dry_run: bool
) -> Output:
    """Import characters, lorebooks and chats from other tools.

    A file is a character card, a lorebook, a chat of SillyTavern, or has agents with their memories (TinyTroupe,
    generative agents, genagents, AI Town). Of a folder, all that can be imported is.

    The kind of a file is recognised. gm reports which part went where, and which was left out and why. Nothing that
    exists is overwritten; of several files either all are brought in or none.
    """
    from gm.api.imports.landing import ImportOptions, import_files

    imported, notes = import_files(layout, files, ImportOptions(name, user, lore or "", holder), write=not dry_run)
    return Output(_show_imported, imported, notes)


def _show_imported(imported: Imported) -> None:
    for landed in imported.sources:
        _show_landed(landed, "written" if imported.written else "would be written")
    if imported.others:
        paths = ", ".join(imported.others)
        out(safe(f"{'written' if imported.written else 'would be written'}, about who is new: {paths}"), whole=True)
    personas = [path for landed in imported.sources for path in landed.files if "/personas/" in path]
    if not imported.written:
        out("Nothing was written.")
    elif personas:
        out(
            safe(f"Read and correct what is new, and add role and home where they are missing: {', '.join(personas)}"),
            whole=True,
        )


def _show_landed(landed: Landed, verb: str) -> None:
    people = f": {', '.join(landed.people)}" if landed.people else ""
    out(paint(safe(f"{landed.source} ({landed.format}){people}"), bold=True))
    for item in landed.mapped:
        out(safe(f"  {item.part} → {item.said}"))
    for item in landed.left:
        out(safe(f"  left aside: {item.part}: {item.said}" if item.part else f"  left aside: {item.said}"))
    for path in landed.files:
        out(safe(f"  {verb}: {path}"), whole=True)
    if landed.scenario:
        out("  It suggests a situation, which is not used yet; to use it, pass it to gm brief:")
        paragraph(landed.scenario, indent=4)
