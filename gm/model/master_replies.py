"""Answers in no character's name: how important memories are, which scene is played next, what a day was."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from gm.model.reply_form import Form, Importance, ShortText, Text, no_truth

SceneNumber = Annotated[int, Field(ge=1, le=99), no_truth("the number of a scene in the list")]


class RatingReply(Form):
    """The answer to the question how important one memory is."""

    importance: Importance


class RatingsReply(Form):
    """The answer to the question how important several memories are."""

    importance: list[Importance] = Field(description="a whole number from 1 to 10 for each memory, in their order")


class OwnPremise(Form):
    """What only one of the cast knows or sees when a scene begins."""

    who: Text = Field(description="id of somebody who takes part")
    text: ShortText = Field(description="one sentence, addressed to nobody: what only this person knows or sees")


class DirectorReply(Form):
    """The choice of the scene that is played next."""

    number: SceneNumber = Field(description="number of the scene that you choose")
    why: ShortText = Field(description="why this one now: one or two sentences, for the logbook")
    premise: ShortText = Field(description="how it begins: one to three sentences that all who take part know")
    premises: list[OwnPremise] = Field(
        default_factory=list, description="what only one of them knows or sees; empty as a rule"
    )


class RetellingReply(Form):
    """A day, told in a few sentences."""

    text: Text = Field(description="the day in six to eight plain sentences, at most 120 words")


class ChapterReply(Form):
    """A day as a chapter of prose."""

    body: Text = Field(description="the chapter, an empty line between its paragraphs")
