"""What models answer: the strict form that every reply is brought into before it is used.

The models in here are at the same time the schema that backends send along and the validator of what comes back.
A reply carries no ids, no depth and no ``created``: those are the Game Master's.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, model_validator
from pydantic.json_schema import SkipJsonSchema

from gm.model.mind import OfLayer

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


def no_truth(expected: str) -> BeforeValidator:
    """Refuse true and false: they are 1 and 0 in Python.

    It follows the bounds of a number: in a schema, bounds behind it are written with names that no server knows.
    """

    def refuse(value: object) -> object:
        if isinstance(value, bool):
            raise ValueError(f"{expected} is expected")
        return value

    return BeforeValidator(refuse)


Importance = Annotated[
    int, Field(ge=1, le=10, description="1 routine … 10 pivotal"), no_truth("a whole number from 1 to 10")
]
ShortText = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=1000)]

# Providers limit how many keys of a schema may be optional, and how many may have several types. So keys that a reply
# may do without are asked for all the same, with an empty value for nothing; old answers lack them, and null is empty.


def _or(empty: object) -> BeforeValidator:
    """Read null as an empty value."""
    return BeforeValidator(lambda value: empty if value is None else value)


TextOrEmpty = Annotated[str, StringConstraints(strip_whitespace=True), _or("")]


class Form(BaseModel):
    """A part of a reply: frozen, and what it does not know is ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")


def ask_for(*names: str) -> ConfigDict:
    """Ask for keys in the schema that a reply may do without: providers limit how many keys may be optional."""
    return ConfigDict(json_schema_extra={"required": list(names)})


Share = Annotated[float, Field(ge=0, le=1), no_truth("a number from 0 to 1")]


class Facets(Form):
    """What makes a memory important; from it the Game Master computes how important it is."""

    goal_relevance: Share = Field(description="how much it has to do with what you want: 0 nothing … 1 everything")
    emotional_impact: Share = Field(description="how much it moves you: 0 not at all … 1 as hardly anything before")
    novelty: Share = Field(description="how new it is to you: 0 as every day … 1 never known before")


Weighed = SkipJsonSchema[Facets | None]
"""Facets stand in the schema only in a world that asks for them (``gm.model.weighing``)."""


# What can be switched on.

FINER_KINDS = ("emotional", "procedural", "semantic")


def _known_kind(value: object) -> object:
    """An unknown finer kind counts as none."""
    return value if value in FINER_KINDS else ""


FinerKind = Annotated[Literal["", "emotional", "procedural", "semantic"], BeforeValidator(_known_kind)]


# Trust is the new value and no difference: a value that is said twice, in two turns or by a command that is run again,
# is the same value; and small differences, which models tend to give one sign, would add up to the end of the range.
class Regard(Form):
    """What the character thinks of somebody from now on. What is empty stays as it was."""

    model_config = ConfigDict(
        frozen=True,
        extra="ignore",
        populate_by_name=True,
        json_schema_extra={"required": ["with", "type", "trust", "tone", "why", "notes"]},
    )

    other: Text = Field(alias="with", description="id of the person; they must be present")
    type: str = Field(
        default="", description="what they are to you: ally, rival, mentor, neutral …, in one word or two"
    )
    trust: float = Field(default=0.0, allow_inf_nan=False, description="your trust now: -1 none at all … 0 … 1 blind")
    tone: str = Field(default="", description="how it feels at the moment, one to three words")
    why: str = Field(default="", description="what in this scene has changed it, one sentence")
    notes: str = Field(default="", description="what you want to keep in mind about them; empty = as before")

    @model_validator(mode="before")
    @classmethod
    def _nothing_is_unchanged(cls, data: object) -> object:
        """Null is how some say that a value stays as it is."""
        return {key: value for key, value in data.items() if value is not None} if isinstance(data, dict) else data

    @property
    def says_trust(self) -> bool:
        return "trust" in self.model_fields_set


def _empty_when_absent(value: object) -> object:
    return {} if value is None else value


def _page_lines(value: object) -> object:
    if isinstance(value, dict):
        lists = [(key, items if isinstance(items, list) else [items]) for key, items in value.items()]
        return [{"key": key, "text": "" if text is None else text} for key, texts in lists for text in texts]
    return [] if value is None or isinstance(value, str) else value


def _one(value: object) -> object:
    """A kind of a soul's entry may be named as its list is: ``beliefs``."""
    return value.strip().lower().removesuffix("s") if isinstance(value, str) else value


