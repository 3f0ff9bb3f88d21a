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

    importance: list[Importance]


class OwnPremise(Form):
    """What only one of the cast knows or sees when a scene begins."""

    who: Text
    text: ShortText


class DirectorReply(Form):
    """The choice of the scene that is played next."""

    number: SceneNumber
    why: ShortText
    premise: ShortText
    premises: list[OwnPremise] = Field(default_factory=list)


class RetellingReply(Form):
    """A day, told in a few sentences."""

    text: Text


class ChapterReply(Form):
    """A day as a chapter of prose."""

    body: Text
