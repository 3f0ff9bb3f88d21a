"""``gm plan``: the scenes that could come next, with their points and reasons."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterator
from functools import partial
from textwrap import wrap
from typing import TYPE_CHECKING

import click

from gm.base.texts import counted, one_line
from gm.cli import complete, options
from gm.cli.commands import Output, examples, show_broken, world_command
from gm.cli.terminal import LEAST_TEXT_COLUMNS, NO_CHARACTERS, PLAIN_WIDTH, out, safe
from gm.files.layout import Layout

if TYPE_CHECKING:
    from gm.api.reports.plan import PlanCandidate, PlannedScene, PlayPlan

MOST_SHOWN = 8
INDENT = " " * 9
JOINED = "\u00a0"  # a space at which no line is broken


@world_command(epilog=examples("gm plan --focus AGENT"))
@click.option("--tomorrow", is_flag=True, help="Show the next day's scenes, as if the open day were closed now.")
@click.option("--all", "everything", is_flag=True, help="Show all candidates, ruled out ones included.")
@click.option("--focus", default="", type=complete.AGENT, help="As with gm advance-day --focus.")
@options.seed
def plan(layout: Layout, tomorrow: bool, everything: bool, focus: str, seed: int | None) -> Output:
    """Show which scenes could come next, and which would be chosen and why.

    Before a day is opened, people have their old plans; what they plan on arriving changes the scores. Nothing is
    written, and no model is asked.
    """
    from gm.api.reports.plan import describe_plan
    from gm.files.commits.runnote import noted_seed
    from gm.files.experiments.scripttext import find_script
    from gm.files.load import load_world
    from gm.files.story.now import load_settings
    from gm.play.prompts import open_prompts
    from gm.scene.directing.choosing import check_focus
    from gm.scene.directing.script import SCRIPT

    settings, _ = load_settings(layout)
    prompts = open_prompts(layout, settings)
    loaded = load_world(layout, prompts.scene_types(), whole_streams=False)
    show_broken(loaded.problems)
    world = loaded.world
    noted = None if tomorrow else noted_seed(layout, world.clock)
    found = describe_plan(
        world,
        prompts.words,
        next(one for one in (seed, noted, settings.seed) if one is not None),
        focus=check_focus(world, focus),
        tomorrow=tomorrow,
    )
    weekdays = settings.calendar.weekdays
    path = find_script(layout, found.day, weekdays) if settings.director == SCRIPT else None
    script = layout.shown(path) if path else ""
    return Output(partial(_show_plan, everything, script) if world.agents else _show_empty_world, found)


def _show_empty_world(_found: PlayPlan) -> None:
    out(NO_CHARACTERS)


def _show_plan(everything: bool, script: str, document: PlayPlan) -> None:
    width = max(LEAST_TEXT_COLUMNS, shutil.get_terminal_size().columns) if sys.stdout.isatty() else PLAIN_WIDTH
    scenes = document.scenes
    day = f"Day {document.day}" + (f", {document.day_of_week}" if document.day_of_week else "")
    state = f": {scenes.played} of {scenes.planned} scenes played" if scenes.played else ", not begun yet"
    out(click.style(safe(day), bold=True) + state)
    _print_agreed(document, width)
    if script:
        _print_paragraph(f"from the script {script}: the list below is only for its free scenes", width)
    if document.first:
        _print_paragraph(f"First: {_head(document.first)}", width, "")
    candidates = document.candidates
    playable = [item for item in candidates if item.ruled_out is None]
    if candidates:
        then = f"{'Then' if document.first else 'Next'} ({document.time_of_day})"
        _print_paragraph(
            f"{then}: {counted(len(playable), 'candidate')}, {len(candidates) - len(playable)} ruled out", width, ""
        )
    shown = candidates if everything else playable[:MOST_SHOWN]
    for item in shown:
        _print_candidate(item, width)
    if len(shown) < len(candidates):
        out(f"{len(candidates) - len(shown)} more: gm plan --all")
    if not playable:
        _print_end(document, width)


def _print_agreed(document: PlayPlan, width: int) -> None:
    for event in document.events:
        played = " (played)" if event.played else ""
        _print_paragraph(f"{event.time or 'today'}: {event.event}{played}", width)
    for agreed in document.agreed:
        where = ", ".join(filter(None, (agreed.time or "today", agreed.place)))
        played = " (played)" if agreed.played else ""
        _print_paragraph(f"agreed, {where}: {', '.join(agreed.people)}: {agreed.text} ({agreed.id}){played}", width)
    for item in document.deadlines:
        due = f"in {counted(item.days_left, 'day')}" if item.days_left else "today"
        _print_paragraph(f"deadline {due}: {item.event}", width)
    for name, how in document.away.items():
        _print_paragraph(f"{name} is {'away' if how == 'off' else 'remote'}", width)
    if document.needs_company:
        names = ", ".join(document.needs_company)
        _print_paragraph(f"without company so far, and hardly a scene left for it: {names}", width)
    if document.focus:
        _print_paragraph(f"focus: {document.focus}", width)
    if document.reflections_due:
        _print_paragraph(f"in the evening, due for a reflection: {', '.join(document.reflections_due)}", width)


def _print_candidate(item: PlanCandidate, width: int) -> None:
    mark = ">" if item.chosen else " "
    _print_paragraph(_head(item), width, INDENT, first=f"{mark}{item.score:6.1f}  ", bold=item.chosen)
    parts = (f"{part.part}{JOINED}{part.points:+.1f}" for part in item.parts)
    _print_paragraph(", ".join(parts), width, INDENT)
    if item.ruled_out:
        _print_paragraph(f"ruled out: {item.ruled_out}", width, INDENT)
    else:
        _print_paragraph(item.why, width, INDENT)
    if item.tags:
        _print_paragraph(f"memories by tags: {', '.join(item.tags)}", width, INDENT)


def numbered(document: PlayPlan) -> Iterator[str]:
    """Yield the candidates with their numbers, scores and reasons; those that are ruled out come last."""
    if not document.candidates:
        yield "The day is full: there are no candidates."
    for number, item in enumerate(document.candidates, 1):
        yield f"{number:>3}  {item.score:5.1f}  {_head(item)}"
        yield f"     {', '.join(f'{part.part} {part.points:+.1f}' for part in item.parts)}"
        yield f"     ruled out: {item.ruled_out}" if item.ruled_out else f"     {one_line(item.why)}"


def _print_end(document: PlayPlan, width: int) -> None:
    for item in document.last:
        _print_paragraph(f"Next: {_head(item)}", width, "")
    if not document.last:
        out("The day is full: gm advance-day closes it.")


def _head(item: PlanCandidate | PlannedScene) -> str:
    where = f" ({item.location})" if item.location else ""
    return f"{item.type} {item.time_of_day}: {', '.join(item.cast)}{where}"


def _print_paragraph(
    text: str, width: int, indent: str = "  ", *, first: str | None = None, bold: bool = False
) -> None:
    """Line ends in the text do not break the paragraph."""
    flat = safe(re.sub(r"[ \t\r\n]+", " ", text))
    start = indent if first is None else first
    lines = wrap(flat, width, initial_indent=start, subsequent_indent=indent, break_on_hyphens=False)
    for line in lines:
        plain = line.replace(JOINED, " ")
        out(click.style(plain, bold=True) if bold else plain)
