"""What a model drafts from a user's notes: a world, and one persona after the other."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from gm.model.reply_form import Form, ShortText, Text, TextOrEmpty, ask_for

LISTS = ("traits", "values", "habits", "lines", "questions")


class PlaceDraft(Form):
    """A place."""

    name: ShortText = Field(description="one or two words")
    text: ShortText = Field(description="what one sees, hears and smells there, in one or two sentences")


class CharacterDraft(Form):
    """A character in one line."""

    name: ShortText = Field(description="as the others say it")
    line: ShortText = Field(description="who this is, in one line: what all others know")


class EventDraft(Form):
    """Something that is certain to happen on a day."""

    day: int = Field(ge=1, le=60, description="from 1")
    time: Literal["morning", "noon", "afternoon", "evening"] = Field(description="morning, noon, afternoon or evening")
    event: ShortText = Field(description="in one sentence")


class WorldDraft(Form):
    """A world, without its personas."""

    model_config = ask_for("rules", "outside", "kinds", "status", "brief", "events")

    title: ShortText = Field(description="two to four words")
    premise: Text = Field(description="what everybody in it knows: where, when, who, what is at stake; two paragraphs")
    rules: list[ShortText] = Field(default_factory=list, description="what always holds, a sentence each; three to six")
    outside: TextOrEmpty = Field(default="", description="who writes to them from outside; empty = nobody is named")
    kinds: list[ShortText] = Field(default_factory=list, description="kinds of things they make, a word each")
    places: list[PlaceDraft] = Field(min_length=1, description="four to eight")
    characters: list[CharacterDraft] = Field(min_length=1, description="all whom the notes name, or five")
    status: TextOrEmpty = Field(default="", description="how things stand on the evening before, in a sentence")
    brief: TextOrEmpty = Field(default="", description="a letter to all, with a question that each must answer")
    events: list[EventDraft] = Field(default_factory=list, description="what will happen; usually two or three")


class BondDraft(Form):
    """What one character thinks of another."""

    name: ShortText = Field(description="of another character")
    why: ShortText = Field(description="in one sentence")


class VoiceDraft(Form):
    """How a character talks."""

    sentences: ShortText = Field(description="how the sentences are built")
    humour: ShortText = Field(description="what is funny to it, and how it jokes")
    misses: ShortText = Field(description="what this character notices, and what it misses")


class PersonaDraft(Form):
    """A persona."""

    model_config = ask_for("role", "pronouns", "home", "wish", *LISTS, "friends", "quarrels")

    role: TextOrEmpty = Field(default="", description="what the others would call it, in a few words")
    pronouns: TextOrEmpty = Field(default="", description="such as she/her")
    home: TextOrEmpty = Field(default="", description="the place where the morning finds this character")
    traits: list[ShortText] = Field(default_factory=list, description="three to five adjectives")
    values: list[ShortText] = Field(default_factory=list, description="two or three, concrete")
    voice: VoiceDraft = Field(description="how it talks, and nobody else does")
    habits: list[ShortText] = Field(default_factory=list, description="four to eight small visible ones")
    lines: list[ShortText] = Field(default_factory=list, description="six to ten that only this character would say")
    questions: list[ShortText] = Field(default_factory=list, description="four to six that it asks others")
    friends: list[BondDraft] = Field(default_factory=list, description="one or two whom it likes")
    quarrels: list[BondDraft] = Field(default_factory=list, description="one with whom something is not settled")
    wish: TextOrEmpty = Field(default="", description="what it wants before the week is over, first person")
    prose: Text = Field(
        description="four short paragraphs to the character (“You are …”): past, work, others, a secret"
    )
