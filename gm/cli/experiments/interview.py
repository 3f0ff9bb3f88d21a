"""``gm interview`` asks characters the same questions out of scene."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from gm.base.errors import UsageError
from gm.base.texts import clip_line, counted
from gm.cli import complete, options
from gm.cli.commands import Output, examples, refuse_strangers, telling_what_is_awaited, world_command
from gm.cli.output_files import free_place
from gm.cli.terminal import OF_REHEARSAL, err, out, safe, say_note
from gm.files.layout import Layout
from gm.model.interview import KINDS, WITHOUT, QuestionKind, Withheld

if TYPE_CHECKING:
    from gm.api.experiments.interview.asking import InterviewResult

MOST = 100


@world_command(
    epilog=examples(
        "gm interview AGENT --kind memory",
        "gm interview --model claude-sonnet-5 --dry-run",
        "gm interview --at day-003 --without reflections --without plans",
        "gm interview AGENT --at day-001 --out answers.jsonl",
    )
)
@options.agents
@click.option("--all", "everyone", is_flag=True, help="Ask all characters, as without AGENT.")
@click.option(
    "--kind", "kinds", type=click.Choice(KINDS), multiple=True, help="Only ask questions of this kind; repeatable."
)
@click.option(
    "--questions",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Questions as YAML (questions: [{kind: memory, text: Who is Mira?}]); default: 25 and traps.",
)
@click.option(
    "--at",
    "moment",
    type=complete.DAY,
    metavar="MOMENT",
    help="Ask as after this day (3, day-003) or scene (day-003/scene-02); default: now.",
)
@click.option(
    "--without",
    type=click.Choice(WITHOUT),
    multiple=True,
    help="Withhold this from the characters; repeatable. memories leaves only the persona.",
)
@click.option("--once", is_flag=True, help="Keep first answers, without a second look.")
@click.option("--dry-run", is_flag=True, help="Ask no model: show what the questions and second looks would cost.")
@options.model
@click.option(
    "--out",
    "target",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Also write the answers to FILE, one JSON object per line.",
)
def interview(
    layout: Layout,
    agents: tuple[str, ...],
    everyone: bool,
    kinds: tuple[QuestionKind, ...],
    questions: Path | None,
    moment: str | None,
    without: tuple[Withheld, ...],
    once: bool,
    dry_run: bool,
    model: str | None,
    target: Path | None,
    as_json: bool,
) -> Output:
    """Ask characters the same questions out of scene.

    Without AGENT, all characters are asked. Each answer names the memories that it rests on, and quotes what has no id.
    Some questions are traps: the character cannot know the answer. Then each character looks at each of its answers
    again, which is one more question: what no named line says is struck out, or its line is named. First answers stay
    beside the final ones. No file of the world changes, nothing is remembered, and nothing is asked twice. The answers
    are kept in state/.gm/interviews.
    """
    from gm.api.experiments.interview.asking import InterviewOptions, forecast_interview, interview_characters
    from gm.api.history.past import parse_moment
    from gm.api.reports.models import choose_for
    from gm.cli.inspecting.cost import forecast_of_answers
    from gm.files.experiments.interviews import is_interview, render_answers
    from gm.files.formats import disk
    from gm.llm.base import REHEARSAL

    if everyone and agents:
        raise UsageError("name characters, or give --all")
    place = free_place(layout, str(target), None, is_interview) if target else None
    ordered = tuple(name for name in WITHOUT if name in without)
    wanted = InterviewOptions(agents, kinds, questions, parse_moment(moment) if moment else None, ordered, once)
    refuse_strangers(layout, agents)
    choice = choose_for(layout, model, say_note, asking=not dry_run)
    err(safe(f"model: {choice.shown} ({choice.why})"))
    if dry_run:
        return forecast_of_answers(forecast_interview(layout, choice, wanted))
    if choice.backend.name == REHEARSAL:
        err(f"{OF_REHEARSAL} Its answers show what an interview looks like, and nothing of a mind.")
    with telling_what_is_awaited(choice, as_json):
        found = interview_characters(layout, choice, wanted, say_note)
    if place is not None:
        with disk.explained(place):
            disk.replace(place, render_answers(found.answers).encode())
    for item in found.left_out:
        say_note(f"{item.agent} {item.key}: not asked, {item.why}")
    return Output(_show_answers, found)


def _show_answers(found: InterviewResult) -> None:
    agent = ""
    for answer in found.answers:
        if answer.agent != agent:
            agent = answer.agent
            lacking = f", without {' and '.join(answer.without)}" if answer.without else ""
            out(safe(f"{agent}, after {answer.at}{lacking}"))
        out(safe(f"\n{answer.key}  {answer.question}"))
        for line in answer.answer.splitlines() or ["(no answer)"]:
            out(safe(f"  {line}"))
        for key in answer.cited:
            out(safe(f"    {key}  {clip_line(found.memories[key], MOST)}"))
        if answer.bare_sources:
            out(f"    {', '.join(answer.bare_sources)}")
        for quote in answer.quotes:
            out(safe(f"    {quote.source}: {clip_line(quote.words, MOST)}"))
    traps = sum(answer.trap for answer in found.answers)
    err(f"{counted(len(found.answers), 'answer')}, {traps} of them to traps")
    if looks := [answer.was_changed for answer in found.answers if answer.first]:
        err(f"{counted(len(looks), 'second look')}, {counted(sum(looks), 'answer')} changed")
    for path in found.kept:
        err(safe(f"kept in {path}"))
