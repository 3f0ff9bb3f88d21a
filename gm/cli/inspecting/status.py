"""``gm status``, ``gm due``, ``gm stats`` and ``gm accumulators``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import click

from gm.api.history.lost import describe_missing, name_merge
from gm.api.reports.status import AgentStatus, Due, Status, describe_due, describe_status
from gm.base.errors import Problem, UsageError, errors_in
from gm.base.texts import clip_line, counted
from gm.cli import options
from gm.cli.commands import Output, read_world, world_command
from gm.cli.terminal import NO_CHARACTERS, out, safe, width
from gm.files.layout import Layout
from gm.scene.pieces.names import slug

if TYPE_CHECKING:
    from gm.api.editing.accumulators import Accumulator, Accumulators
    from gm.api.reports.stats import Stats

BAR_WIDTH = 40
QUESTION_CHARACTERS = 200


@world_command()
def status(layout: Layout) -> Output:
    """Show the day and the state of each character."""
    found, problems = describe_status(layout)
    clock = layout.shown(layout.world)
    is_lost = not found.day and any(item.path == clock for item in errors_in(problems))
    lost = f"the day is not known, {clock} cannot be read" if is_lost else ""
    problems = name_merge(layout, problems)
    return Output(partial(_show_status, layout, lost, problems), found, problems)


def _show_status(layout: Layout, lost: str, problems: Sequence[Problem], found: Status) -> None:
    when = f"day {found.day}" + (f" ({found.day_of_week})" if found.day_of_week else "")
    state = f"is open after {counted(found.scenes_today, 'scene')}" if found.open else "is closed"
    out(click.style(safe(found.world or layout.root.name), bold=True) + f": {lost or safe(f'{when} {state}')}")
    for line in (*describe_missing(layout), *_what_is_begun(layout, found), *_what_to_do(found)):
        out(click.style("! ", fg="yellow", bold=True) + safe(line))
    for problem in problems:
        if problem.code == "merge-driver":
            out(safe(f"{problem.message}: {problem.hint}"))
    if not found.agents:
        out(NO_CHARACTERS)
        return
    # an id that could not be made of the name says nothing
    shown = {name: name if slug(agent.name, "") else f"{name} ({agent.name})" for name, agent in found.agents.items()}
    widest = max(map(len, shown.values()))
    for name, agent in found.agents.items():
        out(_agent_line(shown[name].ljust(widest), agent, found.threshold))


def _what_is_begun(layout: Layout, found: Status) -> list[str]:
    from gm.model.calendar import SceneRef

    next_day = found.day + 1
    day, first = (layout.traces / str(SceneRef(next_day, scene)) for scene in (0, 1))
    if found.open or found.writer or found.awaiting or not day.is_dir():
        return []
    from gm.api.history.rewind.apply_rewind import last_rewound_ns
    from gm.files.questions.traces import TraceReader

    # a day that was rewound has kept its traces; what is newer was asked when it began again
    since = last_rewound_ns(layout)
    traces = TraceReader(layout.traces).look(next_day)
    if {path for path, changed_ns in traces if changed_ns > since} - {str(day)} != {str(first)}:
        return []
    return [f"day {next_day} was begun, and interrupted in its first scene: gm advance-day goes on with it"]


def _what_to_do(found: Status) -> list[str]:
    lines = []
    writer = found.writer
    if writer:
        lines.append(f"{writer.command} is running (process {writer.pid}, since {writer.since})")
    elif found.awaiting:
        lines.append(f"the day waits for answers to {', '.join(found.awaiting)}")
    elif found.open:
        lines.append("the day is open: gm advance-day goes on with it")
    if found.unfinished_write and not writer:
        files = counted(found.unfinished_write, "file")
        lines.append(f"a write of {files} was interrupted: the next command that writes finishes it first")
    if found.stale_gifts:
        stale = ", ".join(found.stale_gifts)
        lines.append(
            f"personas or gm.yaml have changed since these seed memories were made: {stale}; gm gift renews them"
        )
    for question in found.questions:
        text = clip_line(question.text, QUESTION_CHARACTERS)
        lines.append(f"{question.by} asks you, since day {question.day}: {text} ({question.id}); gm post answers")
    if found.lessons_not_given:
        lines.append(f"{found.lessons_not_given} of seeds.lessons have not been given to the characters: gm gift")
    return lines


def _agent_line(name: str, agent: AgentStatus, threshold: int) -> str:
    due = click.style(" due", fg="yellow") if agent.due else "    "
    summed = f"{agent.accumulator:4d} of {threshold}{due}"
    counts = f"{counted(agent.memories, 'memory'):>14} {counted(agent.reflections, 'reflection'):>16}  {summed}"
    rest = ", ".join(part for part in (agent.mood, agent.position) if part)
    return f"{click.style(safe(name), bold=True)} {counts}  {safe(clip_line(rest, 60))}".rstrip()


@world_command()
@click.option("--threshold", metavar="N", type=click.IntRange(min=1), help="Threshold in place of the world's.")
def due(layout: Layout, threshold: int | None) -> Output:
    """List who is due for a reflection.

    A character is due if its accumulated importance exceeds the threshold.
    """
    return Output(_show_due, *describe_due(layout, threshold))


def _show_due(found: Due) -> None:
    out(f"{safe(', '.join(found.due) or 'nobody')} (threshold {found.threshold})")


@world_command()
def stats(layout: Layout) -> Output:
    """Show statistics of memories: types, depths, importance, tags."""
    from gm.api.reports.stats import describe_stats

    return Output(_show_stats, describe_stats(read_world(layout)))


def _show_stats(found: Stats) -> None:
    everything = found.all
    counts = ((found.days, "day"), (found.scenes, "scene"), (everything.memories, "memory"))
    out(", ".join(counted(number, one) for number, one in counts))
    if not everything.memories:
        return
    out("kinds:  " + safe(_pairs(everything.types)))
    out("depths: " + _pairs(everything.depths))
    out(f"importance, mean {everything.importance.mean}:")
    spread = everything.importance.spread
    most, longest = max(spread.values()), min(BAR_WIDTH, width() - len("  10 123456  "))
    for value in range(1, 11):
        count = spread.get(str(value), 0)
        out(f"  {value:2d} {count:6d} {'█' * round(longest * count / most)}")
    out("tags:   " + safe(_pairs(everything.tags)))
    for name, own in found.agents.items():
        mean = own.importance.mean
        out(f"  {safe(name)}: {counted(own.memories, 'memory')}, {own.per_day} a day, importance {mean}")


def _pairs(figures: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in figures.items())


@world_command()
@options.agents
@click.option("--recompute", is_flag=True, help="Recompute the sums since the last reflection and compare.")
@click.option("--write", is_flag=True, help="Write what --recompute finds, and change nothing else.")
def accumulators(layout: Layout, agents: tuple[str, ...], recompute: bool, write: bool) -> Output:
    """Show the importance accumulated since the last reflections."""
    from gm.api.editing.accumulators import describe_accumulators, rewrite_accumulators
    from gm.files.streams.archive import read_archive

    if write and not recompute:
        raise UsageError("--write needs --recompute", "gm accumulators --recompute --write")
    if write:
        found, notes = rewrite_accumulators(layout, agents)
    else:
        archive = partial(read_archive, layout)
        found = describe_accumulators(read_world(layout), agents, recompute=recompute, read_archive=archive)
        notes = []
    return Output(_show_accumulators, found, notes)


def _show_accumulators(found: Accumulators) -> None:
    widest = max((len(name) for name in found.agents), default=0)
    for name, item in found.agents.items():
        out(f"{safe(name).ljust(widest)} {_accumulator_line(item, name in (found.written or ()))}")
    out(f"threshold {found.threshold}")


def _accumulator_line(item: Accumulator, written: bool) -> str:
    since = f"since {item.last_reflection}" if item.last_reflection else "never reflected"
    line = f"{item.accumulator:4d}{' due' if item.due else ''}"
    if item.recomputed is not None:
        line += f"  recomputed {item.recomputed:4d}"
        line += f" ({item.difference:+d}{', written' if written else ''})" if item.difference else ""
        if not item.last_reflection_found:
            since = f"{since}, which is not in the stream: everything was summed"
    return safe(f"{line}  {since}")
