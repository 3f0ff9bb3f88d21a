"""What somebody answers who looks back: on a day, on what it has lived through lately, on old memories."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StringConstraints

from gm.model.replies.layers import SoulEdit, SoulLayer
from gm.model.replies.values import Form, Importance, ShortText, Text, Weighed, ask_for


class Insight(Form):
    """A higher-level insight with what it rests on."""

    description: Text = Field(description="one or two sentences, first person or general")
    importance: Importance | None = None
    tags: list[Text] = Field(default_factory=list)
    evidence: list[Text] = Field(min_length=1, description="ids of the memories this follows from")
    facets: Weighed = None


class ReflectionReply(Form):
    """The answer to a reflection scene."""

    insights: list[Insight] = Field(min_length=1)
    thoughts: str = ""
    mood: str | None = Field(default=None, description="your mood afterwards; null = unchanged")
    soul: SoulLayer = Field(
        default_factory=SoulEdit, description="what changes in your soul; both lists empty as a rule"
    )


class QuestionsReply(Form):
    """What somebody asks itself about what has happened."""

    questions: list[ShortText] = Field(min_length=1, description="one sentence each, the most important first")


class AnsweringInsight(Insight):
    """An insight that answers questions which the character has asked itself."""

    questions: list[int] = Field(description="numbers of the questions that it answers")


class AnsweringReply(ReflectionReply):
    """The answer to a reflection by questions."""

    insights: list[AnsweringInsight] = Field(min_length=1)  # type: ignore[assignment]  # a finer form of the same


class DiaryReply(Form):
    """What somebody writes into their diary in the evening."""

    model_config = ask_for("text", "mood", "tags")

    text: Text = Field(description="the entry: three to eight sentences, first person")
    mood: Text = Field(description="your mood this evening, one to three words")
    tags: list[Text] = Field(default_factory=list, description="two to five key words, lower case, names as ids")


class Theme(Form):
    """What becomes of a part of old memories: one theme, told by the one who remembers."""

    model_config = ask_for("title", "text", "importance", "tags", "evidence")

    title: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=120)]
    text: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=1500)] = Field(
        description="what you keep of it, in your own voice, first person, three to eight sentences"
    )
    importance: Importance | None = None
    tags: list[Text] = Field(default_factory=list, description="2–6 key words, lower case, names as ids")
    evidence: list[Text] = Field(min_length=1, description="ids of the memories that this stands for")


class SummaryReply(Form):
    """The answer to the question what remains of old memories (S3-09)."""

    themes: list[Theme] = Field(min_length=1, max_length=5, description="one to five themes")
