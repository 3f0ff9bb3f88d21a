"""``gm care`` and ``gm prune``: what keeps memories from growing without end."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from gm.base.config.memory import PRUNINGS
from gm.base.errors import UsageError
from gm.base.texts import clip_line, counted
from gm.cli import options
from gm.cli.commands import Output, read_world, refuse_strangers, telling_what_is_awaited, untold, world_command
from gm.cli.terminal import err, out, safe
from gm.files.layout import Layout

if TYPE_CHECKING:
    from gm.api.playing.care import AgentCare, Care, Pruning, Rules


@world_command()
@options.agents
@click.option("--all", "everybody", is_flag=True, help="Apply to all characters.")
@click.option("--now", is_flag=True, help="Summarise the oldest memories even if nothing is due.")
@click.option("--dry-run", is_flag=True, help="Show what would be summarised, and ask no model.")
@options.model
def care(
    layout: Layout, agents: tuple[str, ...], everybody: bool, now: bool, dry_run: bool, model: str | None, as_json: bool
) -> Output:
    """Summarise the oldest memories of a character if there are too many.

    A model summarises them in AGENT's own words, in state/summaries/ and in its prompts. The memories themselves go to
    state/archive/, to the byte: search and evidence still find them there.
    """
    _check_names(agents, everybody)
    from gm.api.playing.care import describe_care, run_care
    from gm.api.reports.models import choose_for
    from gm.cli.playing.show import DayView

    if dry_run:
        return Output(partial(_show_due, now), describe_care(read_world(layout), agents, now=now))
    refuse_strangers(layout, agents)
    view = DayView(quiet=as_json)
    choice = choose_for(layout, model, view.notice, view.writing)
    view.chosen(choice)
    with telling_what_is_awaited(choice, as_json), view:
        found = run_care(layout, choice, view, agents, now=now)
    return Output(untold if found.cared else partial(_show_due, now), found)


@world_command()
@options.agents
@click.option("--all", "everybody", is_flag=True, help="Apply to all characters.")
@click.option("--strategy", type=click.Choice(PRUNINGS), help="Which memories go first; default: retention.strategy.")
@click.option("--dry-run", is_flag=True, help="Show what would be archived, and write nothing.")
def prune(layout: Layout, agents: tuple[str, ...], everybody: bool, strategy: str | None, dry_run: bool) -> Output:
    """Archive a character's least important memories.

    As many stay as retention.max_observations and max_reflections allow. No model is asked and nothing is lost: search
    and evidence still find them in state/archive/. What a prompt needs stays, with any limits: the last
    memories (retrieval.last), those of the running day and since the last reflection, pinned and critical ones.
    """
    _check_names(agents, everybody)
    from gm.api.playing.care import describe_pruning, run_pruning
    from gm.cli.playing.show import DayView

    if dry_run:
        found = describe_pruning(read_world(layout), agents, strategy)
    else:
        found = run_pruning(layout, DayView(quiet=True), agents, strategy)
    return Output(_show_pruned, found)


def _check_names(agents: tuple[str, ...], everybody: bool) -> None:
    if bool(agents) == everybody:
        raise UsageError("name one or more characters, or give --all")


def _show_due(now: bool, found: Care) -> None:
    for name, item in found.agents.items():
        size = f"{counted(item.memories, 'memory')}, about {item.tokens} of {found.ceilings.tokens} tokens"
        more = f"; {counted(item.summaries, 'summary')}, {item.summary_tokens} tokens" if item.summaries else ""
        out(click.style(safe(name), bold=True) + f"  {size}{more}")
        for batch in item.due:
            span = f"{batch.first} to {batch.last}"
            out(safe(f"  due: {batch.memories} {batch.cause}, {span}, {batch.tokens} tokens"))
        if not item.due:
            out(safe(f"  {_why_nothing(item, found.rules, now or item.wanted)}"))
    if not found.enabled:
        err("selfcare.enabled is false: days do not do this by themselves.")


def _why_nothing(item: AgentCare, rules: Rules, wanted: bool) -> str:
    if rules.at_home and not item.at_home:
        where = f"is away: in {item.position or 'no place'}, and at home in {item.home}"
        return f"{where}; selfcare.at_home lets it put memories together only there"
    if wanted and item.movable < rules.min:
        return f"{item.movable} memories are old enough, and selfcare.min asks for {rules.min}"
    return "nothing is due"


def _show_pruned(found: Pruning) -> None:
    verb = "would go" if found.dry_run else "went"
    for name, item in found.agents.items():
        out(click.style(safe(name), bold=True) + f"  {len(item.pruned)} {verb} to the archive, {item.kept} stay")
        ids = ", ".join(f"{entry.id} ({entry.value:.2f})" for entry in item.pruned)
        if ids:
            out(safe(f"  {clip_line(ids, 2000)}"))
        if item.held:
            out(
                f"  {item.held} above the limits stay: the last {found.window} (retrieval.last), "
                "what today and the coming reflection need, pinned and critical ones never go"
            )
    if found.strategy == "none":
        err("retention.strategy is none: name one with --strategy, or in gm.yaml.")
