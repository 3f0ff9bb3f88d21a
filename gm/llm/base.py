"""The contract of every backend."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Block:
    """A part of the system prompt. ``cache`` marks the end of a prefix that stays the same over many calls."""

    text: str
    cache: bool = False


@dataclass(frozen=True, slots=True)
class Request:
    """One question to a model.

    Attributes:
        label: Short name, unique within its scene: ``vera``, ``vera-turn-2``, ``vera-again``; names the trace.
        purpose: ``scene`` or ``reflection``.
        system: Stable blocks, the most stable first.
        messages: Alternating user and assistant texts, ending with a user text: ``(("user", …), …)``.
        schema: JSON schema of the reply.
        max_tokens: Most tokens of the answer.
        facts: What the question is about, as plain data, for backends that do not read prose (rehearsal).
    """

    label: str
    purpose: str
    system: tuple[Block, ...]
    messages: tuple[tuple[str, str], ...]
    schema: Mapping[str, Any]
    max_tokens: int
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the provider counts them. ``input_tokens`` excludes what came from or went to the cache."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """One raw answer.

    Attributes:
        text: Exactly what the model said.
        model: Which model said it, as the provider names it.
        stop: Why it ended: ``end_turn``, ``max_tokens``, ``refusal`` …
    """

    text: str
    model: str
    stop: str = "end_turn"
    usage: Usage = Usage()


class Backend(Protocol):
    """Something that answers questions. ``ask`` is called from several threads at once.

    Attributes:
        name: Which kind of backend: ``anthropic``, ``rehearsal`` …
        model: Which model it asks.
        reads_facts: Whether the answer depends on ``Request.facts``.
    """

    @property
    def name(self) -> str: ...

    @property
    def model(self) -> str: ...

    @property
    def reads_facts(self) -> bool: ...

    def ask(self, request: Request) -> Answer:
        """Ask the model.

        Raises:
            BackendError: It could not be asked or did not answer; the message says what to do.
        """
        ...


def identity(request: Request, backend: Backend) -> str:
    """Name a request by its content: two requests with the same identity deserve the same answer.

    Returns:
        64 hexadecimal digits (SHA-256).
    """
    asked: dict[str, Any] = {
        "backend": backend.name,
        "model": backend.model,
        "system": [block.text for block in request.system],
        "messages": request.messages,
        "schema": request.schema,
        "max_tokens": request.max_tokens,
    }
    if backend.reads_facts:
        asked["facts"] = request.facts
    text = json.dumps(asked, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
