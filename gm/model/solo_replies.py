"""What a character answers by itself: reflections, diaries, answers to questions out of scene, summaries."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StringConstraints, model_validator
from pydantic.json_schema import SkipJsonSchema

from gm.model import layer_replies
from gm.model.reply_form import Form, Importance, KeyWords, ShortText, Text, Weighed, ask_for
from gm.model.scene_reply import Closed, ItemReports, Line, NewArtifact, Takeaway


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
    soul: layer_replies.SoulLayer = layer_replies.SOUL_KEY
    now: layer_replies.NowLayer = layer_replies.NOW_KEY


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

    model_config = ask_for("text", "action", "mood", "tags", "plan_status", "closes")

    text: Text = Field(description="the entry: three to eight sentences, first person")
    action: str = Field(
        default="", description="what is last seen of you today, third person, one or two sentences; empty = nothing"
    )
    artifact: NewArtifact | None = Field(default=None, description="only if you finished something alone today")
    mood: Text = Field(description="your mood this evening, one to three words")
    tags: KeyWords = Field(default_factory=list)
    plan_status: ItemReports = Field(
        default_factory=list, description="what became of items that are open; what is left out is moved"
    )
    closes: list[Closed] = Field(
        default_factory=list, description="what was open and was settled today without a scene; usually empty"
    )
    now: layer_replies.NowLayer = layer_replies.NOW_KEY
    working: layer_replies.PageLayer = layer_replies.PAGE_KEY


class AskReply(Form):
    """The answer to a question out of scene."""

    model_config = ask_for("answer", "thoughts", "conversation", "mood")

    answer: str = Field(description="what you say, as you say it; empty = you do not answer")
    thoughts: str = Field(default="", description="what you think and do not say")
    conversation: Takeaway | SkipJsonSchema[None] = Field(default=None, description="what the question was about")
    mood: str = Field(default="", description="your mood afterwards, one to three words")
    dialogue: SkipJsonSchema[list[Line]] = Field(default_factory=list)
    """Accepted instead of ``answer``: the form of a scene."""

    @model_validator(mode="before")
    @classmethod
    def _read_scene_form(cls, data: object) -> object:
        if not isinstance(data, dict):
            return data
        given = {key: value for key, value in data.items() if value is not None}
        return {"answer": "", **given} if {"answer", "dialogue"} & data.keys() else given

    @property
    def said(self) -> tuple[str, ...]:
        """The spoken lines; empty = no answer."""
        spoken = self.answer.strip().splitlines() or [line.text for line in self.dialogue]
        return tuple(line.strip() for line in spoken if line.strip())


class InterviewReply(AskReply):
    """The answer to a question of an interview."""

    model_config = ask_for("answer", "thoughts", "conversation", "mood", "evidence")

    evidence: list[Text] = Field(
        default_factory=list,
        description="what the answer rests on: ids of memories; for what has no id its word and a quote, as plan: …",
    )


class GroundedSentence(Form):
    """A sentence of an answer, and the lines that say it."""

    model_config = ask_for("text", "evidence")

    text: Text = Field(description="the sentence as you say it now")
    evidence: list[Text] = Field(
        default_factory=list, description="the lines that say it: ids of memories; else a word and a quote, as plan: …"
    )


class LookReply(Form):
    """An answer of an interview after a second look at it."""

    model_config = ask_for("unsaid", "sentences")

    unsaid: list[Text] = Field(
        default_factory=list, description="what no named line says, and the line above that does, or none"
    )
    sentences: list[GroundedSentence] = Field(min_length=1, description="the answer, sentence by sentence")


class Theme(Form):
    """What becomes of a part of old memories: one theme, told by the one who remembers."""

    model_config = ask_for("title", "text", "importance", "tags", "evidence")

    title: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=120)]
    text: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=1500)] = Field(
        description="what you keep of it, in your own voice, first person, three to eight sentences"
    )
    importance: Importance | None = None
    tags: KeyWords = Field(default_factory=list)
    evidence: list[Text] = Field(min_length=1, description="ids of the memories that this stands for")


class SummaryReply(Form):
    """The answer to the question what remains of old memories."""

    themes: list[Theme] = Field(min_length=1, max_length=5, description="one to five themes")
