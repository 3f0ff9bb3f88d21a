"""Ask a character a question outside of scenes.

Question and answer are kept in ``state/.gm/asks``: a repeated question costs nothing.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial

from gm.ask.prompt.context import Assembler
from gm.ask.prompt.minds import is_discovering
from gm.ask.prompt.render import quote_lines
from gm.base.config import RagSettings
from gm.base.errors import Problem, refuse_errors
from gm.base.texts import counted
from gm.files.formats.disk import make_private
from gm.files.layout import Layout
from gm.files.media.library import read_library
from gm.files.questions.traces import BatchFolder, TraceFolder
from gm.llm.choose import Choice
from gm.llm.content import text_of
from gm.llm.prices import FREE_BACKENDS
from gm.llm.rehearsal.facts import Cue
from gm.llm.waiting import make_asker
from gm.memory.recall.scored import NO_VECTORS
from gm.model.calendar import is_time_of_day
from gm.model.node import Node
from gm.model.passage import Passage
from gm.model.scene import ASKED, Scene, SceneType
from gm.model.solo_replies import AskReply, InterviewReply
from gm.model.world import Sentences, World
from gm.play.interview import Interviewer, Replied
from gm.play.memory_search import open_search
from gm.play.prompts import read_world_prompts
from gm.play.question import MindsOf, SentQuestion, models_of
from gm.play.spending import make_budget
from gm.play.stage import QuestionOptions, Stage, open_stage
from gm.play.vector_search import VectorSearch
from gm.scene.evening.asked import OffSceneQuestion, people_asked_about, places_asked_about

ASK = SceneType(
    ASKED,
    "ask.j2",
    play="solo",
    cast=(1, 1),
    rag=RagSettings(limit=14, query_template="{{ scene.topic }}", purpose="past", budget_tokens=2000),
)
INTERVIEW = replace(ASK, template="interview.j2")
"""The same, and the reply says on which memories it rests."""
MOST_PASSAGES = 2
LABEL_DIGITS = 8
"""Digits of the digest in the label of a question."""
_ID = re.compile(r"[^\s`\[\](),]+-[0-9]{3,18}")


@dataclass(frozen=True, slots=True)
class Heard:
    """The answer to a question of an interview.

    Attributes:
        beside: Ids of all memories in the question, those called to mind first.
        prompt: What it was told before the question, and what it looked up.
        question: What was asked, after its lookups.
        text: The reply as it came.
    """

    reply: InterviewReply
    made_with: str
    beside: tuple[str, ...]
    prompt: str
    question: SentQuestion
    text: str


def ask(
    layout: Layout, stage: Stage, interviewer: Interviewer, world: World, question: OffSceneQuestion
) -> tuple[AskReply, str, tuple[str, ...]]:
    """Return the reply, what made it, and the ids of the question's memories, those called to mind first.

    Raises:
        GmError: As ``Interviewer.ask``.
    """
    asked = _make_question(layout, stage, world, question, ASK, QuestionOptions(_label(question), form=AskReply))
    (replied,) = interviewer.ask([asked])
    assert isinstance(replied.reply, AskReply)
    called = [identifier for item in replied.consulted for identifier in item.recalled]
    shown = asked.request.facts.memories if isinstance(asked.request.facts, Cue) else ()
    return replied.reply, replied.made_with, tuple(dict.fromkeys((*called, *(node.id for node in shown))))


def interview(
    layout: Layout,
    stage: Stage,
    interviewer: Interviewer,
    world: World,
    questions: Sequence[tuple[OffSceneQuestion, str]],
    lacking: str,
) -> list[Heard]:
    """Ask all questions at once; return the answers in their order.

    Args:
        questions: Each with its kind for stand-ins.
        lacking: What the characters lack; letters of different conditions lie side by side.

    Raises:
        GmError: As ``Interviewer.ask``.
    """
    asked = [
        _make_question(
            layout,
            stage,
            world,
            question,
            INTERVIEW,
            QuestionOptions(
                _label(question, f"\n{INTERVIEW.template}\n{lacking}"), form=InterviewReply, facts={"kind": kind}
            ),
        )
        for question, kind in questions
    ]
    heard = []
    for sent, replied in zip(asked, interviewer.ask(asked), strict=True):
        assert isinstance(replied.reply, InterviewReply)
        beside, prompt = _list_memories_in_prompt(world, sent, replied), _join_prompt(sent, replied)
        heard.append(Heard(replied.reply, replied.made_with, beside, prompt, replied.question or sent, replied.text))
    return heard


def _join_prompt(asked: SentQuestion, replied: Replied) -> str:
    """Return what the prompt says before its question: memories, layers, the place, and no instructions after.

    Where a prompt of the world's own does not quote the question, only the system prompt and look-ups count.
    """
    request = asked.request
    sent = "\n".join(text_of(content) for _, content in request.messages)
    before, _, _ = sent.rpartition(f"\n> {quote_lines(asked.scene.topic.strip())}")
    return "\n".join((*(block.text for block in request.system), before, *(item.text for item in replied.consulted)))


def _list_memories_in_prompt(world: World, asked: SentQuestion, replied: Replied) -> tuple[str, ...]:
    cue = asked.request.facts
    assert isinstance(cue, Cue)
    context = cue.context
    nodes = [
        *context.in_mind,
        *context.recalled,
        *context.taken_over,
        *(node for part in context.gathered for node in part.nodes),
        *(exchange.node for exchange in context.spoken),
        *cue.memories,
        *(() if is_discovering(world, cue.agent) else cue.agent.summaries),
    ]
    called = [identifier for item in replied.consulted for identifier in item.recalled]
    request = asked.request
    prompt = [*(block.text for block in request.system), *(text_of(content) for _, content in request.messages)]
    named = {*_ID.findall("\n".join(prompt))}
    return tuple(dict.fromkeys((*called, *(node.id for node in nodes if node.id in named))))


def _make_question(
    layout: Layout, stage: Stage, world: World, question: OffSceneQuestion, kind: SceneType, wanted: QuestionOptions
) -> SentQuestion:
    make_private(layout.derived)
    name, scene = question.agent, _scene(layout, world, question, stage.assembler.prompts.words, kind)

    def make() -> SentQuestion:
        return stage.question(
            world, scene, name, stage.contexts.asked(world, scene, name, stage.talks(world, scene, name)), wanted
        )

    asked = stage.at_once(make)
    return replace(asked, traces=TraceFolder(layout.asks, str(question.where)))


def _scene(layout: Layout, world: World, question: OffSceneQuestion, words: Sentences, kind: SceneType) -> Scene:
    time = world.clock.time_of_day
    return Scene(
        ref=question.where,
        type=kind,
        time_of_day=time if is_time_of_day(time) else "evening",
        place=world.agents[question.agent].state.position,
        cast=(question.agent,),
        why="",
        premise=words("premise_ask", author=question.author),
        topic=question.text,
        director="asked",
        passages=_read_before(layout, world, question),
        about=people_asked_about(world, question),
    )


def _read_before(layout: Layout, world: World, question: OffSceneQuestion) -> tuple[Passage, ...]:
    places = places_asked_about(world, world.agents[question.agent], question.text)
    library = read_library(layout)[0] if places else ()
    found = (passage for place in places for passage in library if place.holds(passage))
    return tuple(dict.fromkeys(found))[:MOST_PASSAGES]


def _label(question: OffSceneQuestion, further: str = "") -> str:
    text = f"{question.author}\n{question.text}{further}"
    return f"{question.agent}-ask-{hashlib.sha256(text.encode()).hexdigest()[:LABEL_DIGITS]}"


@contextmanager
def open_world_to_ask(
    layout: Layout,
    choice: Choice,
    names: Sequence[str],
    notice: Callable[[str], None],
    minds: MindsOf | None = None,
    keeps: Callable[[Node], bool] = lambda _node: True,
) -> Iterator[tuple[World, Stage, Interviewer]]:
    """Open a world to ask characters, without lock and without opening a day.

    Args:
        names: Whom; none = all.
        keeps: Whether a memory may come to mind.

    Raises:
        BrokenWorldError: Files that are needed cannot be read.
    """
    world, prompts = read_world_prompts(layout, _refuse_broken, partial(_select_concerning, layout, names))
    settings, assembler = world.settings, Assembler(prompts)
    vectors = VectorSearch(layout, settings.index)
    tell = notice if settings.index.enabled else partial(_tell, notice)
    search = open_search(layout, assembler, tell, vectors, keeps)
    asker = make_asker(
        choice.backend,
        settings.llm.concurrency,
        BatchFolder(layout),
        notice,
        make_budget(layout, world, choice),
        person_backend=choice.person_backend,
    )
    offered = minds and minds(layout, notice, vectors)
    stage = open_stage(search, layout.asks, models_of(choice), settings.seed, offered, notice)
    try:
        yield world, stage, Interviewer(asker, assembler, notice)
    finally:
        asker.close()
        if not (choice.backend.reads_facts or choice.backend.name in FREE_BACKENDS):
            for model, took in asker.took.items():
                rate = took.tokens / max(took.seconds, 0.001)
                answers = counted(took.answers, "answer")
                notice(f"{model}: {answers} in {took.seconds:,.1f} s, {rate:,.1f} tokens a second")
        search.close()


def _tell(notice: Callable[[str], None], text: str) -> None:
    if text != NO_VECTORS:
        notice(text)


def _select_concerning(
    layout: Layout, names: Sequence[str], world: World, problems: Sequence[Problem]
) -> list[Problem]:
    asked = {world.find_agent(name) for name in names or world.agents}
    others = [agent for agent in world.agents if agent not in asked]
    theirs = {
        layout.shown(path(agent)) for agent in others for path in (layout.stream, layout.archived, layout.summarised)
    }
    return [problem for problem in problems if problem.path not in theirs]


def _refuse_broken(problems: Sequence[Problem]) -> None:
    refuse_errors(problems, "files that are needed cannot be read", "correct this by hand; no question was asked")
