"""One part of each kind that a package can add to gm, as short as it can be."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gm.base.config import IndexSettings
from gm.llm.base import Answer, Request, Surroundings, Usage
from gm.memory.recall.columns import Columns
from gm.memory.recall.query import Query
from gm.memory.recall.scored import Ranked, RecallInputs, Scored
from gm.model.scene import ENCOUNTER, Candidate, Scene
from gm.model.world import World
from gm.scene.score import reason


@dataclass(frozen=True)
class Parrot:
    """Fills the schema of a reply with one sentence."""

    model: str
    name: str = "parrot"
    reads_facts: bool = False

    def ask(self, request: Request) -> Answer:
        text = json.dumps(_fill(request.schema, request.schema))
        return Answer(text, self.model, usage=Usage(input_tokens=1, output_tokens=1))


def parrot(model: str, _around: Surroundings) -> Parrot:
    """Make the backend of ``--model parrot`` and ``--model parrot:MODEL``."""
    return Parrot(model or "grey")


def _fill(schema: Mapping[str, Any], whole: Mapping[str, Any]) -> object:
    if "$ref" in schema:
        return _fill(whole["$defs"][schema["$ref"].rpartition("/")[2]], whole)
    if "anyOf" in schema:
        return _fill(schema["anyOf"][0], whole)
    if "enum" in schema:
        return schema["enum"][0]
    match schema.get("type"):
        case "object":
            return {name: _fill(part, whole) for name, part in schema.get("properties", {}).items()}
        case "array":
            return [_fill(schema["items"], whole)] * schema.get("minItems", 0)
        case "integer" | "number":
            return max(schema.get("minimum", 1), 1)
        case "boolean":
            return False
        case _:
            return "The rain has stopped."


def first(_query: Query, streams: Sequence[Columns], _means: RecallInputs) -> Ranked:
    """Rank the oldest memories first."""
    found = []
    for stream in streams:
        scores = {place: 1 / (1 + place) for place in range(stream.size)}
        found.append(Scored(stream, scores, lambda place: {"age": 1 / (1 + place)}))
    return found, ()


class Letters:
    """Counts letters."""

    batch = 8
    where = "this process"

    def __init__(self, settings: IndexSettings, _environment: Mapping[str, str]) -> None:
        self.size = settings.used_dimensions

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [[float(text.count(chr(97 + number % 26))) for number in range(self.size)] for text in texts]


def weather(world: World, time: str) -> Iterator[Candidate]:
    """Yield a talk of the first two about the sun, in the evening."""
    if time == "evening" and len(world.agents) > 1:
        one, two = sorted(world.agents)[:2]
        text = "The sun has come out late."
        yield Candidate(
            type=ENCOUNTER,
            cast=(one, two),
            place=world.agents[one].home,
            reasons=(reason(world, "weather", 1.0, "why_added", text=text),),
            premise=("premise_added", {"text": text}),
        )


def last(_world: World, scenes: Sequence[Scene]) -> int:
    """Choose what the rules like least."""
    return len(scenes) - 1
