"""Questions that were written for these worlds before any recall was run on them, and have stayed as they were.

``bench/questions`` holds them: 120 in German about three days of the studio that language models played, 60 in English
about ten rehearsed days of the ferry; the memories lie beside them. A language model wrote them from the memories, as
a curious reader who does not use their words. Each thing asked for has the memories that were seen to hold it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path

from bench.recalling.asking import Question
from bench.recalling.worlds import World
from gm.memory.recall.lexicon import MemoryLexicon
from gm.memory.recall.query import Query
from gm.model.node import Node, node_from_record

FOLDER = Path(__file__).parents[1] / "questions"
STUDIO, FERRY = FOLDER / "studio-de.jsonl", FOLDER / "ferry-en.jsonl"
STUDIO_STREAM, FERRY_STREAM = FOLDER / "studio-stream.jsonl", FOLDER / "ferry-stream.jsonl"
KINDS = ("single", "multi", "temporal", "never")
IN_COMMON = 5
"""Words in a row that a question must not share with its evidence."""


@dataclass(frozen=True, slots=True)
class Written:
    """A question, and for each thing that it asks for the ids of the memories that hold it."""

    kind: str
    question: str
    facts: tuple[frozenset[str], ...]


def load_written(path: Path) -> list[Written]:
    """Read the questions of a file."""
    lines = path.read_text(encoding="utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    return [Written(one["kind"], one["question"], tuple(map(frozenset, one["facts"]))) for one in records]


def load_streams(path: Path) -> dict[str, tuple[Node, ...]]:
    """Read memories by owner."""
    lines = path.read_text(encoding="utf-8").splitlines()
    nodes = [node_from_record({"metadata": {}, **json.loads(line)}) for line in lines]
    return {owner: tuple(group) for owner, group in groupby(nodes, lambda node: node.id.rpartition("-")[0])}


def check_written(written: Sequence[Written], texts: Mapping[str, str]) -> list[str]:
    """Return what breaks the rules: an unknown kind, evidence that does not exist, words of the evidence."""
    problems = [f"unknown kind: {one.kind}" for one in written if one.kind not in KINDS]
    for one in written:
        asked = _runs(one.question)
        for name in (name for fact in one.facts for name in fact):
            if name not in texts:
                problems.append(f"{name} does not exist: {one.question}")
            elif asked & _runs(texts[name]):
                problems.append(f"{IN_COMMON} words of {name}: {one.question}")
        if not one.facts or not all(one.facts):
            problems.append(f"no evidence: {one.question}")
    return problems


def _runs(text: str) -> set[tuple[str, ...]]:
    words = re.findall(r"\w+", text.casefold())
    return {tuple(words[place : place + IN_COMMON]) for place in range(len(words) - IN_COMMON + 1)}


def studio_questions(world: World) -> list[Question]:
    """Return the German questions, asked of all streams of the three days together.

    ``world`` has the cast and the weekdays of the studio; its own memories are not used.
    """
    world = replace(world, streams=load_streams(STUDIO_STREAM))
    streams = tuple(world.lexicon(owner, len(nodes)) for owner, nodes in world.streams.items())
    written = load_written(STUDIO)
    return [
        Question(world.query(one.question, next(iter(world.streams))), one.kind, "studio-de", one.facts, streams)
        for one in written
    ]


def ferry_questions() -> list[Question]:
    """Return the English questions, asked of all streams of the ferry together."""
    nodes = load_streams(FERRY_STREAM)
    streams = tuple(MemoryLexicon(owner, own, "en") for owner, own in nodes.items())
    people = tuple((owner, owner.capitalize()) for owner in nodes)
    day = max(node.when.day for own in nodes.values() for node in own)
    weekdays = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
    asker = next(iter(nodes))
    return [
        Question(
            Query(one.question, asker, day, people=people, weekdays=weekdays), one.kind, "ferry-en", one.facts, streams
        )
        for one in load_written(FERRY)
    ]
