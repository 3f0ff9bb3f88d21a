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

    description: Text
    importance: Importance | None = None
    tags: list[Text] = Field(default_factory=list)
    evidence: list[Text] = Field(min_length=1)
    facets: Weighed = None


class ReflectionReply(Form):
    """The answer to a reflection scene."""

    insights: list[Insight] = Field(min_length=1)
    thoughts: str = ""
    mood: str | None = None
    soul: layer_replies.SoulLayer = Field(default_factory=layer_replies.SoulEdit)
    now: layer_replies.NowLayer = Field(default_factory=layer_replies.NowEntry)


class QuestionsReply(Form):
    """What somebody asks itself about what has happened."""

    questions: list[ShortText] = Field(min_length=1)


class AnsweringInsight(Insight):
    """An insight that answers questions which the character has asked itself."""

    questions: list[int]


class AnsweringReply(ReflectionReply):
    """The answer to a reflection by questions."""

    insights: list[AnsweringInsight] = Field(min_length=1)  # type: ignore[assignment]  # a finer form of the same


class DiaryReply(Form):
    """What somebody writes into their diary in the evening."""

    model_config = ask_for("text", "action", "mood", "tags", "plan_status", "closes")

    text: Text
    action: str = ""
    artifact: NewArtifact | None = None
    mood: Text
    tags: KeyWords = Field(default_factory=list)
    plan_status: ItemReports = Field(default_factory=list)
    closes: list[Closed] = Field(default_factory=list)
    now: layer_replies.NowLayer = Field(default_factory=layer_replies.NowEntry)
    working: layer_replies.PageLayer = Field(default_factory=list)


class AskReply(Form):
    """The answer to a question out of scene."""

    model_config = ask_for("answer", "thoughts", "conversation", "mood")

    answer: str
    thoughts: str = ""
    conversation: Takeaway | SkipJsonSchema[None] = None
    mood: str = ""
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

    evidence: list[Text] = Field(default_factory=list)


class GroundedSentence(Form):
    """A sentence of an answer, and the lines that say it."""

    model_config = ask_for("text", "evidence")

    text: Text
    evidence: list[Text] = Field(default_factory=list)


class LookReply(Form):
    """An answer of an interview after a second look at it."""

    model_config = ask_for("unsaid", "sentences")

    unsaid: list[Text] = Field(default_factory=list)
    sentences: list[GroundedSentence] = Field(min_length=1)


class Theme(Form):
    """What becomes of a part of old memories: one theme, told by the one who remembers."""

    model_config = ask_for("title", "text", "importance", "tags", "evidence")

    title: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=120)]
    text: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=1500)]
    importance: Importance | None = None
    tags: KeyWords = Field(default_factory=list)
    evidence: list[Text] = Field(min_length=1)


class SummaryReply(Form):
    """The answer to the question what remains of old memories."""

    themes: list[Theme] = Field(min_length=1, max_length=5)