class SoulText(Form):
    """One sentence for the soul."""

    kind: Annotated[Literal["belief", "value", "fear", "conviction"], BeforeValidator(_one)]
    text: ShortText = Field(description="one sentence, first person, that will still be true in a year")


class SoulEdit(Form):
    """What somebody changes in its soul: as a rule nothing."""

    model_config = ask_for("add", "remove")

    add: list[SoulText] = Field(default_factory=list, description="what holds for good from now on; empty as a rule")
    remove: list[Text] = Field(default_factory=list, description="sentences that hold no longer, word for word")


class PageEntry(Form):
    """One line of the page of working memory."""

    key: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=60)] = Field(
        description="current_subgoal, known, recent_insights or a word of your own; several lines may have the same"
    )
    text: Annotated[str, StringConstraints(strip_whitespace=True, max_length=1000)]


class MemoryRequest(Form):
    """Somebody is asked for their memories."""

    model_config = ask_for("to", "about")

    to: Text = Field(description="id of the person whose memories you want")
    about: list[Text] = Field(default_factory=list, description="key words they are to be about; empty = all of them")


class MemoryAnswer(Form):
    """What somebody is told who has asked for memories."""

    model_config = ask_for("to", "share")

    to: Text = Field(description="id of the person who asked")
    share: bool = Field(description="true = they get a copy; false = you keep them to yourself")


class GoalReport(Form):
    """What came of a goal, or a new one."""

    model_config = ask_for("id", "event", "text")

    id: str = Field(default="", description="its id, as shown; empty for a new one")
    event: Literal["new", "progress", "reached", "abandoned"]
    text: ShortText = Field(description="what you want to reach; what you have come closer by; why it is over")


def _no_page(value: object) -> object:
    return {} if value is None or isinstance(value, str) else value


def _text_lines(value: object) -> object:
    return [] if value is None else [value] if isinstance(value, str) else value


NowLines = Annotated[list[str], BeforeValidator(_text_lines)]


class NowEntry(Form):
    """What occupies a character, and what it has come to think."""

    model_config = ask_for("occupies", "thinks")

    occupies: NowLines = Field(
        default_factory=list, description="what occupies you now: one to three sentences, first person"
    )
    thinks: NowLines = Field(
        default_factory=list, description="what you have come to think: up to four sentences; empty = nothing yet"
    )


SoulLayer = Annotated[SoulEdit, BeforeValidator(_empty_when_absent), OfLayer("soul")]
PageLayer = Annotated[list[PageEntry], BeforeValidator(_page_lines), OfLayer("working")]
NowLayer = Annotated[NowEntry, BeforeValidator(_no_page), OfLayer("now")]


# One turn of a scene.

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
    tags: list[Text] = Field(default_factory=list, description="2–6 key words, lower case, names as ids")
    evidence: list[Text] = Field(default_factory=list, description="ids of own memories it rests on")
    facets: Weighed = None
    kind: Annotated[FinerKind, OfLayer("kinds")] = Field(
        default="", description="emotional = a feeling; procedural = how something is done; semantic = a fact; or empty"
    )


