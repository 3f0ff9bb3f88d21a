"""The answer to one turn of a scene, and its parts."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, StringConstraints

from gm.model import layer_replies
from gm.model.mind import SHARE, OfLayer
from gm.model.node import FINER_KINDS, FinerKind
from gm.model.reply_form import Form, Importance, KeyWords, Text, TextOrEmpty, Weighed, ask_for, no_truth
from gm.model.thread import ReplyOutcome, ThreadKind


def _known_kind(value: object) -> object:
    """An unknown finer kind counts as none."""
    return value if value in FINER_KINDS else ""


ArtifactKind = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=40)]


class Line(Form):
    """One thing said aloud."""

    to: str | None = Field(default=None, description="id of the person addressed; null = everybody present")
    text: Text = Field(description="the words, without quotation marks")


class NewMemory(Form):
    """Something that will be remembered."""

    type: Literal["observation", "reflection", "plan", "conversation"] = Field(
        description="observation = lived; reflection = understood; plan = intended"
    )
    description: Text = Field(description="one or two sentences, first person, readable years later")
    importance: Importance | None = None
    tags: KeyWords = Field(default_factory=list)
    evidence: list[Text] = Field(default_factory=list, description="ids of own memories it rests on")
    facets: Weighed = None
    kind: Annotated[Literal["", FinerKind], BeforeValidator(_known_kind), OfLayer("kinds")] = Field(
        default="", description="emotional = a feeling; procedural = how something is done; semantic = a fact; or empty"
    )


class NewArtifact(Form):
    """A piece of work finished in this scene."""

    model_config = ask_for("title", "kind", "description", "body", "audience", "replaces")

    title: Text
    kind: ArtifactKind = Field(description="folder in the gallery, one word")
    description: Text = Field(description="one sentence: what it is and what is special about it")
    body: Text = Field(description="the whole piece, in Markdown")
    audience: list[Text] = Field(
        default_factory=list, description="ids of those who may see it; board = hung up for all; empty = all present"
    )
    replaces: str = Field(default="", description="title of your earlier piece that this is a new version of, or empty")
    importance: Importance | None = None
    tags: list[Text] = Field(default_factory=list)
    style_tags: list[Text] = Field(default_factory=list)
    facets: Weighed = None


class Takeaway(Form):
    """What remains of a conversation."""

    model_config = ask_for("description", "importance", "valence")

    description: Text = Field(description="one sentence: with whom, about what, with which outcome")
    importance: Importance | None = None
    valence: float | None = Field(default=None, ge=-1, le=1, description="how it felt: -1 bad … 0 … 1 good")
    facets: Weighed = None


class Opened(Form):
    """Something that was said aloud and is left open."""

    model_config = ask_for("kind", "to", "text", "due", "time", "place", "replaces")

    kind: ThreadKind = Field(
        description="question = without an answer; appointment = agreed to meet; silence = promised to keep to oneself"
    )
    to: str | None = Field(
        default=None, description="id of the person it was said to, several with commas; null = all present"
    )
    text: Text = Field(description="what is promised or asked, in one sentence that stands by itself")
    due: int | None = Field(default=None, ge=0, description="number of the day by which; null = none was named")
    time: TextOrEmpty = Field(default="", description="appointment: morning, noon, afternoon, evening, or 15:00")
    place: TextOrEmpty = Field(default="", description="appointment: id of the place")
    replaces: TextOrEmpty = Field(default="", description="id of the open thread in whose place this is agreed")


class Closed(Form):
    """What became of something that was open."""

    model_config = ask_for("id", "outcome", "text")

    id: Text = Field(description="its id, as shown")
    outcome: ReplyOutcome
    text: str = Field(default="", description="how, in one sentence")


class Talk(Form):
    """Somebody to talk to."""

    model_config = ask_for("to", "about", "time", "place", "shows")

    to: Text = Field(description="id of the person; all = a talk of all")
    about: Text
    time: TextOrEmpty = Field(default="", description="morning, noon, afternoon, evening, or 15:00; empty = any time")
    place: TextOrEmpty = Field(default="", description="id of the place; empty = anywhere")
    shows: Annotated[int, Field(ge=0), no_truth("a whole number")] = Field(
        default=0, description="number of the item of work that has to be done first, to be shown; 0 = none"
    )


class Plan(Form):
    """What the character means to do today."""

    model_config = ask_for("work", "alone")

    work: list[Text] = Field(min_length=1, max_length=5, description="what you work on, most important first")
    talk_to: list[Talk] = Field(default_factory=list, description="whom you want to talk to; empty = nobody")
    library: str | None = Field(default=None, description="what you look up in the library; null = no visit")
    alone: bool = Field(default=False, description="true = you want no company today")
    importance: Importance | None = None
    facets: Weighed = None


class ItemReport(Form):
    """What became of an item of the plan."""

    model_config = ask_for("item", "status", "text")

    item: Annotated[int, Field(ge=1), no_truth("the number of an item")] = Field(description="its number, as shown")
    status: Literal["done", "moved", "dropped"]
    text: TextOrEmpty = Field(default="", description="why it is moved or dropped, in a few words; else empty")


ItemReports = list[ItemReport]


class SceneReply(Form):
    """The answer to one turn of a scene."""

    model_config = ask_for("mood", "move_to", "plan_status")

    action: str = Field(default="", description="what you visibly do, third person, one to three sentences")
    dialogue: list[Line] = Field(default_factory=list, description="what you say aloud; empty = silent")
    thoughts: str = Field(default="", description="what you think and do not say")
    mood: Text = Field(description="your mood at the end, one to three words")
    memories: list[NewMemory] = Field(default_factory=list, description="what you will remember")
    conversation: Takeaway | None = Field(default=None, description="only if you talked with somebody")
    artifact: NewArtifact | None = Field(default=None, description="only if you finished something")
    plan: Plan | None = Field(default=None, description="your plan for today, if asked for or if it changes")
    current_task: str | None = Field(default=None, description="what you are at now; null = unchanged")
    opens: list[Opened] = Field(default_factory=list, description="what you promised or asked and is open now")
    closes: list[Closed] = Field(default_factory=list, description="what was open and is settled now")
    relationships: Annotated[list[layer_replies.Regard], OfLayer("relationships")] = Field(
        default_factory=list, description="only where what you think of somebody present has changed; usually empty"
    )
    go_to: str | None = Field(default=None, description="id of the place you go to afterwards; null = you stay")
    move_to: TextOrEmpty = Field(
        default="", description="id of the place to which all of you go over now and talk on; empty = you stay"
    )
    plan_status: ItemReports = Field(
        default_factory=list, description="items of your plan that are done, moved or dropped now; empty = none"
    )
    done: bool = Field(default=False, description="true when you have nothing more to say in this scene")
    soul: layer_replies.SoulLayer = layer_replies.SOUL_KEY
    working: layer_replies.PageLayer = layer_replies.PAGE_KEY
    memory_requests: Annotated[list[layer_replies.MemoryRequest], OfLayer(SHARE)] = Field(
        default_factory=list, description="whose memories you ask for; empty = nobody's"
    )
    memory_answers: Annotated[list[layer_replies.MemoryAnswer], OfLayer(SHARE)] = Field(
        default_factory=list, description="your answer to each one who has asked for yours"
    )
    goal_reports: Annotated[list[layer_replies.GoalReport], OfLayer("goals")] = Field(
        default_factory=list, description="what happened to your goals in this scene; empty = nothing"
    )
    decisions: Annotated[list[Text], OfLayer("decisions")] = Field(
        default_factory=list, description="only if you lead: what was decided here, a sentence each; empty = nothing"
    )


class PlanningReply(SceneReply):
    """The answer to a scene that asks for the plan of the day."""

    model_config = ask_for("mood", "move_to", "plan_status", "plan")

    plan: Plan = Field(description="your plan for today")
