"""What the rehearsal asks its memory where a character is to find out who it is, and what it makes of the answers.

As document 000 has it: first who and where one is, then what is remembered of the matter at hand. A character that
found nothing about itself has no lines of its own to speak: it gets along with common phrases.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from gm.llm.base import Request
from gm.llm.content import ToolCall, ToolResult
from gm.llm.facts import Cue
from gm.model.node import Node

SELF, SCENE, MEMORY = "query_self", "query_scene", "query_memory"

Looked = tuple[str, Mapping[str, Any], Mapping[str, Any]]
"""One call: the tool, its arguments, and the document that came back; empty where nothing did."""


def compose_calls(request: Request, cue: Cue) -> tuple[ToolCall, ...]:
    """Compose the calls of one round; none when enough is known."""
    called = {tool for tool, _, _ in _looked_up(request, cue)} | _refused(request)
    offered = {tool.name for tool in request.tools}
    first: list[tuple[str, Mapping[str, Any]]] = [(name, {}) for name in (SELF, SCENE) if name in offered - called]
    if first:
        return _calls(request, first)
    is_time = cue.turn != 1 or cue.turns == 1
    matter = _matter(cue)
    if matter and is_time and cue.kind == "scene" and MEMORY in offered - called:
        return _calls(request, [(MEMORY, {"query": matter})])
    return ()


def from_results(request: Request, cue: Cue) -> Cue:
    """Put what came back into the facts: what one remembers, and who one is only if one has found out."""
    looked_up = list(_looked_up(request, cue))
    knows_itself = any(tool == SELF and list(_memories(document)) for tool, _, document in looked_up)
    agent = cue.agent if knows_itself else replace(cue.agent, persona={})
    found = (_remembered(item) for tool, _, document in looked_up if tool == MEMORY for item in _memories(document))
    return replace(cue, agent=agent, memories=(*cue.memories, *found))


def _calls(request: Request, wanted: Iterable[tuple[str, Mapping[str, Any]]]) -> tuple[ToolCall, ...]:
    return tuple(ToolCall(f"{request.label}-{number}", name, given) for number, (name, given) in enumerate(wanted, 1))


def _looked_up(request: Request, cue: Cue) -> Iterator[Looked]:
    """Give what was looked up in earlier turns of the scene, then in this one."""
    for item in cue.looked_up or ():
        yield item.tool, item.arguments, _document(item.text)
    results = {item.id: item for item in _parts(request, ToolResult)}
    for call in _parts(request, ToolCall):
        result = results.get(call.id)
        if result is not None and not result.is_error:
            yield call.name, call.arguments, _document(result.text)


def _refused(request: Request) -> set[str]:
    """Name the tools that gave an error: nobody asks them twice."""
    failed = {item.id for item in _parts(request, ToolResult) if item.is_error}
    return {call.name for call in _parts(request, ToolCall) if call.id in failed}


def _parts(request: Request, kind: type[Any]) -> Iterator[Any]:
    for _, content in request.messages:
        yield from (part for part in content if isinstance(part, kind)) if isinstance(content, tuple) else ()


def _document(text: str) -> Mapping[str, Any]:
    try:
        data = json.loads(text)
    except ValueError:
        return {}
    return data if isinstance(data, dict) else {}


def _memories(document: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    found = document.get("memories")
    yield from (item for item in found if isinstance(item, dict)) if isinstance(found, list) else ()


def _remembered(item: Mapping[str, Any]) -> Node:
    importance = item.get("importance", 5)
    return Node(
        id=str(item.get("id", "")),
        created="",
        type="observation",
        depth=0,
        description=str(item.get("content", "")).strip(),
        importance=int(importance) if isinstance(importance, int | float) else 0,
    )


def _matter(cue: Cue) -> str:
    """Say what a scene is about: its topic, what is intended, the last line, or what one is at."""
    last = cue.dialogue[-1].text if cue.dialogue else ""
    texts = (text.strip() for text in (cue.scene.topic, cue.scene.intent, last, cue.task))
    return next((text for text in texts if text), "")
