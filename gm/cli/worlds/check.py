"""Files and settings: ``gm check``, ``gm settings`` and ``gm completion``."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING

import click

from gm.base.errors import EXIT_DONE, EXIT_FIXABLE, NoWorldError, Problem
from gm.base.texts import clip_line, counted
from gm.cli import complete
from gm.cli.commands import Output, agreed, chosen_world, examples, json_option, world_command
from gm.cli.terminal import DIFF_COLOURS, err, out, paint, paragraph, safe, say_notes, width
from gm.cli.world import OPTIONS, folders, named_world
from gm.files.layout import Layout

if TYPE_CHECKING:
    from gm.api.editing.check.whole import CheckReport, Counts
    from gm.api.reports.settings import Setting, SettingsFound

COLOURS = {"error": "red", "warning": "yellow", "info": "blue"}
AROUND = 36
VALUE = 60
DEFAULT = "default"
SHELLS = ("bash", "zsh", "fish")
VARIABLE = "_GM_COMPLETE"


@world_command(epilog=examples("gm check --quiet", "gm check --fix"))
@json_option
@click.option(
    "--fix",
    is_flag=True,
    help="Correct what is safe: final newline, CRLF, Unicode form (NFC), duplicate tags, importance in quotes.",
)
@click.option("--yes", is_flag=True, help="With --fix, do not ask for confirmation.")
@click.option("--quiet", is_flag=True, help="Do not show infos.")
def check(layout: Layout, fix: bool, yes: bool, quiet: bool) -> Output:
    """Check every file of the world and report every problem with its place.

    Errors cannot be read unambiguously; the exit code is 1 if there are any. Warnings are off the schema. Infos are
    legitimate, and worth knowing.
    """
    from gm.api.editing.check.whole import check_world, describe_report
    from gm.api.history.lost import name_merge

    if fix:
        _correct(layout, yes)
    checked = check_world(layout)
    found = describe_report(replace(checked, problems=tuple(name_merge(layout, checked.problems))))
    code = EXIT_DONE if found.ok else EXIT_FIXABLE
    return Output(partial(_show_report, layout, quiet), found, code=code)


def _correct(layout: Layout, yes: bool) -> None:
    from gm.api.editing.check.whole import find_corrections, write_corrections

    found = find_corrections(layout)
    if not found:
        err("There is nothing that gm can correct by itself.")
        return
    for correction in found:
        for line in correction.diff().splitlines():
            err(click.style(safe(line), fg=DIFF_COLOURS.get(line[:1])), whole=True)
    files = counted(len(found), "file")
    if not yes and not agreed(f"Change {files} like this?", ""):
        err("Nothing was changed.")
        return
    say_notes(write_corrections(layout, found))
    err(f"Corrected {files}. See: git diff")


def _show_report(layout: Layout, quiet: bool, found: CheckReport) -> None:
    _show_problems(layout, [item for item in found.problems if not (quiet and item.severity == "info")])
    _show_counts(found.counts)


def _show_problems(layout: Layout, problems: Iterable[Problem]) -> None:
    from gm.files.formats.text import read_text

    for path, group in groupby(problems, lambda problem: problem.path):
        lines = read_text(layout.root / path, path)[0].body.split("\n") if (layout.root / path).is_file() else []
        out(click.style(safe(path), bold=True))
        for problem in group:
            out(_render_problem(problem))
            if problem.severity != "info" and 0 < problem.line <= len(lines) and problem.column:
                out(_excerpt(lines[problem.line - 1], problem.column), whole=True)
            if problem.hint:
                out(f"      {safe(problem.hint)}")
        out()


def _render_problem(problem: Problem) -> str:
    head, _, _ = str(problem).partition("\n")
    coloured = click.style(f"{problem.severity}:", fg=COLOURS[problem.severity], bold=True)
    return "  " + safe(head).replace(f"{problem.severity}:", coloured, 1)


def _excerpt(line: str, column: int) -> str:
    around = min(AROUND, (width() - 10) // 3)
    begin, end = max(0, column - 1 - around), column - 1 + 2 * around
    before = safe(("…" if begin else "") + line[begin : column - 1])
    after = safe(line[column - 1 : end].rstrip("\r")) + ("…" if end < len(line) else "")
    return f"      {before}{after}\n      {' ' * len(before)}{click.style('^', fg='green', bold=True)}"


def _show_counts(counts: Counts) -> None:
    read = ((counts.agents, "agent"), (counts.memories, "memory"), (counts.scenes, "scene"))
    problems = ((counts.errors, "error"), (counts.warnings, "warning"), (counts.infos, "info"))
    checked, found = (", ".join(counted(*item) for item in items) for items in (read, problems))
    colour = "red" if counts.errors else "yellow" if counts.warnings else "green"
    out(f"{checked}: {click.style(found, fg=colour)}")


def _find_world(context: click.Context, _option: click.Parameter, value: str | None) -> Layout | None:
    """Without a world, defaults can be shown."""
    try:
        return chosen_world(context, value)
    except NoWorldError:
        if named_world(context, value) is not None:
            raise
        return None


@world_command(epilog=examples("gm settings --own", "gm settings reflection"))
@click.argument("names", type=complete.SETTING, nargs=-1, metavar="[NAME]…")
@click.option(
    *OPTIONS,
    "layout",
    metavar="DIR",
    callback=_find_world,
    shell_complete=folders,
    help="The world's folder; default: this folder or its nearest parent that is a world, else show defaults.",
)
@click.option("--own", is_flag=True, help="Only show settings that gm.yaml sets.")
def settings(layout: Layout | None, names: tuple[str, ...], own: bool) -> Output:
    """Show all settings, their values here, and the lines that set them.

    NAME is a whole name (reflection.threshold), a section (reflection), or a part of a name (token). With NAME, also
    show what the setting does and takes.
    """
    from gm.api.reports.settings import describe_settings

    found, problems = describe_settings(layout, names, own=own)
    return Output(partial(_show_settings, layout, bool(names), own), found, problems)


def _show_settings(layout: Layout | None, named: bool, own: bool, found: SettingsFound) -> None:
    if layout is None:
        err("There is no world here: these are the defaults.")
    for item in found.settings:
        if named:
            _explain(item)
        else:
            _show_setting(item)
    if own and not found.settings:
        out("gm.yaml says nothing of its own: the defaults hold.")


def _show_setting(item: Setting) -> None:
    from gm.base.config.manual import as_yaml

    source = "" if item.source == DEFAULT else f"  # {item.source}"
    value = safe(clip_line(as_yaml(item.value), VALUE))
    out(paint(f"{item.entry.name}:", bold=bool(source)) + f" {value}" + paint(safe(source), dim=True))


def _explain(item: Setting) -> None:
    from gm.base.config.manual import as_yaml

    entry = item.entry
    out(paint(safe(entry.name), bold=True))
    paragraph(entry.sentence, 4)
    paragraph(f"takes {entry.takes}" + (f", in {entry.unit}" if entry.unit else ""), 4)
    rest = "" if item.source == DEFAULT else f" (default: {clip_line(as_yaml(entry.default), VALUE)})"
    paragraph(f"here: {as_yaml(item.value)}, from {item.source}{rest}", 4)


@click.command(
    epilog="""\b
bash:  echo 'eval "$(gm completion bash)"' >> ~/.bashrc
zsh:   echo 'eval "$(gm completion zsh)"' >> ~/.zshrc
fish:  gm completion fish > ~/.config/fish/completions/gm.fish"""
)
@click.argument("shell", type=click.Choice(SHELLS))
def completion(shell: str) -> None:
    """Print the script that completes commands, names and days in your shell.

    It completes commands, options, and names of the world: characters, memories, days, scene types, works in the
    gallery, models, settings. It takes effect in the next shell that you open. bash has to be 4.4 or newer.
    """
    from click.shell_completion import get_completion_class

    from gm.cli import gm

    kind = get_completion_class(shell)
    assert kind is not None
    # the script alone: click would ask the shell for its version, and the shell that reads it may be another one
    completer = kind(gm, {}, "gm", VARIABLE)
    out((completer.source_template % completer.source_vars()).strip(), whole=True)
