"""A question to a character outside of every scene, and its memory."""

from __future__ import annotations

from dataclasses import dataclass

from gm.base.casefold import shorten
from gm.model.calendar import SceneRef
from gm.model.node import Node
from gm.model.replies import SceneReply
from gm.model.world import Change, World
from gm.scene.ledger import Ledger, Words
from gm.scene.names import slug

KIND = "asked"
QUESTION_CHARACTERS, ANSWER_CHARACTERS = 300, 600


@dataclass(frozen=True, slots=True)
class Question:
    """A question to a character; ``where`` is the scene after which it is asked."""

    agent: str
    text: str
    author: str
    where: SceneRef


def fold_answer(world: World, question: Question, reply: SceneReply, words: Words) -> Change:
    """Return the change that adds a question and its answer as one conversation node."""
    said = [line.text for line in reply.dialogue]
    ledger = Ledger(world, str(question.where))
    ledger.add(
        question.agent,
        "conversation",
        words(
            "asked",
            author=question.author,
            question=shorten(question.text, QUESTION_CHARACTERS),
            answer=shorten(" ".join(said), ANSWER_CHARACTERS),
        ),
        reply.conversation.importance if reply.conversation else None,
        tags=(slug(question.author, "question"),),
        metadata={
            "kind": KIND,
            "from": question.author,
            "exchange": [
                {"agent": question.author, "text": question.text},
                *({"agent": question.agent, "text": text} for text in said),
            ],
        },
    )
    return Change(world.clock.day, nodes=ledger.added(), agents=ledger.accumulators())


def find_answer(world: World, question: Question) -> Node | None:
    """Return the memory of this question by the same author after the same scene."""
    asked = {"agent": question.author, "text": question.text}
    for node in reversed(world.agents[question.agent].stream):
        if node.when < question.where:
            return None
        exchange = node.metadata.get("exchange")
        if node.metadata.get("kind") == KIND and isinstance(exchange, list) and exchange[:1] == [asked]:
            return node
    return None
