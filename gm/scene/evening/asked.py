"""A question out of scene: what it is about (conversations, people, what was read), and the memory of it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from gm.base.texts import shorten_at_sentence
from gm.memory.recall.dates import NamedDays
from gm.model.calendar import SceneRef
from gm.model.node import ASKED, Node
from gm.model.passage import Passage
from gm.model.solo_replies import AskReply
from gm.model.world import Agent, Change, Sentences, World
from gm.scene.grounding.mentions import content_words, mentioned_in, topic_words
from gm.scene.ledger import Ledger, NewNode
from gm.scene.pieces.at_hand import NAMING_WORDS
from gm.scene.pieces.names import slug

QUESTION_CHARACTERS, ANSWER_CHARACTERS = 300, 600
"""Characters of a question and of its answer in the memory of it."""
MOST_TALKS = 3
MOST_LINES, LINE_CHARACTERS = 12, 600
LEAST_WEIGHT = 0.5
"""Least weight of a conversation, as a share of the best one's; below, it merely shares a word with the question."""
_GENITIVE = re.compile(r"(?<=\w)['’]?s\b")


@dataclass(frozen=True, slots=True)
class OffSceneQuestion:
    """A question to a character; ``where`` is the scene before it."""

    agent: str
    text: str
    author: str
    where: SceneRef


def fold_answer(world: World, question: OffSceneQuestion, reply: AskReply, words: Sentences) -> Change:
    """Return the change that adds question and answer as one node."""
    said = reply.said
    ledger = Ledger(world, str(question.where))
    ledger.add(
        question.agent,
        NewNode(
            words(
                "asked",
                author=question.author,
                question=shorten_at_sentence(question.text, QUESTION_CHARACTERS),
                answer=shorten_at_sentence(" ".join(said), ANSWER_CHARACTERS),
            ),
            reply.conversation.importance if reply.conversation else None,
            "conversation",
            tags=(slug(question.author, "question"),),
            metadata={
                "kind": ASKED,
                "from": question.author,
                "exchange": [
                    {"agent": question.author, "text": question.text},
                    *({"agent": question.agent, "text": text} for text in said),
                ],
            },
        ),
    )
    return Change(world.clock.day, nodes=ledger.added(), agents=ledger.accumulators())


def find_answer(world: World, question: OffSceneQuestion) -> Node | None:
    """Return the memory of this question, by the same author after the same scene."""
    asked = (question.author, question.text)
    for node in reversed(world.agents[question.agent].stream):
        if node.when < question.where:
            return None
        if node.kind == ASKED and node.said[:1] == (asked,):
            return node
    return None


@dataclass(frozen=True, slots=True)
class RecalledTalk:
    """A conversation's lines, own ones included.

    Attributes:
        lines: Speaker and text.
        is_cut: Whether more was said.
    """

    node: Node
    lines: tuple[tuple[str, str], ...]
    is_cut: bool = False


def spoken_in(node: Node) -> tuple[tuple[str, str], ...]:
    """Return a conversation's lines: speaker and text.

    Empty for a question out of scene: its description quotes it.
    """
    return () if node.kind == ASKED else node.said


def choose_talks(
    nodes: Iterable[Node],
    scores: Mapping[str, float],
    people: Collection[str],
    most: int,
    days: Collection[NamedDays] = (),
) -> tuple[Node, ...]:
    """Return at most ``most`` conversations, best first, none much worse than the best.

    Args:
        scores: How well the words fit, from 0 to 1, by id; a missing one is 0.
        people: Ids that the question names; the fewer others there were, the more they count.
        days: Story days that the question names; a conversation of one counts as much as the best words.
    """
    weighed = []
    for node in nodes:
        others = {speaker for speaker, _ in spoken_in(node)} - {node.agent}
        weight = scores.get(node.id, 0.0) + sum(1 / len(others) for name in people if name in others)
        weight += any(day.first <= node.when.day <= day.last for day in days)
        if weight:
            weighed.append((weight, node))
    weighed.sort(key=lambda item: -item[0])
    return tuple(node for weight, node in weighed[:most] if weight >= LEAST_WEIGHT * weighed[0][0])


def exchange_about(node: Node, question: str) -> RecalledTalk:
    """Return the last ``MOST_LINES`` lines that share most words with a question."""
    lines, words = spoken_in(node), content_words(question)
    shared = [len(words & content_words(text)) for _, text in lines]
    starts = range(max(1, len(lines) - MOST_LINES + 1))
    start = max(reversed(starts), key=lambda place: sum(shared[place : place + MOST_LINES]))
    kept = lines[start : start + MOST_LINES]
    return RecalledTalk(
        node,
        tuple((agent, shorten_at_sentence(text, LINE_CHARACTERS)) for agent, text in kept),
        is_cut=len(kept) < len(lines),
    )


def people_asked_about(world: World, question: OffSceneQuestion) -> tuple[str, ...]:
    """Return the ids of those who ask or are named."""
    text = f"{question.author}\n{question.text}"
    return mentioned_in(world, f"{text}\n{_GENITIVE.sub('', text)}")


@dataclass(frozen=True, slots=True)
class ReadPlace:
    """Lines of a library text, from 1, ``last`` inclusive."""

    source: str
    first: int
    last: int

    def holds(self, passage: Passage) -> bool:
        return passage.source == self.source and passage.first <= self.last and self.first <= passage.last


def places_asked_about(world: World, agent: Agent, question: str) -> tuple[ReadPlace, ...]:
    """Return where a character has read at least two content words of a question, newest first."""
    words = topic_words(world, question)
    found = []
    for node in reversed(agent.stream):
        place = _place_of(node)
        if place and len(words & content_words(f"{node.description} {' '.join(node.tags)}")) >= NAMING_WORDS:
            found.append(place)
    return tuple(dict.fromkeys(found))


def _place_of(node: Node) -> ReadPlace | None:
    match node.metadata:
        case {"kind": "read", "source": str(source), "lines": [int(first), int(last)]}:
            return ReadPlace(source, first, last)
    return None
