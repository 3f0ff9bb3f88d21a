"""``gm check``: all problems of a world, each at its place; with ``--fix`` those that are safe to correct."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby

import click

from gm.cli.options import examples, json_option, world_option
from gm.cli.paint import width
from gm.cli.terminal import out, out_json, safe, say
from gm.errors import EXIT_DONE, EXIT_FIXABLE, Problem
from gm.store.layout import Layout

COLOURS = {"error": "red", "warning": "yellow", "info": "blue"}
AROUND = 36


@click.command(epilog=examples("gm check --quiet", "gm check --fix"))
@world_option
@json_option
@click.option("--fix", is_flag=True, help="Correct what is safe: final newline, CRLF, Unicode form (NFC), double tags.")
@click.option("--yes", is_flag=True, help="With --fix: do not ask.")
@click.option("--quiet", is_flag=True, help="Leave out what is merely worth knowing.")
def check(layout: Layout, as_json: bool, fix: bool, yes: bool, quiet: bool) -> int:
    """Read every file of the world and name every problem, with its place.

    Errors cannot be read unambiguously; the exit code is 1 if there are any. Warnings are off the schema. Infos are
    legitimate, and worth knowing.
    """
    from gm.tools.check import check_world, describe_report

    if fix:
        _correct(layout, yes)
    report = check_world(layout)
    document = describe_report(report)
    if as_json:
        out_json(document)
    else:
        _show(layout, [item for item in report.problems if not (quiet and item.severity == "info")])
        _show_counts(document["counts"])
    return EXIT_DONE if document["ok"] else EXIT_FIXABLE


def _correct(layout: Layout, yes: bool) -> None:
    """Show what can be corrected, ask, and write it."""
    from gm.tools.check import find_corrections, write_corrections

    found = find_corrections(layout)
    if not found:
        say("Nothing that --fix corrects.")
        return
    for correction in found:
        for line in correction.diff().splitlines():
            say(click.style(safe(line), fg={"+": "green", "-": "red", "@": "cyan"}.get(line[:1])), whole=True)
    files = "1 file" if len(found) == 1 else f"{len(found)} files"
    if not yes and not _confirmed(f"Change {files} like this?"):
        say("Nothing was changed.")
        return
    for note in write_corrections(layout, found):
        say(safe(note))
    say(f"Corrected {files}. See: git diff")


def _confirmed(question: str) -> bool:
    """Ask; an input that has ended is a no."""
    try:
        return click.confirm(question, err=True)
    except click.Abort:
        say()
        return False


def _show(layout: Layout, problems: Iterable[Problem]) -> None:
    """Show problems grouped by file, each with the text at its place."""
    from gm.store.forms.text import read_text

    for path, group in groupby(problems, lambda problem: problem.path):
        lines = read_text(layout.root / path, path)[0].body.split("\n") if (layout.root / path).is_file() else []
        out(click.style(safe(path), bold=True))
        for problem in group:
            out(_render(problem))
            if problem.severity != "info" and 0 < problem.line <= len(lines) and problem.column:
                out(_excerpt(lines[problem.line - 1], problem.column), whole=True)
            if problem.hint:
                out(f"      {safe(problem.hint)}")
        out()


def _render(problem: Problem) -> str:
    head, _, _ = str(problem).partition("\n")
    coloured = click.style(f"{problem.severity}:", fg=COLOURS[problem.severity], bold=True)
    return "  " + safe(head).replace(f"{problem.severity}:", coloured, 1)


def _excerpt(line: str, column: int) -> str:
    """Show the text around a column, and point at it."""
    around = min(AROUND, (width() - 10) // 3)
    begin, end = max(0, column - 1 - around), column - 1 + 2 * around
    before = safe(("…" if begin else "") + line[begin : column - 1])
    after = safe(line[column - 1 : end].rstrip("\r")) + ("…" if end < len(line) else "")
    return f"      {before}{after}\n      {' ' * len(before)}{click.style('^', fg='green', bold=True)}"


def _show_counts(counts: Mapping[str, int]) -> None:
    names = {"agents": "agent", "memories": "memory", "scenes": "scene"}
    read = ", ".join(f"{counts[key]} {one if counts[key] == 1 else key}" for key, one in names.items())
    found = ", ".join(
        f"{counts[key]} {key.removesuffix('s') if counts[key] == 1 else key}" for key in ("errors", "warnings", "infos")
    )
    colour = "red" if counts["errors"] else "yellow" if counts["warnings"] else "green"
    out(f"{read}: {click.style(found, fg=colour)}")
