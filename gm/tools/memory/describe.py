"""Memories as plain data: one with what it rests on, all of a stream, those that a text is found in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gm.memory.lens import read_through
from gm.memory.lens_form import lenses_of
from gm.memory.search import carries, find_text
from gm.model.character import Agent, AgentState
from gm.model.fold import fold
from gm.model.node import node_record
from gm.store.commits.snapshot import snapshot
from gm.store.layout import Layout
from gm.store.load import load_persona, load_settings
from gm.tools.memory.kept import Kept, line_of, line_print, list_kept


def describe_memory(layout: Layout, kept: Kept) -> dict[str, Any]:
    """Describe one memory, with its place, what it rests on and what rests on it."""
    with snapshot(layout):
        everything = [other for name in layout.agent_names() for other in list_kept(layout, name)]
        line = line_of(layout, kept)
    by_id = {fold(other.node.id): other for other in everything}
    return {
        **_described(kept),
        "line_sha256": line_print(line),
        **_seen_as(layout, kept),
        "rests_on": [
            _described(by_id[fold(cited)]) if fold(cited) in by_id else {"missing": cited}
            for cited in kept.node.evidence
        ],
        "cited_by": [
            other.node.id
            for other in everything
            if any(fold(cited) == fold(kept.node.id) for cited in other.node.evidence)
        ],
    }


def _seen_as(layout: Layout, kept: Kept) -> dict[str, Any]:
    """Tell how a memory reads through the lenses of whoever has it; nothing where it reads as it stands."""
    persona = load_persona(layout, kept.agent)[0]
    agent = Agent(kept.agent, AgentState(kept.agent), persona)
    text, names = read_through(kept.node, lenses_of(load_settings(layout)[0], agent))
    return {"seen_as": {"text": text, "lens": list(names)}} if names else {}


def describe_stream(layout: Layout, agent: str) -> dict[str, Any]:
    """Describe all memories of an agent."""
    with snapshot(layout):
        return {"agent": agent, "memories": [_described(kept) for kept in list_kept(layout, agent)]}


def describe_found(
    layout: Layout, text: str, agents: Sequence[str] = (), tags: Sequence[str] = (), kind: str = ""
) -> dict[str, Any]:
    """Search descriptions and tags of everybody, or of some, in the form of ``gm memory find --json``."""
    found = []
    with snapshot(layout):
        everything = [list(list_kept(layout, name)) for name in agents or layout.agent_names()]
    for kept in everything:
        matching = {id(node) for node in find_text((item.node for item in kept), text)}
        for item in kept:
            is_kind = not kind or fold(item.node.type) == fold(kind)
            if id(item.node) in matching and is_kind and (not tags or carries(item.node, tags)):
                found.append(_described(item))
    return {"query": text, "count": len(found), "memories": found}


def _described(kept: Kept) -> dict[str, Any]:
    described = {"agent": kept.agent, "path": kept.path, "line": kept.line, **node_record(kept.node)}
    if kept.archived:
        described["archived"] = True
    if kept.summary:
        described["summary"] = True
    if kept.is_older:
        described["older_shape"] = True
    return described
