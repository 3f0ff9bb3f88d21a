"""The neural link of document 003: characters share their memories."""

from __future__ import annotations

import time
from typing import Any

from gm.api.document import as_json
from gm.api.mind.mind import Mind
from gm.api.share import answer_request, request_memories
from gm.files.load import load_world


def neural_link_request_memory(mind: Mind, name: str) -> dict[str, Any]:
    """Ask another character for all of its memories."""
    requested, notes = request_memories(mind.layout, mind.agent.id, mind.other(name).id, (), time.time)
    return {"request": as_json(requested), **_told(notes)}


def neural_link_requests(mind: Mind) -> dict[str, Any]:
    """Return who waits for this character's memories."""
    links = load_world(mind.layout).world.links
    return {
        "requests": [{"from": link.asker, "about": list(link.about)} for link in links if link.giver == mind.agent.id]
    }


def neural_link_share_memory(mind: Mind, name: str) -> dict[str, Any]:
    """Give a character that has asked a copy of one's memories."""
    passed, notes = answer_request(mind.layout, mind.agent.id, mind.other(name).id, time.time, share=True)
    return {"given": as_json(passed), **_told(notes)}


def _told(notes: list[str]) -> dict[str, Any]:
    return {"notes": notes} if notes else {}
