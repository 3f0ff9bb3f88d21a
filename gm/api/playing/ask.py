"""Ask a character out of scene (``gm ask``)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace

from gm.api.answers.document import part
from gm.api.editing.board import chosen_author
from gm.api.playing.days import resolve_choice
from gm.api.playing.mind.minds import SceneMinds
from gm.base.arguments import check_fields
from gm.files.commits.writer import Writer, writing
from gm.files.layout import Layout
from gm.files.load import load_world
from gm.files.questions.mailbox import sweep_mailbox
from gm.files.save import plan_steps
from gm.llm.base import Backend
from gm.llm.choose import Choice
from gm.model.node import Node, node_record
from gm.model.solo_replies import AskReply
from gm.model.world import Sentences, known_agent
from gm.play.ask import ask, open_world_to_ask
from gm.play.care import last_ref
from gm.play.edits import require_text
from gm.scene.evening.asked import OffSceneQuestion, find_answer, fold_answer

COMMAND = "gm ask"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """A character's answer out of scene.

    Attributes:
        at: The last scene before it.
        answer: Spoken lines; ``thoughts`` are unspoken.
        made_with: Source of the answer; None = already known.
        beside: Ids of the memories in the question, those called to mind first.
    """

    agent: str
    author: str = part("from")
    question: str
    at: str
    answer: tuple[str, ...]
    action: str
    thoughts: str
    mood: str
    remembered: Node | None = part(by=node_record)
    made_with: str | None = part(omit=None)
    beside: tuple[str, ...] = part(omit=())


@dataclass(frozen=True, slots=True)
class CharacterQuestion:
    """A question to a character out of scene.

    Attributes:
        agent: An id or a name.
        author: Who asks; None = who wrote the newest brief, else ``world.outside``.
        remember: The character remembers question and answer; else no file of the world changes.
    """

    agent: str
    text: str
    author: str | None = None
    remember: bool = False

    def __post_init__(self) -> None:
        check_fields(self)


def ask_character(
    layout: Layout,
    choice: Choice | Backend | str | None,
    asked: CharacterQuestion,
    notice: Callable[[str], None] = lambda _text: None,
) -> Answered:
    """Ask a character a question out of scene (``gm ask``). The same question after the same scene is not asked twice.

    Args:
        choice: As for ``play_days``.
        notice: Called with notes on repairs.

    Raises:
        UsageError: No such character, or an empty question.
        WaitingError: The answer is awaited from outside.
        LockedError: ``remember``, and another process is writing.

    Examples:
        >>> answered = gm.ask_character(layout, "rehearsal", gm.CharacterQuestion("casey", "Who brings the chairs?"))
        >>> answered.agent, answered.made_with, len(answered.answer) > 0
        ('casey', 'rehearsal', True)
    """
    choice, text = resolve_choice(layout, choice, notice), require_text(asked.text)
    with (
        writing(layout, COMMAND, notice) if asked.remember else nullcontext() as writer,
        open_world_to_ask(layout, choice, (asked.agent,), notice, SceneMinds) as (world, stage, interviewer),
    ):
        agent = known_agent(world.agents, asked.agent)
        question = OffSceneQuestion(agent, text, chosen_author(world, asked.author), last_ref(world))
        known = find_answer(world, question) if asked.remember else None
        if known is not None:
            return _make_answer(question, [text for _, text in known.said[1:]], known)
        reply, made_with, beside = ask(layout, stage, interviewer, world, question)
        node = _remember(layout, stage.assembler.prompts.words, writer, question, reply, notice) if writer else None
    if layout.mailbox.is_dir():
        sweep_mailbox(layout)
    return replace(_make_answer(question, reply.said, node, reply), made_with=made_with, beside=beside)


def _remember(
    layout: Layout,
    words: Sentences,
    writer: Writer,
    question: OffSceneQuestion,
    reply: AskReply,
    notice: Callable[[str], None],
) -> Node:
    world = load_world(layout).world  # it may have been edited while the question was being answered
    known_agent(world.agents, question.agent)
    change = fold_answer(world, question, reply, words)
    for item in writer.commit(plan_steps(layout, world, change)):
        notice(str(item))
    return change.nodes[question.agent][0]


def _make_answer(
    question: OffSceneQuestion, said: Sequence[str], node: Node | None, reply: AskReply | None = None
) -> Answered:
    return Answered(
        agent=question.agent,
        author=question.author,
        question=question.text,
        at=str(question.where),
        answer=tuple(said),
        action="",
        thoughts=reply.thoughts if reply else "",
        mood=reply.mood if reply else "",
        remembered=node,
    )
