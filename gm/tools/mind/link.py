"""The neural link of document 003: ask another character for its memories, and give one's own (S3-18, K18)."""

from __future__ import annotations

import time
from typing import Any

from gm.store.layout import Layout
from gm.store.load import load_world
from gm.tools.mind.mind import open_mind
from gm.tools.share import answer_request, request_memories


def neural_link_request_memory(layout: Layout, agent: str, name: str) -> dict[str, Any]:
    """Ask another character for all of its memories."""
    mind = open_mind(layout, agent)
    document, notes = request_memories(layout, mind.agent.id, mind.other(name).id, (), time.time)
    return {"request": document, **_told(notes)}


def neural_link_requests(layout: Layout, agent: str) -> dict[str, Any]:
    """Name who waits for this character's memories."""
    mind = open_mind(layout, agent)
    links = load_world(layout).world.links
    return {
        "requests": [{"from": link.asker, "about": list(link.about)} for link in links if link.giver == mind.agent.id]
    }


def neural_link_share_memory(layout: Layout, agent: str, name: str) -> dict[str, Any]:
    """Give a character who has asked for them a copy of one's memories; nothing is lost by it."""
    mind = open_mind(layout, agent)
    document, notes = answer_request(layout, mind.agent.id, mind.other(name).id, time.time, share=True)
    return {"given": document, **_told(notes)}


def _told(notes: list[str]) -> dict[str, Any]:
    return {"notes": notes} if notes else {}
