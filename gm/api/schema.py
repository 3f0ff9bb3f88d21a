"""JSON Schemas of a world's records and settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gm.ask.prompt.scenetypes import FrontMatter
from gm.base.config import Settings
from gm.base.config.declare import Section
from gm.base.config.manual import settings_schema
from gm.files.scripttext import DAY
from gm.layers.diary import DIARY_ENTRY
from gm.layers.goals import GOAL_EVENT
from gm.layers.relationships import RELATIONSHIP
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
RECORDS: Mapping[str, tuple[str, Record[Any]]] = {
    "memory": ("a line of state/memories/AGENT.jsonl", NODE),
    "agent": ("state/agents/AGENT.json", AGENT_STATE),
    "world": ("state/world.json", CLOCK),
    "board": ("state/bulletin.json", BOARD),
    "thread": ("a line of state/threads.jsonl", THREAD_EVENT),
    "goal": ("a line of state/goals/AGENT.jsonl", GOAL_EVENT),
    "diary": ("a line of state/diary/AGENT.jsonl", DIARY_ENTRY),
    "relationship": ("a value in state/relationships/AGENT.json", RELATIONSHIP),
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
