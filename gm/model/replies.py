"""What a character answers: the strict form that every reply is brought into before it is used.

The models below are at the same time the schema that backends send along and the validator of what comes back.
A reply carries no ids, no depth and no ``created``: those are the Game Master's (BP-05, S4-08).
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from gm.model.layers import Layer

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


def _no_truth(value: object) -> object:
    """True is a 1 in Python, but nobody means an importance by it."""
    if isinstance(value, bool):
        raise ValueError("a whole number from 1 to 10 is expected")
    return value


Importance = Annotated[int, BeforeValidator(_no_truth), Field(ge=1, le=10, description="1 routine … 10 pivotal")]
ShortText = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=1000)]
ArtifactKind = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=40)]


def _no_truth_either(value: object) -> object:
    if isinstance(value, bool):
        raise ValueError("the number of a scene in the list is expected")
    return value


Place = Annotated[int, BeforeValidator(_no_truth_either), Field(ge=1, le=99)]


class _Reply(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


def _ask_for(*names: str) -> ConfigDict:
    """Ask for keys in the schema that a reply may do without: providers limit how many keys may be optional."""
    return ConfigDict(json_schema_extra={"required": list(names)})


class Line(_Reply):
    """One thing said aloud."""

    to: str | None = Field(default=None, description="id of the person addressed; null = everybody present")
    text: Text = Field(description="the words, without quotation marks")


FINER_KINDS = ("emotional", "procedural", "semantic")


def _known_kind(value: object) -> object:
    """A finer kind that nobody knows is none: a memory is not refused for it."""
    return value if value in FINER_KINDS else ""


FinerKind = Annotated[Literal["", "emotional", "procedural", "semantic"], BeforeValidator(_known_kind)]


class NewMemory(_Reply):
    """Something that will be remembered."""

    type: Literal["observation", "reflection", "plan", "conversation"] = Field(
        description="observation = lived; reflection = understood; plan = intended"
    )
    description: Text = Field(description="one or two sentences, first person, readable years later")
    importance: Importance | None = None
    tags: list[Text] = Field(default_factory=list, description="2–6 key words, lower case, names as ids")
    evidence: list[Text] = Field(default_factory=list, description="ids of own memories it rests on")
    kind: Annotated[FinerKind, Layer("kinds")] = Field(
        default="", description="emotional = a feeling; procedural = how something is done; semantic = a fact; or empty"
    )


class NewArtifact(_Reply):
    """A piece of work finished in this scene."""

    title: Text
    kind: ArtifactKind = Field(description="folder in the gallery: concepts, writing, design, audio, tech, planning …")
    description: Text = Field(description="one sentence: what it is and what is special about it")
    body: Text = Field(description="the whole piece, in Markdown")
    importance: Importance | None = None
    tags: list[Text] = Field(default_factory=list)
    style_tags: list[Text] = Field(default_factory=list)


class Takeaway(_Reply):
    """What remains of a conversation."""

    model_config = _ask_for("description", "importance", "valence")

    description: Text = Field(description="one sentence: with whom, about what, with which outcome")
    importance: Importance | None = None
    valence: float | None = Field(default=None, ge=-1, le=1, description="how it felt: -1 bad … 0 … 1 good")


class Opened(_Reply):
    """Something that was said aloud and is left open: a promise, or a question without an answer."""

    model_config = _ask_for("kind", "to", "text", "due")

    kind: Literal["promise", "question"]
    to: str | None = Field(default=None, description="id of the person it was said to; null = all present")
    text: Text = Field(description="what is promised or asked, in one sentence that stands by itself")
    due: int | None = Field(default=None, ge=0, description="number of the day by which; null = none was named")


class Closed(_Reply):
    """What became of something that was open."""

    model_config = _ask_for("id", "outcome", "text")

    id: Text = Field(description="its id, as shown")
    outcome: Literal["kept", "broken", "answered", "dropped"]
    text: str = Field(default="", description="how, in one sentence")


class Talk(_Reply):
    """Somebody to talk to."""

    to: Text = Field(description="id of the person")
    about: Text


class Plan(_Reply):
    """What the character means to do today (S4-29)."""

    work: list[Text] = Field(min_length=1, max_length=5, description="what you work on, most important first")
    talk_to: list[Talk] = Field(default_factory=list, description="whom you want to talk to; empty = nobody")
    library: str | None = Field(default=None, description="what you look up in the library; null = no visit")
    importance: Importance | None = None


class MemoryRequest(_Reply):
    """Somebody is asked for their memories."""

    model_config = _ask_for("to", "about")

    to: Text = Field(description="id of the person whose memories you want")
    about: list[Text] = Field(default_factory=list, description="key words they are to be about; empty = all of them")


class MemoryAnswer(_Reply):
    """What somebody is told who has asked for memories."""

    model_config = _ask_for("to", "share")

    to: Text = Field(description="id of the person who asked")
    share: bool = Field(description="true = they get a copy; false = you keep them to yourself")


class GoalReport(_Reply):
    """What came of a goal, or a new one."""

    model_config = _ask_for("id", "event", "text")

    id: str = Field(default="", description="its id, as shown; empty for a new one")
    event: Literal["new", "progress", "reached", "abandoned"]
    text: ShortText = Field(description="what you want to reach; what you have come closer by; why it is over")


class SceneReply(_Reply):
    """The answer to one turn of a scene."""

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
    go_to: str | None = Field(default=None, description="id of the place you go to afterwards; null = you stay")
    done: bool = Field(default=False, description="true when you have nothing more to say in this scene")
    memory_requests: Annotated[list[MemoryRequest], Layer("share")] = Field(
        default_factory=list, description="whose memories you ask for; empty = nobody's"
    )
    memory_answers: Annotated[list[MemoryAnswer], Layer("share")] = Field(
        default_factory=list, description="your answer to each one who has asked for yours"
    )
    goal_reports: Annotated[list[GoalReport], Layer("goals")] = Field(
        default_factory=list, description="what happened to your goals in this scene; empty = nothing"
    )


class PlanningReply(SceneReply):
    """The answer to a scene that asks for the plan of the day."""

    plan: Plan = Field(description="your plan for today")


class Insight(_Reply):
    """A higher-level insight with what it rests on."""

    description: Text = Field(description="one or two sentences, first person or general")
    importance: Importance | None = None
    tags: list[Text] = Field(default_factory=list)
    evidence: list[Text] = Field(min_length=1, description="ids of the memories this follows from")


class ReflectionReply(_Reply):
    """The answer to a reflection scene."""

    insights: list[Insight] = Field(min_length=1)
    thoughts: str = ""
    mood: str | None = Field(default=None, description="your mood afterwards; null = unchanged")


class RatingReply(_Reply):
    """The answer to the question how important one memory is."""

    importance: Importance


class RatingsReply(_Reply):
    """The answer to the question how important several memories are."""

    importance: list[Importance] = Field(description="a whole number from 1 to 10 for each memory, in their order")


class OwnPremise(_Reply):
    """What only one of the cast knows or sees when a scene begins."""

    who: Text = Field(description="id of somebody who takes part")
    text: ShortText = Field(description="one sentence, addressed to nobody: what only this person knows or sees")


class DirectorReply(_Reply):
    """The choice of the scene that is played next."""

    number: Place = Field(description="number of the scene that you choose")
    why: ShortText = Field(description="why this one now: one or two sentences, for the logbook")
    premise: ShortText = Field(description="how it begins: one to three sentences that all who take part know")
    premises: list[OwnPremise] = Field(
        default_factory=list, description="what only one of them knows or sees; empty as a rule"
    )


Reply = SceneReply | ReflectionReply
