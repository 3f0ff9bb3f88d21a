"""JSON Schemas of a world's records and settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from gm.ask.prompt.scenetypes import FrontMatter
from gm.base.config import Settings
from gm.base.config.declare import Section
from gm.base.config.manual import settings_schema
from gm.files.scripttext import DAY
from gm.layers import LAYERS
from gm.layers.declare import LINES
from gm.memory.lens_form import LENS
from gm.model.clock import BOARD, CLOCK
from gm.model.link import LINK_REQUEST
from gm.model.node import NODE
from gm.model.record import Record
from gm.model.state import AGENT_STATE
from gm.model.thread import THREAD_EVENT

DIALECT = "https://json-schema.org/draft/2020-12/schema"
SECTIONS: Mapping[str, tuple[str, type[Section]]] = {
    "settings": ("gm.yaml", Settings),
    "scene-type": ("the front matter of a template in prompts/scenes/", FrontMatter),
}


def _of_layers() -> Iterator[tuple[str, tuple[str, Record[Any]]]]:
    for file in sorted((layer.file for layer in LAYERS), key=lambda file: file.ending, reverse=True):  # lines first
        if file.record is not None:
            part = "a line of" if file.ending == LINES else "a value in"
            yield file.record.name, (f"{part} state/{file.folder}/AGENT{file.ending}", file.record)


RECORDS: Mapping[str, tuple[str, Record[Any]]] = {
    "memory": ("a line of state/memories/AGENT.jsonl", NODE),
    "agent": ("state/agents/AGENT.json", AGENT_STATE),
    "world": ("state/world.json", CLOCK),
    "board": ("state/bulletin.json", BOARD),
    "thread": ("a line of state/threads.jsonl", THREAD_EVENT),
    **dict(_of_layers()),
    "lens": ("an item of lenses in a persona", LENS),
    "script": ("scripts/NAME.yaml", DAY),
    "request": ("an item of requests in state/links.json", LINK_REQUEST),
}
PLACES = {name: place for name, (place, _) in (*SECTIONS.items(), *RECORDS.items())}
"""Where each record is stored, by its name in ``gm schema``."""


def describe_schema(name: str) -> dict[str, object]:
    """Return the JSON Schema of a record (one of ``PLACES``)."""
    own = settings_schema(SECTIONS[name][1]) if name in SECTIONS else RECORDS[name][1].schema()
    return {"$schema": DIALECT, **own, "description": PLACES[name]}
