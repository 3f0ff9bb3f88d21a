"""What a model drafts from a user's notes: a world, and one persona after the other."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from gm.model.reply_form import Form, ShortText, Text, TextOrEmpty, ask_for

LISTS = ("traits", "values", "habits", "lines", "questions")


class PlaceDraft(Form):
    """A place."""

    name: ShortText
    text: ShortText


class CharacterDraft(Form):
    """A character in one line."""

    name: ShortText
    line: ShortText


class EventDraft(Form):
    """Something that is certain to happen on a day."""

    day: int = Field(ge=1, le=60)
    time: Literal["morning", "noon", "afternoon", "evening"]
    event: ShortText


class WorldDraft(Form):
    """A world, without its personas."""

    model_config = ask_for("rules", "outside", "kinds", "status", "brief", "events")

    title: ShortText
    premise: Text
    rules: list[ShortText] = Field(default_factory=list)
    outside: TextOrEmpty = ""
    kinds: list[ShortText] = Field(default_factory=list)
    places: list[PlaceDraft] = Field(min_length=1)
    characters: list[CharacterDraft] = Field(min_length=1)
    status: TextOrEmpty = ""
    brief: TextOrEmpty = ""
    events: list[EventDraft] = Field(default_factory=list)


class BondDraft(Form):
    """What one character thinks of another."""

    name: ShortText
    why: ShortText


class VoiceDraft(Form):
    """How a character talks."""

    sentences: ShortText
    humour: ShortText
    misses: ShortText


class PersonaDraft(Form):
    """A persona."""

    model_config = ask_for("role", "pronouns", "home", "wish", *LISTS, "friends", "quarrels")

    role: TextOrEmpty = ""
    pronouns: TextOrEmpty = ""
    home: TextOrEmpty = ""
    traits: list[ShortText] = Field(default_factory=list)
    values: list[ShortText] = Field(default_factory=list)
    voice: VoiceDraft
    habits: list[ShortText] = Field(default_factory=list)
    lines: list[ShortText] = Field(default_factory=list)
    questions: list[ShortText] = Field(default_factory=list)
    friends: list[BondDraft] = Field(default_factory=list)
    quarrels: list[BondDraft] = Field(default_factory=list)
    wish: TextOrEmpty = ""
    prose: Text
