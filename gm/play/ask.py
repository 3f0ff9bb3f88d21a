"""Ask a character a question outside of scenes.

The prompt begins like that of a scene, for a provider's cache. Question and answer are kept in ``state/.gm/asks``, so
that a repeated question costs nothing; no file of the world changes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial

from gm.ask.prompt.context import Assembler
from gm.ask.prompt.turn_context import Moment
from gm.base.errors import Problem, refuse_errors
from gm.files.batches import BatchFolder
from gm.files.forms.disk import make_private
from gm.files.gallery import read_artifact
from gm.files.layout import Layout
from gm.files.load import load_settings, load_world
from gm.files.logbook import read_days
from gm.files.traces import TraceFolder
from gm.llm.choose import Choice
from gm.llm.waiting import make_asker
from gm.model.calendar import is_time_of_day
from gm.model.character import find_agent
from gm.model.scene import Scene, SceneType
from gm.model.world import World
from gm.play.interview import Interviewer, Replied
from gm.play.prompts import open_prompts
from gm.play.question import MindsOf, model_of, tells_schema
from gm.play.spending import make_budget
from gm.play.stage import Stage, Wanted
from gm.scene.ledger import Words
from gm.scene.off_scene import Question

ASK = SceneType("ASK", "ask.j2", play="solo", cast=(1, 1))
LABEL_DIGITS = 8


@dataclass(frozen=True, slots=True)
class Booth:
    """A world as read, and what is needed to ask one of its characters."""

    world: World
    stage: Stage
    interviewer: Interviewer
    words: Words


def ask(
    layout: Layout, stage: Stage, interviewer: Interviewer, words: Words, world: World, question: Question
) -> Replied:
    """Ask one character and return its ``SceneReply``; raises as ``Interviewer.ask``."""
    make_private(layout.derived)
    scene = _scene(world, question, words)
    asked = stage.question(world, scene, question.agent, Moment(), Wanted(_label(question)))
    traces = TraceFolder(layout.asks, str(question.where))
    (replied,) = interviewer.ask([replace(asked, traces=traces)])
    return replied


def _scene(world: World, question: Question, words: Words) -> Scene:
    time = world.clock.time_of_day
    return Scene(
        ref=question.where,
        type=ASK,
        time_of_day=time if is_time_of_day(time) else "evening",
        place=world.agents[question.agent].state.position,
        cast=(question.agent,),
        why="",
        premise=words("premise_ask", author=question.author),
        topic=question.text,
        director="asked",
    )


def _label(question: Question) -> str:
    """Labels differ by question, so that several to one character can be pending."""
    text = f"{question.author}\n{question.text}"
    return f"{question.agent}-ask-{hashlib.sha256(text.encode()).hexdigest()[:LABEL_DIGITS]}"


@contextmanager
def booth(
    layout: Layout, choice: Choice, name: str, notice: Callable[[str], None], minds: MindsOf | None = None
) -> Iterator[Booth]:
    """Open a world to ask one of its characters, without lock and without opening a day.

    Args:
        name: Name or id of the character. Memories of the others may be unreadable.
        notice: Called with each repair.

    Raises:
        BrokenWorldError: Files that are needed cannot be read.
    """
    settings, problems = load_settings(layout)
    _refuse_broken(problems)
    prompts = open_prompts(layout, settings.language)
    loaded = load_world(layout, prompts.scene_types())
    _refuse_broken(_concerning(layout, loaded.world, name, loaded.problems))
    world, assembler = loaded.world, Assembler(prompts)
    budget = make_budget(layout, world, choice)
    asker = make_asker(choice.backend, settings.llm.concurrency, BatchFolder(layout), notice, budget)
    stage = Stage(
        assembler,
        lambda scene: TraceFolder(layout.asks, str(scene.ref)),
        settings.seed,
        partial(model_of, choice),
        tells_schema(choice.backend),
        partial(read_artifact, layout),
        minds=minds and minds(layout, notice, None),
        notice=notice,
        logbook=partial(read_days, layout),
    )
    try:
        yield Booth(world, stage, Interviewer(asker, assembler, notice), prompts.words)
    finally:
        asker.close()


def _concerning(layout: Layout, world: World, name: str, problems: Sequence[Problem]) -> list[Problem]:
    others = [agent for agent in world.agents if agent != find_agent(world.agents, name)]
    theirs = {
        layout.shown(path(agent)) for agent in others for path in (layout.stream, layout.archived, layout.summarised)
    }
    return [problem for problem in problems if problem.path not in theirs]


def _refuse_broken(problems: Sequence[Problem]) -> None:
    refuse_errors(problems, "files that are needed cannot be read", "correct by hand; nobody was asked")
