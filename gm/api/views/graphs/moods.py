"""Moods over the days, in the characters' own words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from gm.api.views.graphs.base import COLOURS, Cast, Graph, GraphTable
from gm.base.casefold import casefold

DIARY, LOG, TRACES, FILE = "diary", "log", "traces", "file"
SOURCES = (DIARY, LOG, TRACES, FILE)
MOST_DAYS = 28
NAMED = 3
"""Number of words in the finding."""


@dataclass(frozen=True, slots=True)
class Mood:
    """A character's mood at the end of a day, from diary, log, traces or file."""

    agent: str
    day: int
    word: str
    source: str


def draw_moods(
    cast: Cast, moods: Sequence[Mood], days: Sequence[int], shown: Sequence[str] = (), *, is_withheld: bool = False
) -> Graph:
    """Draw a calendar of words: a line per day, a column per character.

    Args:
        moods: At most one per character and day.
        shown: Agent ids; empty = all.
        is_withheld: Whether moods that were kept may be missing because they are private.
    """
    say = cast.say
    agents = tuple(shown) or tuple(cast.names)
    latest = tuple(days[-MOST_DAYS:])
    kept = {(mood.agent, mood.day): mood for mood in moods if mood.word and mood.agent in agents and mood.day in latest}
    known = min((day for _, day in kept), default=0)
    before, latest = [day for day in latest if day < known], tuple(day for day in latest if day >= known)
    tones = _tones(kept)
    lines = [
        {
            "day": say("day", day=day),
            "cells": [
                {"word": kept[agent, day].word, "tone": tones[_fold_mood(kept[agent, day].word)]}
                if (agent, day) in kept
                else {"word": "", "tone": 0}
                for agent in agents
            ],
        }
        for day in reversed(latest)
    ]
    rows = tuple(
        (
            say("day", day=day),
            *(kept[agent, day].word if (agent, day) in kept else say("moods.unknown") for agent in agents),
        )
        for day in reversed(latest)
    )
    single = agents[0] if len(shown) == 1 else ""
    note = _note_sources(cast, kept)
    if is_withheld:
        note += " " + say("moods.withheld")
    if before and not is_withheld:
        note += " " + say("moods.before", day=known)
    elif len(days) > len(latest):
        note += " " + say("moods.latest", shown=len(latest), all=len(days))
    table = GraphTable((say("when"), *map(cast.called, agents)), rows if kept else ())
    data = {"people": [cast.shown_agent(agent) for agent in agents], "lines": lines}
    graph = Graph("moods", say("moods.title"), _state_finding(cast, kept, agents), note.strip(), table, only=single)
    return replace(graph, data=data, agents=agents) if kept else graph


def _fold_mood(word: str) -> str:
    return casefold(" ".join(word.split()))


def _tones(kept: Mapping[tuple[str, int], Mood]) -> dict[str, int]:
    counts = Counter(_fold_mood(mood.word) for mood in kept.values())
    ranked = sorted(counts, key=lambda word: (-counts[word], word))
    return {word: place + 1 if counts[word] > 1 and place < COLOURS else 0 for place, word in enumerate(ranked)}


def _state_finding(cast: Cast, kept: Mapping[tuple[str, int], Mood], agents: Sequence[str]) -> str:
    say = cast.say
    if not kept:
        return say("moods.none")
    counts = Counter(_fold_mood(mood.word) for mood in kept.values())
    most = max(counts.values())
    spelled = {_fold_mood(mood.word): mood.word for mood in reversed(list(kept.values()))}
    if len(kept) == 1:
        sentence = say("moods.one", word=next(iter(spelled.values())))
    elif most == 1:
        sentence = say("moods.different", n=len(kept))
    else:
        ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        often = [say("moods.times", word=spelled[word], n=n) for word, n in ranked[:NAMED] if n > 1]
        sentence = say("moods.finding", words=say.listed(often))
    if len(kept) == 1:
        return sentence
    last = max(day for _, day in kept)
    now = [
        f"{cast.called(agent)} {say('quoted', text=kept[agent, last].word)}"
        for agent in agents
        if (agent, last) in kept
    ]
    return f"{sentence} {say('moods.now', what=', '.join(now))}"


def _note_sources(cast: Cast, kept: Mapping[tuple[str, int], Mood]) -> str:
    counts = Counter(mood.source for mood in kept.values())
    sources = [cast.say(f"moods.{source}", n=counts[source]) for source in SOURCES if counts[source]]
    return cast.say("moods.note", sources=cast.say.listed(sources)) if sources else ""
