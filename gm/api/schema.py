"""JSON Schemas of a world's files, made from declarations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from gm.ask.prompt.scenetypes import front_matter_schema
from gm.base.config.manual import settings_schema
from gm.files.scripttext import DAY
from gm.layers import LAYERS
from gm.layers.declare import JSON, LINES, YAML
from gm.memory.lens_form import LENS, SHARED_LENS
from gm.model.clock import BOARD, CLOCK
from gm.model.interview import INTERVIEW_ANSWER
from gm.model.link import LINK_REQUEST
from gm.model.node import NODE
from gm.model.persona import FRONT
from gm.model.piece import PIECE
from gm.model.record import Record
from gm.model.state import AGENT_STATE
from gm.model.thread import THREAD_EVENT

DIALECT = "https://json-schema.org/draft/2020-12/schema"
Schema = dict[str, object]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of object in a world's files.

    Attributes:
        files: Pattern of whole files; empty for front matter, lines and parts of other kinds.
        whole: Makes a file's schema from its objects', if it holds several.
    """

    place: str
    describe: Callable[[], Schema]
    files: str = ""
    whole: Callable[[Schema], Schema] = dict


def _by_name(schema: Schema) -> Schema:
    return {"type": "object", "additionalProperties": schema}


def _requests(schema: Schema) -> Schema:
    return {"type": "object", "properties": {"requests": {"type": "array", "items": schema}}}


def _of_layers() -> Iterator[tuple[str, Kind]]:
    for layer in sorted(LAYERS, key=lambda layer: layer.file.ending, reverse=True):  # lines first
        file, form = layer.file, layer.file.form
        where = f"state/{file.folder}/AGENT{file.ending}"
        pattern = f"state/{file.folder}/*{file.ending}"
        if form is not None:
            yield layer.name, Kind(where, form.schema, pattern)
        elif file.record is not None and file.ending == LINES:
            yield file.record.name, Kind(f"a line of {where}", file.record.schema)
        elif file.record is not None:
            yield file.record.name, Kind(f"a value in {where}", file.record.schema, pattern, _by_name)


def _settings() -> Schema:
    return _with_lenses(settings_schema(), SHARED_LENS)


def _persona() -> Schema:
    return _with_lenses(FRONT.schema(), LENS)


def _with_lenses(schema: Schema, record: Record[Any]) -> Schema:
    properties: Any = schema["properties"]
    lenses = {**properties["lenses"], "type": "array", "items": record.schema()}
    lenses.pop("anyOf", None)
    return {**schema, "properties": {**properties, "lenses": lenses}}


KINDS: Mapping[str, Kind] = {
    "settings": Kind("gm.yaml", _settings, "gm.yaml"),
    "persona": Kind("the front matter of state/personas/AGENT.md", _persona),
    "scene-type": Kind("the front matter of a template in prompts/scenes/", front_matter_schema),
    "piece": Kind("the front matter of a text in gallery/", PIECE.schema),
    "memory": Kind("a line of state/memories/AGENT.jsonl", NODE.schema),
    "agent": Kind("state/agents/AGENT.json", AGENT_STATE.schema, "state/agents/*.json"),
    "world": Kind("state/world.json", CLOCK.schema, "state/world.json"),
    "board": Kind("state/bulletin.json", BOARD.schema, "state/bulletin.json"),
    "thread": Kind("a line of state/threads.jsonl", THREAD_EVENT.schema),
    **dict(_of_layers()),
    "answer": Kind("a line of state/.gm/interviews/MOMENT/AGENT.jsonl", INTERVIEW_ANSWER.schema),
    "lens": Kind("an item of lenses in a persona", LENS.schema),
    "script": Kind("scripts/NAME.yaml", DAY.schema, "scripts/*.yaml"),
    "request": Kind("an item of requests in state/links.json", LINK_REQUEST.schema, "state/links.json", _requests),
}
"""What ``gm schema`` describes, by name."""
PLACES = {name: kind.place for name, kind in KINDS.items()}
"""Where each kind is stored, by its name in ``gm schema``."""


def describe_schema(name: str) -> Schema:
    """Return the JSON Schema of a kind (one of ``KINDS``)."""
    kind = KINDS[name]
    return {"$schema": DIALECT, **kind.describe(), "description": kind.place}


def file_schema(name: str) -> Schema:
    """Return the JSON Schema of a kind's files, or of the kind if it has none."""
    kind = KINDS[name]
    return {"$schema": DIALECT, **kind.whole(kind.describe()), "description": kind.place}


def file_patterns(ending: str) -> dict[str, str]:
    """Return patterns of files with an ending (``.json`` or ``.yaml``), by kind."""
    assert ending in (JSON, YAML)
    return {name: kind.files for name, kind in KINDS.items() if kind.files.endswith(ending)}
