"""``gm check``."""

from __future__ import annotations

import click

from gm.cli.options import json_option, world_option
from gm.cli.terminal import out, out_json, safe
from gm.errors import EXIT_DONE, EXIT_FIXABLE, Problem
from gm.store.layout import Layout

COLOURS = {"error": "red", "warning": "yellow", "info": "blue"}


@click.command()
@world_option
@json_option
@click.option("--quiet", is_flag=True, help="Leave out what is merely worth knowing.")
def check(layout: Layout, as_json: bool, quiet: bool) -> int:
    """Read every file of the world and name every problem, with its place. Exit code 1 if there are errors."""
    from gm.tools.check import check_world, describe_report

    report = check_world(layout)
    document = describe_report(report)
    if as_json:
        out_json(document)
    else:
        for problem in report.problems:
            if not (quiet and problem.severity == "info"):
                out(_render(problem))
        counts = document["counts"]
        read = f"{counts['agents']} agents, {counts['memories']} memories, {counts['scenes']} scenes"
        out(f"{read}: {counts['errors']} errors, {counts['warnings']} warnings, {counts['infos']} infos")
    return EXIT_DONE if document["ok"] else EXIT_FIXABLE


def _render(problem: Problem) -> str:
    head, _, hint = safe(str(problem)).partition("\n")
    coloured = click.style(f"{problem.severity}:", fg=COLOURS[problem.severity], bold=True)
    head = head.replace(f"{problem.severity}:", coloured, 1)
    return f"{head}\n{hint}" if hint else head
