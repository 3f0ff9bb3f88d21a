"""What the rehearsal asks its memory where a character is to find out who it is, and what it makes of the answers.

As document 000 has it: first who and where one is, then what is remembered of the matter at hand. A character that
found nothing about itself has no lines of its own to speak: it gets along with common phrases.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from gm.llm.base import Request
from gm.llm.content import ToolCall, ToolResult

SELF, SCENE, MEMORY = "query_self", "query_scene", "query_memory"

Looked = tuple[str, Mapping[str, Any], Mapping[str, Any]]
"""One call: the tool, its arguments, and the document that came back; empty where nothing did."""


def compose_calls(request: Request) -> tuple[ToolCall, ...]:
    """Compose the calls of one round; none when enough is known."""
    called = {tool for tool, _, _ in _looked_up(request)} | _refused(request)
    offered = {tool.name for tool in request.tools}
    first: list[tuple[str, Mapping[str, Any]]] = [(name, {}) for name in (SELF, SCENE) if name in offered - called]
    if first:
        return _calls(request, first)
    facts = request.facts
    is_time = facts.get("turn") != 1 or facts.get("turns") == 1
    matter = _matter(facts)
    if matter and is_time and facts.get("kind") == "scene" and MEMORY in offered - called:
        return _calls(request, [(MEMORY, {"query": matter})])
    return ()


def from_results(request: Request) -> dict[str, Any]:
    """Put what came back into the facts: what one remembers, and who one is only if one has found out."""
    facts = dict(request.facts)
    looked_up = list(_looked_up(request))
    if not any(tool == SELF and list(_memories(document)) for tool, _, document in looked_up):
        agent = facts.get("agent")
        facts["agent"] = {**(agent if isinstance(agent, Mapping) else {}), "persona": {}}
    known = facts.get("memories")
    found = (_remembered(item) for tool, _, document in looked_up if tool == MEMORY for item in _memories(document))
    facts["memories"] = [*(known if isinstance(known, list) else ()), *found]
    return facts


def _calls(request: Request, wanted: Iterable[tuple[str, Mapping[str, Any]]]) -> tuple[ToolCall, ...]:
    return tuple(ToolCall(f"{request.label}-{number}", name, given) for number, (name, given) in enumerate(wanted, 1))


def _looked_up(request: Request) -> Iterator[Looked]:
    """Give what was looked up in earlier turns of the scene, then in this one."""
    earlier = request.facts.get("looked_up")
    for item in earlier if isinstance(earlier, list) else ():
        yield str(item.get("tool")), item.get("arguments") or {}, _document(str(item.get("text")))
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


def _remembered(item: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "id": item.get("id", ""),
        "type": "observation",
        "depth": 0,
        "description": str(item.get("content", "")),
        "importance": item.get("importance", 5),
        "tags": [],
    }


def _matter(facts: Mapping[str, Any]) -> str:
    """Say what a scene is about: its topic, what is intended, the last line, or what one is at."""
    scene, agent = facts.get("scene"), facts.get("agent")
    dialogue = facts.get("dialogue")
    last = dialogue[-1].get("text", "") if isinstance(dialogue, list) and dialogue else ""
    texts = [
        *(scene.get(key, "") for key in ("topic", "intent") if isinstance(scene, Mapping)),
        last,
        agent.get("current_task", "") if isinstance(agent, Mapping) else "",
    ]
    return next((text.strip() for text in texts if isinstance(text, str) and text.strip()), "")