class NewArtifact(Form):
    """A piece of work finished in this scene."""

    model_config = ask_for("title", "kind", "description", "body", "audience", "replaces")

    title: Text
    kind: ArtifactKind = Field(description="folder in the gallery, one word")
    description: Text = Field(description="one sentence: what it is and what is special about it")
    body: Text = Field(description="the whole piece, in Markdown")
    audience: Annotated[list[Text], _or([])] = Field(
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

    kind: Literal["promise", "question", "appointment", "silence"] = Field(
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
    outcome: Literal["kept", "broken", "answered", "dropped"]
    text: str = Field(default="", description="how, in one sentence")


class Talk(Form):
    """Somebody to talk to."""

    model_config = ask_for("to", "about", "time", "place", "shows")

    to: Text = Field(description="id of the person; all = a talk of all")
    about: Text
    time: TextOrEmpty = Field(default="", description="morning, noon, afternoon, evening, or 15:00; empty = any time")
    place: TextOrEmpty = Field(default="", description="id of the place; empty = anywhere")
    shows: Annotated[int, Field(ge=0), _or(0), no_truth("a whole number")] = Field(
        default=0, description="number of the item of work that has to be done first, to be shown; 0 = none"
    )


class Plan(Form):
    """What the character means to do today."""

    model_config = ask_for("work", "alone")

    work: list[Text] = Field(min_length=1, max_length=5, description="what you work on, most important first")
    talk_to: list[Talk] = Field(default_factory=list, description="whom you want to talk to; empty = nobody")
    library: str | None = Field(default=None, description="what you look up in the library; null = no visit")
    alone: Annotated[bool, _or(False)] = Field(default=False, description="true = you want no company today")
    importance: Importance | None = None
    facets: Weighed = None


class ItemReport(Form):
    """What became of an item of the plan."""

    model_config = ask_for("item", "status", "text")

    item: Annotated[int, Field(ge=1), no_truth("the number of an item")] = Field(description="its number, as shown")
    status: Literal["done", "moved", "dropped"]
    text: TextOrEmpty = Field(default="", description="why it is moved or dropped, in a few words; else empty")


ItemReports = Annotated[list[ItemReport], _or([])]


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
    relationships: Annotated[list[Regard], OfLayer("relationships")] = Field(
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
    soul: SoulLayer = Field(
        default_factory=SoulEdit, description="what changes in your soul; both lists empty as a rule"
    )
    working: PageLayer = Field(
        default_factory=list, description="your whole new page, line by line; empty = it stays as it is"
    )
    memory_requests: Annotated[list[MemoryRequest], OfLayer("share")] = Field(
        default_factory=list, description="whose memories you ask for; empty = nobody's"
    )
    memory_answers: Annotated[list[MemoryAnswer], OfLayer("share")] = Field(
        default_factory=list, description="your answer to each one who has asked for yours"
    )
    goal_reports: Annotated[list[GoalReport], OfLayer("goals")] = Field(
        default_factory=list, description="what happened to your goals in this scene; empty = nothing"
    )
    decisions: Annotated[list[Text], OfLayer("decisions")] = Field(
        default_factory=list, description="only if you lead: what was decided here, a sentence each; empty = nothing"
    )


class PlanningReply(SceneReply):
    """The answer to a scene that asks for the plan of the day."""

    model_config = ask_for("mood", "move_to", "plan_status", "plan")

    plan: Plan = Field(description="your plan for today")


# Looking back: on a day, on what was lived through lately, on old memories.


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
    now: NowLayer = Field(default_factory=NowEntry, description="your page, whole; both lists empty = it stays")


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
    mood: Text = Field(description="your mood this evening, one to three words")
    tags: list[Text] = Field(default_factory=list, description="two to five key words, lower case, names as ids")
    plan_status: ItemReports = Field(
        default_factory=list, description="what became of items that are open; what is left out is moved"
    )
    closes: Annotated[list[Closed], _or([])] = Field(
        default_factory=list, description="what was open and was settled today without a scene; usually empty"
    )
    now: NowLayer = Field(default_factory=NowEntry, description="your page, whole; both lists empty = it stays")
    working: PageLayer = Field(
        default_factory=list, description="your whole new page, line by line; empty = it stays as it is"
    )


class AskReply(Form):
    """The answer to a question out of scene."""

    model_config = ask_for("answer", "thoughts", "conversation", "mood")

    answer: str = Field(description="what you say, as you say it; empty = you do not answer")
    thoughts: str = Field(default="", description="what you think and do not say")
    conversation: Takeaway | SkipJsonSchema[None] = Field(default=None, description="what the question was about")
    mood: str = Field(default="", description="your mood afterwards, one to three words")
    dialogue: SkipJsonSchema[list[Line]] = Field(default_factory=list)
    """The answer in the form of a scene, as it used to be given."""

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

    evidence: Annotated[list[Text], _or([])] = Field(
        default_factory=list,
        description="what the answer rests on: ids of memories, and the words for what has no id",
    )


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
    """The answer to the question what remains of old memories."""

    themes: list[Theme] = Field(min_length=1, max_length=5, description="one to five themes")


# In no character's name: how important memories are, and which scene is played next.

Place = Annotated[int, Field(ge=1, le=99), no_truth("the number of a scene in the list")]


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

    number: Place = Field(description="number of the scene that you choose")
    why: ShortText = Field(description="why this one now: one or two sentences, for the logbook")
    premise: ShortText = Field(description="how it begins: one to three sentences that all who take part know")
    premises: list[OwnPremise] = Field(
        default_factory=list, description="what only one of them knows or sees; empty as a rule"
    )
