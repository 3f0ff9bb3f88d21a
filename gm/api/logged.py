"""The lines of a logbook as typed dictionaries, for the reference: gm reads them tolerantly and never by these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NotRequired, TypedDict

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
    """A post of the board that was read.

    Attributes:
        post: its key
        text: its beginning
    """

    post: str
    text: str


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
    """A scene: one line of ``state/logbook/day-003.jsonl``, and what a command that plays one prints.

    Attributes:
        scene: its number in the day
        type: name of the scene type
        time_of_day: morning, noon, afternoon or evening
        clock: the time, where an appointment has one
        location: id of the place
        participants: ids of those who take part
        why: the reason of the Director, in the world's language
        director: who chose it: rules, llm, script, a person or a plug-in
        director_note: what the model that chose it said about its choice
        score: points by reason, as gm plan shows them
        premise: what everybody in it knows at the beginning
        premises: what only one of them knows, by id
        note: what a person asked for when it was played again
        angle: what a reflection is asked about
        summary: what happened, in a sentence or some
        turns: what each one did, said, thought and finished, in order
        actions: the same, sorted
        dialogue: the same, sorted
        thoughts: the same, sorted
        artifacts: paths of what was finished
        tags: of the planned scene, where it has some
        answers: keys of what the scene takes up
        memories: what was remembered
        formed: how many memories each one formed by itself
        formed_ids: their ids
        duplicates: what was not kept twice; as is the id of the memory that says the same
        over_allowance: what was not kept because it was more than a scene allows
        outweighed: ids of what went to the archive for it
        threads: events of threads
        plan_status: what came of items of plans, by id
        delivered: posts of the board that were read
        cd_feedback: feedback of the Creative Director
        decisions: what the team decided
        memories_asked: requests for memories
        memories_shared: memories that were given
        moved_to: where characters went
        souls: changes of souls, by character; other layers of a mind are told alike, under their own keys
    """

    scene: int
    type: str
    time_of_day: str
    clock: NotRequired[str]
    location: str
    participants: Sequence[str]
    why: str
    director: NotRequired[str]
    director_note: NotRequired[str]
    score: NotRequired[Mapping[str, float]]
    premise: str
    premises: NotRequired[Mapping[str, str]]
    note: NotRequired[str]
    angle: NotRequired[str]
    summary: str
    turns: Sequence[TurnRecord]
    actions: Sequence[LoggedText]
    dialogue: Sequence[LoggedText]
    thoughts: Sequence[LoggedText]
    artifacts: Sequence[str]
    tags: NotRequired[Sequence[str]]
    answers: Sequence[str]
    memories: Sequence[LoggedMemory]
    formed: NotRequired[Mapping[str, int]]
    formed_ids: NotRequired[Mapping[str, Sequence[str]]]
    duplicates: NotRequired[Sequence[Duplicate]]
    over_allowance: NotRequired[Sequence[NotKept]]
    outweighed: NotRequired[Mapping[str, Sequence[str]]]
    threads: NotRequired[Sequence[LoggedThread]]
    plan_status: NotRequired[Mapping[str, Sequence[PlanEnd]]]
    delivered: NotRequired[Sequence[Delivered]]
    cd_feedback: str
    decisions: NotRequired[Sequence[str]]
    memories_asked: NotRequired[Sequence[LoggedRequest]]
    memories_shared: NotRequired[Sequence[LoggedGift]]
    moved_to: NotRequired[Sequence[str]]
    souls: NotRequired[Sequence[Mapping[str, Any]]]


class LoggedSummary(TypedDict):
    """The last line of a day.

    Attributes:
        type: always SUMMARY
        summary: the day in a sentence
        highlights: what was remembered with most weight
        finished: paths of what was finished
        reflected: ids of those who looked back
        open_threads: what is open, in sentences
        carried: why threads stay open: {thread, reason}
        memories: what was left undone, as memories: {agent, id, importance}
        missed: appointments that came to nothing
        plans: what came of each plan, by id
        turns: what characters did in the evening
        tomorrow: the day, events, due threads and reflections of the next morning
    """

    type: str
    summary: str
    highlights: Sequence[str]
    finished: Sequence[str]
    reflected: Sequence[str]
    open_threads: Sequence[str]
    carried: Sequence[Mapping[str, Any]]
    memories: NotRequired[Sequence[LoggedMemory]]
    missed: NotRequired[Sequence[Mapping[str, Any]]]
    plans: NotRequired[Mapping[str, Sequence[PlanEnd]]]
    turns: NotRequired[Sequence[TurnRecord]]
    tomorrow: Mapping[str, Any]
