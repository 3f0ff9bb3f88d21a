"""Interviews: questions asked out of scene, and what a character answered.

Source:
    Park et al. 2023, section 6 and appendix B: five kinds of questions, five of each.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, get_args

from gm.base.casefold import casefold
from gm.base.config import kinds
from gm.model.record import Key, Record, each, nested

Source = Literal["persona", "world", "now", "plan", "diary", "relationships", "board", "piece"]
SOURCES: tuple[Source, ...] = get_args(Source)
"""What an answer can rest on beside memories; ``prompts/interview.j2`` says what each is."""
PLAN: Source = "plan"
MOST_QUOTED = 40
"""Words of a quote, at most; prompts ask for about twenty."""
QuestionKind = Literal["self-knowledge", "memory", "plans", "reactions", "reflections"]
KINDS: tuple[QuestionKind, ...] = get_args(QuestionKind)
SELF, MEMORY, PLANS, REACTIONS, REFLECTIONS = KINDS
Withheld = Literal["reflections", "plans", "memories"]
WITHOUT: tuple[Withheld, ...] = get_args(Withheld)
WITHHELD_REFLECTIONS, WITHHELD_PLANS, WITHHELD_MEMORIES = WITHOUT
"""What an interview can withhold from a character."""
_MARKS = "\"'`´„“”‚‘’«»‹›"
_UNMARKED = str.maketrans(dict.fromkeys(_MARKS, ""))
_ENDS = ".,;:!?… "
_QUOTING = re.compile("^> ", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Quote:
    """Words of the prompt that an answer rests on, and what they are of."""

    source: Source
    words: str


@dataclass(frozen=True, slots=True)
class FirstAnswer:
    """What was said before the second look, and what it rested on."""

    answer: str
    cited: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    quotes: tuple[Quote, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class InterviewAnswer:
    """One line of a kept interview; ``INTERVIEW_ANSWER`` describes the attributes."""

    agent: str
    at: str
    key: str
    kind: QuestionKind
    question: str
    trap: bool = False
    answer: str
    thoughts: str = ""
    cited: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    quotes: tuple[Quote, ...] = ()
    beside: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    made_with: str = ""
    first: FirstAnswer | None = None

    @property
    def bare_sources(self) -> tuple[str, ...]:
        """Sources that are not quoted."""
        quoted = {quote.source for quote in self.quotes}
        return tuple(source for source in self.sources if source not in quoted)

    @property
    def as_first(self) -> FirstAnswer:
        """This answer as the first one, before a second look."""
        return FirstAnswer(self.answer, self.cited, self.sources, self.quotes)

    @property
    def was_changed(self) -> bool:
        """Whether the second look changed what it said, apart from breaks of lines."""
        return self.first is not None and self.first.answer.split() != self.answer.split()


QUOTE = Record(
    Quote,
    "quote",
    Key("source", kinds.one_of(*SOURCES), f"what the words are of: {', '.join(SOURCES)}"),
    Key("words", kinds.words, "the words, as they stand in what it was asked"),
)
"""An item of ``quotes``."""
_ANSWER_KEYS = (
    Key("answer", kinds.text, "what it said; empty = it did not answer"),
    Key("cited", kinds.texts, "ids of its memories that it says the answer rests on", default=()),
    Key("sources", kinds.texts, f"what else it says the answer rests on: {', '.join(SOURCES)}", default=(), brief=True),
    Key("quotes", each(QUOTE, "a list of quotes"), "words without an id that it rests on", default=(), brief=True),
)
FIRST_ANSWER = Record(FirstAnswer, "first answer", *_ANSWER_KEYS)
"""The value of ``first``."""
INTERVIEW_ANSWER = Record(
    InterviewAnswer,
    "answer of an interview",
    Key("agent", kinds.words, "the id of the character"),
    Key("at", kinds.words, "the moment after which it was asked, such as day-003 or day-003/scene-04"),
    Key("key", kinds.words, "which question, such as memory-2"),
    Key("kind", kinds.one_of(*KINDS), "the kind of question"),
    Key("question", kinds.words, "the question as it was asked"),
    Key("trap", kinds.flag, "whether it asks what the character cannot know", default=False, brief=True),
    _ANSWER_KEYS[0],
    Key("thoughts", kinds.text, "what it thought and did not say", default="", brief=True),
    *_ANSWER_KEYS[1:],
    Key("beside", kinds.texts, "ids of the memories that stood in the question", default=()),
    Key("without", kinds.texts, "what was kept from it: reflections, plans, memories", default=(), brief=True),
    Key("made_with", kinds.text, "the model that answered", default="", brief=True),
    Key("first", nested(FIRST_ANSWER), "what it said before its second look", default=None, brief=True),
)
"""A line of an interview that is kept."""
SHOWN_ANSWER = Record(
    InterviewAnswer,
    "answer of an interview",
    *INTERVIEW_ANSWER.keys,
    Key("memories", kinds.texts, "the same ids as in `beside`", field="beside"),
    Key("evidence", kinds.texts, "the same ids as in `cited`", field="cited"),
)
"""An answer in JSON, where lists of ids are named as everywhere."""


def split_evidence(text: str) -> tuple[str, str]:
    """Return what an entry of a reply's ``evidence`` names, and the words that it quotes; bare names quote nothing.

    ``plan: Wednesday at half past two`` names ``plan`` and quotes the rest.
    """
    named, _, words = text.partition(":")
    return named.strip(f"[] {_MARKS}"), words.strip(f" {_MARKS}")


def is_quoted_from(prompt: str, words: str) -> bool:
    """Return whether words stand in a prompt, one after the other and each whole.

    Case and Unicode form are folded as by ``casefold``, white space to single spaces; quotation marks, apostrophes and
    backticks are left out, and so are the marks of a block quotation at the beginnings of its lines and punctuation at
    both ends of the words. All else must be the same.
    """
    wanted = _fold(words).strip(_ENDS)
    return bool(wanted) and re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", _fold(_QUOTING.sub("", prompt))) is not None


def _fold(text: str) -> str:
    return " ".join(casefold(text.translate(_UNMARKED)).split())
