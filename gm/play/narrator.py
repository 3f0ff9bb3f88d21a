"""Ask the narrator to retell a day once it is over."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from gm.ask.prompt.retelling import render_narrator, render_retelling, told_scenes
from gm.ask.reply.parse import parse_reply
from gm.ask.reply.schema import schema_of
from gm.base.errors import BudgetError
from gm.base.tokens import tokens_of
from gm.llm.base import Block, NotRecordedError
from gm.llm.facts import NarratorFacts
from gm.memory.recall.words import split_sentences
from gm.model.calendar import SceneRef, render_day
from gm.model.ids import place_name
from gm.model.master_replies import RetellingReply
from gm.model.scene import ARRIVAL, Scene, SceneType
from gm.model.world import World
from gm.play.interview import Interviewer, Replied
from gm.play.question import ExpectedReply, Prompt, QuestionName, SentQuestion
from gm.play.stage import Stage
from gm.play.windows import measure_window

PURPOSE = "narrator"
RETELLING = SceneType("RETELLING", "retelling.j2", play="solo", cast=(1, 1))
"""No scene of the day: without number, logbook line and cast."""
MOST_WORDS = 160
"""Words that are kept of a longer text, in whole sentences."""
MOST_CHARACTERS, LEAST_CHARACTERS = 40_000, 2_000
"""Characters of a day that the question holds, and in a small window at least."""


def retell(stage: Stage, interviewer: Interviewer, world: World, notice: Callable[[str], None]) -> str:
    """Return a closed day in a few sentences; empty, with a notice, where no answer can be used or paid for.

    Args:
        world: As it is once the day is closed.

    Raises:
        BackendError: The model could not be asked.
        WaitingError: The answer is awaited from outside.
    """
    try:
        (replied,) = interviewer.attempt([_question(stage, world)])
    except (BudgetError, NotRecordedError) as error:
        text, why = "", error.message
    else:
        text = _keep_sentences(replied.reply) if isinstance(replied, Replied) else ""
        why = (
            f"its first sentence has over {MOST_WORDS} words"
            if isinstance(replied, Replied)
            else "; ".join(replied.problems)
        )
    if not text:
        notice(f"{render_day(world.clock.day)} {PURPOSE}: the day is not retold ({why})")
    return text


def _keep_sentences(reply: object) -> str:
    assert isinstance(reply, RetellingReply)
    kept: list[str] = []
    left = MOST_WORDS
    for sentence in split_sentences(" ".join(reply.text.split())):
        left -= len(sentence.split())
        if left < 0:
            break
        kept.append(sentence)
    return " ".join(kept)


def _question(stage: Stage, world: World) -> SentQuestion:
    scene = Scene(SceneRef(world.clock.day), RETELLING, "evening", "", (), why="", premise="")
    system, text = _render(stage, world)
    settings = world.settings
    met = tuple(
        (tuple(map(world.call_name, entry.participants)), place_name(entry.place, settings.place_names))
        for entry in told_scenes(world)
        if entry.type != ARRIVAL and len(entry.participants) > 1
    )
    return stage.put(
        world,
        scene,
        None,
        QuestionName(PURPOSE, PURPOSE, PURPOSE),
        Prompt((Block(system, cache=True),), text, NarratorFacts(PURPOSE, settings.language, str(scene.ref), met)),
        ExpectedReply(schema_of(RetellingReply), partial(parse_reply, form=RetellingReply, limits=settings.reply)),
    )


def _render(stage: Stage, world: World) -> tuple[str, str]:
    prompts, model = stage.assembler.prompts, stage.model_for(PURPOSE, None)
    window = measure_window(world.settings, model, stage.window(model)).prompt
    system, most = render_narrator(prompts, world), MOST_CHARACTERS
    while True:
        text = render_retelling(prompts, world, most)
        if window is None or most <= LEAST_CHARACTERS or tokens_of(len(system) + len(text)) <= window:
            return system, text
        most //= 2
