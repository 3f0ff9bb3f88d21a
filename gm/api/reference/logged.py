"""The lines of a logbook as typed dictionaries, for the reference: gm reads them tolerantly and never by these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, NotRequired, TypedDict

from gm.model.turns import TurnRecord


class LoggedText(TypedDict):
    """What a character did, said or thought."""

    agent: str
    text: str


class LoggedMemory(TypedDict):
    """A new memory."""

    agent: str
    id: str
    importance: int


class NotKept(LoggedText):
    """A memory that was not kept."""

    importance: int


Duplicate = TypedDict("Duplicate", {"agent": str, "importance": int, "text": str, "as": str})


class Delivered(TypedDict):
    """A post of the board that was read."""

    post: Annotated[str, "its key"]
    text: Annotated[str, "its beginning"]


class LoggedThread(TypedDict):
    """An event of a thread, without its text."""

    id: str
    event: str
    by: str
    kind: NotRequired[str]
    due: NotRequired[int]
    time: NotRequired[str]
    place: NotRequired[str]
    replaces: NotRequired[str]
    outcome: NotRequired[str]


class PlanEnd(TypedDict):
    """What came of an item of a plan."""

    text: str
    status: str
    why: NotRequired[str]


LoggedRequest = TypedDict("LoggedRequest", {"from": str, "to": str, "about": Sequence[str]})
LoggedGift = TypedDict("LoggedGift", {"from": str, "to": str, "about": Sequence[str], "count": int})


class LoggedScene(TypedDict):
    """A scene: one line of ``state/logbook/day-003.jsonl``, and what a command that plays one prints."""

    scene: Annotated[int, "its number in the day"]
    type: Annotated[str, "name of the scene type"]
    time_of_day: Annotated[str, "morning, noon, afternoon or evening"]
    clock: NotRequired[Annotated[str, "the time, where an appointment has one"]]
    location: Annotated[str, "id of the place"]
    participants: Annotated[Sequence[str], "ids of those who take part"]
    why: Annotated[str, "the reason of the Director, in the world's language"]
    director: NotRequired[Annotated[str, "who chose it: rules, llm, script, a person or a plug-in"]]
    director_note: NotRequired[Annotated[str, "what the model that chose it said about its choice"]]
    score: NotRequired[Annotated[Mapping[str, float], "points by reason, as gm plan shows them"]]
    premise: Annotated[str, "what everybody in it knows at the beginning"]
    premises: NotRequired[Annotated[Mapping[str, str], "what only one of them knows, by id"]]
    note: NotRequired[Annotated[str, "what a person asked for when it was played again"]]
    angle: NotRequired[Annotated[str, "what a reflection is asked about"]]
    summary: Annotated[str, "what happened, in a sentence or some"]
    turns: Annotated[Sequence[TurnRecord], "what each one did, said, thought and finished, in order"]
    actions: Annotated[Sequence[LoggedText], "the same, sorted"]
    dialogue: Annotated[Sequence[LoggedText], "the same, sorted"]
    thoughts: Annotated[Sequence[LoggedText], "the same, sorted"]
    artifacts: Annotated[Sequence[str], "paths of what was finished"]
    tags: NotRequired[Annotated[Sequence[str], "of the planned scene, where it has some"]]
    answers: Annotated[Sequence[str], "keys of what the scene takes up"]
    memories: Annotated[Sequence[LoggedMemory], "what was remembered"]
    formed: NotRequired[Annotated[Mapping[str, int], "how many memories each one formed by itself"]]
    formed_ids: NotRequired[Annotated[Mapping[str, Sequence[str]], "their ids"]]
    duplicates: NotRequired[
        Annotated[Sequence[Duplicate], "what was not kept twice; as is the id of the memory that says the same"]
    ]
    over_allowance: NotRequired[
        Annotated[Sequence[NotKept], "what was not kept because it was more than a scene allows"]
    ]
    outweighed: NotRequired[Annotated[Mapping[str, Sequence[str]], "ids of what went to the archive for it"]]
    threads: NotRequired[Annotated[Sequence[LoggedThread], "events of threads"]]
    plan_status: NotRequired[Annotated[Mapping[str, Sequence[PlanEnd]], "what came of items of plans, by id"]]
    delivered: NotRequired[Annotated[Sequence[Delivered], "posts of the board that were read"]]
    cd_feedback: Annotated[str, "feedback of the Creative Director"]
    read: NotRequired[
        Annotated[
            Mapping[str, Sequence[str]],
            "by id, paths of pieces on the board that lay before one who had only been there when they were finished",
        ]
    ]
    decisions: NotRequired[Annotated[Sequence[str], "what the team decided"]]
    memories_asked: NotRequired[Annotated[Sequence[LoggedRequest], "requests for memories"]]
    memories_shared: NotRequired[Annotated[Sequence[LoggedGift], "memories that were given"]]
    moved_to: NotRequired[Annotated[Sequence[str], "where characters went"]]
    joined: NotRequired[Annotated[Sequence[str], "participants who joined because they were spoken to"]]
    souls: NotRequired[
        Annotated[
            Sequence[Mapping[str, Any]],
            "changes of souls, by character; other layers of a mind are told alike, under their own keys",
        ]
    ]


class LoggedSummary(TypedDict):
    """The last line of a day."""

    type: Annotated[str, "always SUMMARY"]
    summary: Annotated[str, "the day in a sentence"]
    highlights: Annotated[Sequence[str], "what was remembered with most weight"]
    finished: Annotated[Sequence[str], "paths of what was finished"]
    artifacts: NotRequired[Annotated[Sequence[str], "of these, what was finished alone in the evening"]]
    reflected: Annotated[Sequence[str], "ids of those who looked back"]
    open_threads: Annotated[Sequence[str], "what is open, in sentences"]
    carried: Annotated[Sequence[Mapping[str, Any]], "why threads stay open: {thread, reason}"]
    memories: NotRequired[Annotated[Sequence[LoggedMemory], "what was left undone or finished alone, as memories"]]
    missed: NotRequired[Annotated[Sequence[Mapping[str, Any]], "appointments that came to nothing"]]
    plans: NotRequired[Annotated[Mapping[str, Sequence[PlanEnd]], "what came of each plan, by id"]]
    turns: NotRequired[Annotated[Sequence[TurnRecord], "what characters did in the evening"]]
    retold: NotRequired[Annotated[str, "the day as the narrator retells it, with narrator: on"]]
    chapter: NotRequired[Annotated[str, "the day as a chapter, empty lines between paragraphs, with chapters: on"]]
    tomorrow: Annotated[Mapping[str, Any], "the day, events, due threads and reflections of the next morning"]
