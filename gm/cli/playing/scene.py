"""``gm scene`` and ``gm reflect`` play one scene; ``gm ask`` asks out of scene."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import click

from gm.cli import commands, complete, options
from gm.cli.terminal import err, out, paint, safe, say_note
from gm.files.layout import Layout

if TYPE_CHECKING:
    from gm.api.playing.ask import Answered
    from gm.scene.directing.choosing import SceneRequest


@commands.world_command(
    epilog=commands.examples('gm scene encounter --with A,B --topic "the tower"', "gm scene work --with A --tags tower")
)
@click.argument("kind", type=complete.SCENE_TYPE, metavar="TYPE")
@options.names(
    "--with", "cast", of=complete.AGENTS, help="Participants; the first one starts. Default: all characters."
)
@options.topic
@options.place
@options.names("--tags", help="Show memories with one of these tags in place of recent ones.")
@options.people
@options.model_and_seed
def scene(
    layout: Layout,
    kind: str,
    cast: tuple[str, ...],
    topic: str,
    place: str,
    tags: tuple[str, ...],
    people: tuple[str, ...],
    model: str | None,
    seed: int | None,
    as_json: bool,
) -> commands.Output:
    """Play one scene now.

    TYPE is encounter, work, meeting, event or another type of scene in prompts/scenes/. The scene is added to the open
    day. If no day is open, the next one is opened and stays open. With --as, you answer for a character, as in gm
    advance-day.
    """
    from gm.scene.directing.choosing import SceneRequest

    request = SceneRequest(kind, cast, topic, place, tags)
    return play_now(layout, "gm scene", request, model, seed, as_json, people)


@commands.world_command()
@options.agent
@options.model_and_seed
def reflect(layout: Layout, agent: str, model: str | None, seed: int | None, as_json: bool) -> commands.Output:
    """Let a character reflect now, even if no reflection is due.

    The scene is added to the open day. If no day is open, the next one is opened and stays open.
    """
    from gm.scene.directing.choosing import SceneRequest

    request = SceneRequest("reflection", (agent,))
    return play_now(layout, "gm reflect", request, model, seed, as_json)


@commands.world_command(
    epilog=commands.examples(
        'gm ask AGENT "What would you throw away?" --thoughts', 'gm ask AGENT "Why?" --model claude-sonnet-5 --dry-run'
    )
)
@options.agent
@click.argument("text", nargs=-1, required=True)
@options.author
@click.option("--remember", is_flag=True, help="Let AGENT remember the question and its answer.")
@click.option("--thoughts", is_flag=True, help="Also show AGENT's thoughts.")
@click.option("--dry-run", is_flag=True, help="Ask no model: show what the question would cost.")
@options.model
def ask(
    layout: Layout,
    agent: str,
    text: tuple[str, ...],
    author: str | None,
    remember: bool,
    thoughts: bool,
    dry_run: bool,
    model: str | None,
    as_json: bool,
) -> commands.Output:
    """Ask a character a question out of scene.

    It answers in character, from all that the question calls to mind. No day is opened, and without --remember no file
    of the world changes. The same question after the same scene is not asked twice. TEXT - is read from standard input.
    """
    from gm.api.playing.ask import CharacterQuestion, ask_character
    from gm.api.reports.models import choose_for

    commands.refuse_strangers(layout, (agent,))
    choice = choose_for(layout, model, say_note, asking=not dry_run)
    err(safe(f"model: {choice.shown} ({choice.why})"))
    asked = CharacterQuestion(agent, commands.join_words(text), author, remember)
    if dry_run:
        from gm.api.playing.forecast.make import forecast_answer
        from gm.cli.inspecting.cost import forecast_of_answers

        return forecast_of_answers(forecast_answer(layout, choice, asked))
    with commands.telling_what_is_awaited(choice, as_json):
        answered = ask_character(layout, choice, asked, say_note)
    return commands.Output(partial(_show_answer, layout), answered if thoughts else replace(answered, thoughts=""))


def _show_answer(layout: Layout, answered: Answered) -> None:
    from gm.files.story.now import load_cast

    name = safe(load_cast(layout)[0][answered.agent].call_name)
    for line in answered.answer:
        out(f"{paint(name, bold=True)}  {safe(line)}")
    if not answered.answer:
        err(f"{name} gives no answer.")
    if answered.thoughts:
        out(f"({name} thinks: {safe(answered.thoughts)})")
    node = answered.remembered
    if node:
        err(safe(f"+ {node.id} {node.type} ({node.importance})"))


def play_now(
    layout: Layout,
    command: str,
    request: SceneRequest,
    model: str | None,
    seed: int | None,
    as_json: bool,
    people: Sequence[str] = (),
) -> commands.Output:
    """Play a scene at once, in the open day or in a newly opened one, and show it; the user plays ``people``."""
    from gm.api.playing.days import play_in_person, play_scene
    from gm.api.playing.mailbox import unused_answers
    from gm.api.reports.models import choose_for
    from gm.cli.playing.byhand import OwnView, answer_here
    from gm.cli.playing.show import DayView

    commands.refuse_strangers(layout, request.cast)
    names = commands.played_by_hand(layout, people, cast=request.cast)
    view = OwnView(names) if names and not as_json else DayView(quiet=as_json)
    choice = choose_for(layout, model, view.notice, view.writing, people=names)
    view.chosen(choice)
    for text in unused_answers(layout, choice):
        view.notice(text)
    play = partial(play_scene, layout, choice, request, view, command=command, seed=seed)
    here = bool(names) and not as_json and sys.stdin.isatty()
    with view, commands.telling_what_is_awaited(choice, as_json):
        entry = play_in_person(play, partial(answer_here, layout, view.close)) if here else play()
    return commands.Output(commands.untold, entry.record)
