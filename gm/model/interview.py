"""Interviews: questions asked out of scene, and what a character answered.

Source:
    Park et al. 2023, section 6 and appendix B: five kinds of questions, five of each.
"""

from __future__ import annotations

from dataclasses import dataclass

from gm.base.config import kinds
from gm.model.record import Key, Record

PERSONA, PLAN, DIARY, RELATIONSHIPS, BOARD = SOURCES = ("persona", "plan", "diary", "relationships", "board")
"""What an answer can rest on beside memories."""
SELF, MEMORY, PLANS, REACTIONS, REFLECTIONS = KINDS = ("self-knowledge", "memory", "plans", "reactions", "reflections")


@dataclass(frozen=True, slots=True, kw_only=True)
class InterviewAnswer:
    """One line of a kept interview; ``INTERVIEW_ANSWER`` describes the attributes."""

    agent: str
    at: str
    key: str
    kind: str
    question: str
    trap: bool = False
    answer: str
    thoughts: str = ""
    cited: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    made_with: str = ""


INTERVIEW_ANSWER = Record(
    InterviewAnswer,
    "answer of an interview",
    Key("agent", kinds.words, "the id of the character"),
    Key("at", kinds.words, "the moment after which it was asked, such as day-003 or day-003/scene-04"),
    Key("key", kinds.words, "which question, such as memory-2"),
    Key("kind", kinds.one_of(*KINDS), "the kind of question"),
    Key("question", kinds.words, "the question as it was asked"),
    Key("trap", kinds.flag, "whether it asks what the character cannot know", default=False, brief=True),
    Key("answer", kinds.text, "what it said; empty = it did not answer"),
    Key("thoughts", kinds.text, "what it thought and did not say", default="", brief=True),
    Key("cited", kinds.texts, "ids of its memories that it says the answer rests on", default=()),
    Key("sources", kinds.texts, f"what else it says the answer rests on: {', '.join(SOURCES)}", default=(), brief=True),
    Key("beside", kinds.texts, "ids of the memories that stood in the question", default=()),
    Key("without", kinds.texts, "what was kept from it: reflections, plans, memories", default=(), brief=True),
    Key("made_with", kinds.text, "the model that answered", default="", brief=True),
)
"""A line of an interview that is kept."""
