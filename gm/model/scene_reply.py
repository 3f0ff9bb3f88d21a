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

    to: str | None = None
    text: Text


class NewMemory(Form):
    """Something that will be remembered."""

    type: Literal["observation", "reflection", "plan", "conversation"]
    description: Text
    importance: Importance | None = None
    tags: KeyWords = Field(default_factory=list)
    evidence: list[Text] = Field(default_factory=list)
    facets: Weighed = None
    kind: Annotated[Literal["", FinerKind], BeforeValidator(_known_kind), OfLayer("kinds")] = ""


class NewArtifact(Form):
    """A piece of work finished in this scene."""

    model_config = ask_for("title", "kind", "description", "body", "audience", "replaces")

    title: Text
    kind: ArtifactKind
    description: Text
    body: Text
    audience: list[Text] = Field(default_factory=list)
    replaces: str = ""
    importance: Importance | None = None
    tags: list[Text] = Field(default_factory=list)
    style_tags: list[Text] = Field(default_factory=list)
    facets: Weighed = None


class Takeaway(Form):
    """What remains of a conversation."""

    model_config = ask_for("description", "importance", "valence")

    description: Text
    importance: Importance | None = None
    valence: float | None = Field(default=None, ge=-1, le=1)
    facets: Weighed = None


class Opened(Form):
    """Something that was said aloud and is left open."""

    model_config = ask_for("kind", "to", "text", "due", "time", "place", "replaces")

    kind: ThreadKind
    to: str | None = None
    text: Text
    due: int | None = Field(default=None, ge=0)
    time: TextOrEmpty = ""
    place: TextOrEmpty = ""
    replaces: TextOrEmpty = ""


class Closed(Form):
    """What became of something that was open."""

    model_config = ask_for("id", "outcome", "text")

    id: Text
    outcome: ReplyOutcome
    text: str = ""


class Talk(Form):
    """Somebody to talk to."""

    model_config = ask_for("to", "about", "time", "place", "shows")

    to: Text
    about: Text
    time: TextOrEmpty = ""
    place: TextOrEmpty = ""
    shows: Annotated[int, Field(ge=0), no_truth("a whole number")] = 0


class Plan(Form):
    """What the character means to do today."""

    model_config = ask_for("work", "alone")

    work: list[Text] = Field(min_length=1, max_length=5)
    talk_to: list[Talk] = Field(default_factory=list)
    library: str | None = None
    alone: bool = False
    importance: Importance | None = None
    facets: Weighed = None


class ItemReport(Form):
    """What became of an item of the plan."""

    model_config = ask_for("item", "status", "text")

    item: Annotated[int, Field(ge=1), no_truth("the number of an item")]
    status: Literal["done", "moved", "dropped"]
    text: TextOrEmpty = ""


ItemReports = list[ItemReport]


class SceneReply(Form):
    """The answer to one turn of a scene."""

    model_config = ask_for("mood", "move_to", "plan_status")

    action: str = ""
    dialogue: list[Line] = Field(default_factory=list)
    thoughts: str = ""
    mood: Text
    memories: list[NewMemory] = Field(default_factory=list)
    conversation: Takeaway | None = None
    artifact: NewArtifact | None = None
    plan: Plan | None = None
    current_task: str | None = None
    opens: list[Opened] = Field(default_factory=list)
    closes: list[Closed] = Field(default_factory=list)
    relationships: Annotated[list[layer_replies.Regard], OfLayer("relationships")] = Field(default_factory=list)
    go_to: str | None = None
    move_to: TextOrEmpty = ""
    plan_status: ItemReports = Field(default_factory=list)
    done: bool = False
    soul: layer_replies.SoulLayer = Field(default_factory=layer_replies.SoulEdit)
    working: layer_replies.PageLayer = Field(default_factory=list)
    memory_requests: Annotated[list[layer_replies.MemoryRequest], OfLayer(SHARE)] = Field(default_factory=list)
    memory_answers: Annotated[list[layer_replies.MemoryAnswer], OfLayer(SHARE)] = Field(default_factory=list)
    goal_reports: Annotated[list[layer_replies.GoalReport], OfLayer("goals")] = Field(default_factory=list)
    decisions: Annotated[list[Text], OfLayer("decisions")] = Field(default_factory=list)


class PlanningReply(SceneReply):
    """The answer to a scene that asks for the plan of the day."""

    model_config = ask_for("mood", "move_to", "plan_status", "plan")

    plan: Plan
