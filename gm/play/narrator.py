"""Ask the narrator for what a world keeps of a day that is over: a retelling, a chapter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from operator import attrgetter

from gm.ask.prompt.retelling import render_narrator, render_retelling, told_scenes, told_texts
from gm.ask.reply.parse import parse_reply
from gm.ask.reply.schema import schema_of
from gm.base.config import Settings
from gm.base.errors import BudgetError
from gm.base.texts import quoted, split_paragraphs
from gm.base.tokens import tokens_of
from gm.llm.base import Block, NotRecordedError
from gm.llm.rehearsal.facts import NarratorFacts
from gm.memory.recall.words import split_sentences
from gm.model.calendar import SceneRef, render_day
from gm.model.ids import place_name
from gm.model.master_replies import ChapterReply, RetellingReply
from gm.model.scene import ARRIVAL, Scene, SceneType
from gm.model.world import World
from gm.play.interview import Interviewer, Replied
from gm.play.question import ExpectedReply, Prompt, QuestionName, SentQuestion
from gm.play.stage import Stage
from gm.play.windows import measure_window
from gm.scene.evening.quoted import find_misquoted

PURPOSE = "narrator"
CLOSING = SceneType("RETELLING", "retelling.j2", play="solo", cast=(1, 1))
"""No scene of the day: without number, logbook line and cast."""
LEAST_CHARACTERS = 2_000
"""Characters of a day that a question holds in a small window, at least."""


@dataclass(frozen=True, slots=True)
class Telling:
    """One way to tell a day.

    Attributes:
        key: Where it is kept in the last line of the day's logbook.
        label: Names the question, in traces and letters too.
        system: Template of what stays the same from day to day.
        form: The reply.
        most_characters: Characters of a day that the question holds.
        asked_words: Words that its template asks for, at most.
        most_words: Words that are kept of a longer text, in whole parts.
        split: Splits a text into its parts; ``between`` joins them.
    """

    key: str
    label: str
    system: str
    form: type[RetellingReply | ChapterReply]
    is_on: Callable[[Settings], bool]
    most_characters: int
    asked_words: int
    most_words: int
    split: Callable[[str], list[str]]
    between: str

    def keep(self, text: str) -> str:
        """Return the first parts of a text within the limit; empty where one is longer."""
        kept: list[str] = []
        left = self.most_words
        for part in self.split(text):
            left -= len(part.split())
            if left < 0:
                break
            kept.append(part)
        return self.between.join(kept)


def _split_sentences(text: str) -> list[str]:
    return split_sentences(" ".join(text.split()))


RETELLING = Telling(
    "retold", PURPOSE, "narrator.j2", RetellingReply, attrgetter("narrator"), 40_000, 120, 160, _split_sentences, " "
)
CHAPTER = Telling(
    "chapter",
    "chapter",
    "chapter.j2",
    ChapterReply,
    attrgetter("chapters"),
    200_000,
    2_000,
    4_000,
    split_paragraphs,
    "\n\n",
)
TELLINGS = (RETELLING, CHAPTER)


def tell_day(stage: Stage, interviewer: Interviewer, world: World, notice: Callable[[str], None]) -> dict[str, str]:
    """Return what the narrator makes of a closed day, by the keys of the logbook.

    What no usable answer was given for, or what could not be paid for, is left out with a notice.

    Args:
        world: As it is once the day is closed.

    Raises:
        BackendError: The model could not be asked.
        WaitingError: The answer is awaited from outside.
    """
    texts = {}
    for telling in TELLINGS:
        if telling.is_on(world.settings) and (text := _tell(telling, stage, interviewer, world, notice)):
            texts[telling.key] = text
    return texts


def _tell(telling: Telling, stage: Stage, interviewer: Interviewer, world: World, notice: Callable[[str], None]) -> str:
    try:
        (replied,) = interviewer.attempt([_question(telling, stage, world)])
    except (BudgetError, NotRecordedError) as error:
        text, why = "", error.message
    else:
        if isinstance(replied, Replied):
            assert isinstance(replied.reply, RetellingReply | ChapterReply)
            reply = replied.reply
            text = telling.keep(reply.text if isinstance(reply, RetellingReply) else reply.body)
            why = f"it begins with more than {telling.most_words} words in one piece"
        else:
            text, why = "", "; ".join(replied.problems)
    place = f"{render_day(world.clock.day)} {telling.label}"
    if not text:
        notice(f"{place}: the day is not retold ({why})")
    elif (words := len(text.split())) > telling.asked_words:
        notice(f"{place}: {words} words, {telling.asked_words} were asked for at most")
    if text and telling is CHAPTER:
        for part in find_misquoted(text, told_texts(world, stage.read_piece)):
            notice(f"{place}: not said like this on that day: {quoted(part)}")
    return text


def _question(telling: Telling, stage: Stage, world: World) -> SentQuestion:
    scene = Scene(SceneRef(world.clock.day), CLOSING, "evening", "", (), why="", premise="")
    system, text = _render(telling, stage, world)
    settings = world.settings
    talks = [one for one in told_scenes(world) if one.type != ARRIVAL and len(one.participants) > 1]
    met = tuple(
        (tuple(map(world.call_name, entry.participants)), place_name(entry.place, settings.place_names))
        for entry in talks
    )
    said = tuple(tuple((world.call_name(who), line) for who, line in entry.spoken()) for entry in talks)
    facts = NarratorFacts(PURPOSE, settings.language, str(scene.ref), met, said if telling is CHAPTER else None)
    return stage.make_question(
        world,
        scene,
        None,
        QuestionName(telling.label, PURPOSE, PURPOSE),
        Prompt((Block(system, cache=True),), text, facts),
        ExpectedReply(
            schema_of(telling.form, stage.texts),
            partial(parse_reply, form=telling.form, limits=settings.reply),
            is_long=telling is CHAPTER,
        ),
    )


def _render(telling: Telling, stage: Stage, world: World) -> tuple[str, str]:
    prompts, model = stage.assembler.prompts, stage.asked.model(PURPOSE, None)
    window, settings = stage.asked.window(model), world.settings
    room = measure_window(settings, model, window).prompt
    usual, long = (settings.llm.answer_tokens(window, is_long=is_long) for is_long in (False, telling is CHAPTER))
    system, most = render_narrator(prompts, world, telling.system), telling.most_characters
    read_piece = stage.read_piece if telling is CHAPTER else None
    while True:
        text = render_retelling(prompts, world, most, read_piece)
        if room is None or most <= LEAST_CHARACTERS or tokens_of(len(system) + len(text)) <= room - (long - usual):
            return system, text
        most //= 2
