"""The lines of a logbook as typed dictionaries, for the reference: gm reads them tolerantly and never by these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NotRequired, TypedDict


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
        actions: the same, sorted: {agent, text}
        dialogue: the same, sorted: {agent, to, text}
        thoughts: the same, sorted: {agent, text}
        artifacts: paths of what was finished
        answers: keys of what the scene takes up
        memories: what was remembered: {agent, id, importance}
        formed: how many memories each one formed by itself
        formed_ids: their ids
        duplicates: what was not kept twice: {agent, importance, text, as}
        outweighed: ids of what went to the archive for it
        threads: events of threads: {id, event, by, …}
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
    turns: Sequence[Mapping[str, Any]]
    actions: Sequence[Mapping[str, Any]]
    dialogue: Sequence[Mapping[str, Any]]
    thoughts: Sequence[Mapping[str, Any]]
    artifacts: Sequence[str]
    answers: Sequence[str]
    memories: Sequence[Mapping[str, Any]]
    formed: NotRequired[Mapping[str, int]]
    formed_ids: NotRequired[Mapping[str, Sequence[str]]]
    duplicates: NotRequired[Sequence[Mapping[str, Any]]]
    outweighed: NotRequired[Mapping[str, Sequence[str]]]
    threads: NotRequired[Sequence[Mapping[str, Any]]]
    plan_status: NotRequired[Mapping[str, Any]]
    delivered: NotRequired[Sequence[Mapping[str, Any]]]
    cd_feedback: str
    decisions: NotRequired[Sequence[str]]
    memories_asked: NotRequired[Sequence[Mapping[str, Any]]]
    memories_shared: NotRequired[Sequence[Mapping[str, Any]]]
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
        plans: what came of each plan, by id: {text, status}
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
    memories: NotRequired[Sequence[Mapping[str, Any]]]
    missed: NotRequired[Sequence[Mapping[str, Any]]]
    plans: NotRequired[Mapping[str, Any]]
    turns: NotRequired[Sequence[Mapping[str, Any]]]
    tomorrow: Mapping[str, Any]
