"""``gm log``, the story day by day, and ``gm mind diary``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from gm.base.errors import UsageError
from gm.base.texts import clip_line, counted, is_digits, split_paragraphs
from gm.cli import complete, options
from gm.cli.commands import Output, examples, read_world, world_command
from gm.cli.terminal import err, out, paint, paragraph, safe, width, wrapped
from gm.files.layout import Layout
from gm.files.story.now import load_cast, load_settings
from gm.model.calendar import render_day
from gm.model.ids import place_name
from gm.model.logged_parts import PlanEnd, read_ends
from gm.model.turns import MARKS, in_telling_order, marked
from gm.model.world import Agent

if TYPE_CHECKING:
    from gm.api.history.diff.story import Story, StoryDay, StoryScene
    from gm.api.reports.diary import Diaries

DAYS = 5

PLAN_ENDS = {"moved": "put off to another day"}
"""Ends of plans whose word alone could mean something else."""


@world_command(epilog=examples("gm log -n 1", "gm log AGENT"))
@click.argument("agent", type=complete.AGENT, required=False, metavar="[AGENT|DAY]")
@options.day("Only this day.")
@click.option(
    "-n", "most", type=click.IntRange(min=0), default=DAYS, show_default=True, help="Maximum number of days; 0 = all."
)
def log(layout: Layout, agent: str | None, day: int | None, most: int) -> Output:
    """Show what happened, newest day first.

    With AGENT, show what it did and remembers.

    With a day (3, day-003, --day 3), its chapter, if any, is shown, and its scenes turn by turn: reasons, actions,
    words and thoughts.
    """
    from gm.api.history.diff.story import describe_story

    if agent and is_digits(number := agent.lower().removeprefix("day-")) and agent not in layout.agent_names():
        if day is not None:
            raise UsageError(f"nobody here is called {agent!r}", "leave out one of the two days")
        agent, day = None, int(number)
    return Output(partial(_show_days, layout, day is None), *describe_story(layout, agent=agent, day=day, most=most))


@dataclass(frozen=True, slots=True)
class _Names:
    """How characters and places are called."""

    cast: Mapping[str, Agent]
    places: Mapping[str, str]

    def people(self, agents: Iterable[str]) -> str:
        return ", ".join(self.cast[name].call_name if name in self.cast else name for name in agents)

    def place(self, place: str) -> str:
        return place_name(place, self.places)


def _show_days(layout: Layout, all_days: bool, story: Story) -> None:
    names = _Names(load_cast(layout)[0], load_settings(layout)[0].place_names)
    for place, item in enumerate(story.days):
        if place:
            out()
        _show_day(item, names, own=story.agent is not None, whole=not all_days)
    left = story.of - len(story.days)
    if left and all_days:
        out(paint(f"\n… and {counted(left, 'earlier day')}: -n 0 shows all", dim=True))
    if story.days and all_days:
        out(paint(f"\nTurn by turn: gm log --day {story.days[0].day}", dim=True))
    if not story.of:
        out("No day was played yet: gm advance-day")


def _show_day(item: StoryDay, names: _Names, *, own: bool, whole: bool) -> None:
    count = sum(item.memories.values())
    head = f"day {item.day}{'' if item.closed else ' (not closed)'}"
    out(paint(head, "yellow", bold=True) + f"  {counted(len(item.scenes), 'scene')}, {counted(count, 'memory')}")
    if item.summary and not own:
        paragraph(item.summary, indent=2)
    for text in split_paragraphs(item.chapter) if whole else ():
        out()
        paragraph(text, indent=2)
    if item.chapter and whole:
        out()
    for scene in item.scenes:
        head = f"  {scene.brief.scene}. {scene.brief.type} · {' '.join(filter(None, (scene.time_of_day, scene.clock)))}"
        place = " → ".join(map(names.place, filter(None, (scene.brief.location, *scene.moved_to))))
        head += f" · {place}" if place else ""
        out(paint(safe(clip_line(head.strip(), width() - 2)).join(("  ", "")), bold=True))
        cast = names.people(scene.brief.participants)
        if whole and scene.turns:
            paragraph(cast, indent=5)
            if scene.brief.why and not own:
                _print_aside(f"why: {scene.brief.why}", 5)
            _show_turns(scene, names)
        else:
            paragraph(f"{cast}: {clip_line(scene.brief.summary, 220)}", indent=5)
    for node in item.own:
        out("  " + paint(f"+ {safe(node.id)}", "green") + f" {safe(node.type)} ({node.importance})")
        paragraph(node.description, indent=5)
    for _, node in item.reflections:
        out("  " + paint(f"+ {safe(node.id)}", "magenta") + f" depth {node.depth} ({node.importance})")
        paragraph(node.description, indent=5)
        if node.evidence:
            paragraph(f"rests on {', '.join(node.evidence)}", indent=5, colour="magenta")
    for path in item.artifacts:
        out(paint(safe(f"  → {path}"), "green"))
    for thread in item.threads:
        paragraph(_of_thread(thread, names), indent=5, first="  · ")
    for thread in item.missed:
        missed = f"{thread['id']} missed by {names.people(thread['people'])}: {_render_event(thread, names)}"
        paragraph(missed, indent=5, first="  · ")
    for name, ends in (item.plans or {}).items():
        paragraph(f"plan of {names.people([name])}: {plan_in_words(read_ends(ends))}", indent=5, first="  · ")
    if not own:
        for text in item.highlights:
            paragraph(text, indent=4, first="  ★ ", colour="cyan")


def _of_thread(event: Mapping[str, Any], names: _Names) -> str:
    what = " ".join(str(event[key]) for key in ("event", "kind", "outcome") if event.get(key))
    instead = f", in place of {event['replaces']}" if event.get("replaces") else ""
    return f"{event.get('id', '')} {what}{instead}: {_render_event(event, names)}"


def _render_event(event: Mapping[str, Any], names: _Names) -> str:
    where = ", ".join(filter(None, (str(event.get("time") or ""), names.place(str(event.get("place") or "")))))
    return f"{event.get('text', '')} ({where})" if where else str(event.get("text", ""))


def plan_in_words(ends: Iterable[PlanEnd]) -> str:
    """Say how the items of a plan ended."""
    states = Counter(end.status for end in ends)
    return ", ".join(f"{count} {PLAN_ENDS.get(state, state)}" for state, count in states.items())


def _show_turns(scene: StoryScene, names: _Names) -> None:
    for mark, turn in marked(in_telling_order(scene.turns)):
        if mark:
            _print_aside(f"{MARKS[mark]}:", 5)
        if turn.action:
            paragraph(turn.action, indent=5)
        who = names.people([turn.agent])
        for line in turn.lines:
            to = f" to {names.people([line.to])}" if line.to and len(scene.brief.participants) > 2 else ""
            paragraph(f"{who}{to}: {line.text}", indent=7)
        if turn.thought:
            _print_aside(f"({who} thinks: {turn.thought})", 7)


def _print_aside(text: str, indent: int) -> None:
    for line in wrapped(text, indent):
        out(paint(line, dim=True))


@world_command()
@click.argument("agent", type=complete.AGENT, required=False)
@click.option("--day", type=complete.DAY_NUMBER, help="Only this day (3, day-003, a date) or these days (3-5).")
@click.option("--search", metavar="TEXT", help="Only entries with all of these words; ue finds ü.")
def diary(layout: Layout, agent: str | None, day: str | None, search: str | None) -> Output:
    """Show and search what characters wrote in the evening.

    Entries are in state/diary/, one per day; 'diary: on' in gm.yaml has characters write them when a day closes.
    """
    from gm.api.reports.diary import describe_diaries

    return Output(
        partial(_show_entries, bool(agent or day or search)), describe_diaries(read_world(layout), agent, day, search)
    )


def _show_entries(chosen: bool, found: Diaries) -> None:
    for item in found.entries:
        entry = item.entry
        about = ", ".join(filter(None, (entry.date, entry.mood, entry.location)))
        head = click.style(safe(f"{render_day(entry.day)} {item.agent}"), bold=True)
        out(head + (safe(f"  ({about})") if about else ""))
        for line in entry.text.splitlines():
            out(safe(f"    {line}"))
    if not found.entries:
        out("There is no such entry." if chosen else "There are no entries yet.")
    if not found.on:
        err("Diaries are switched off: put 'diary: on' into gm.yaml.")
