"""The identity of a question: a hash of its content."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from gm.llm.base import MAILBOX, Backend, Request
from gm.llm.content import plain_content, plain_tool


def identity(request: Request, backend: Backend) -> str:
    """Return a request's SHA-256, in hexadecimal: requests with the same one share their answer."""
    if request.model == MAILBOX:
        return name_request(request, MAILBOX, MAILBOX, reads_facts=False)
    return name_request(request, backend.name, request.model or backend.model, reads_facts=backend.reads_facts)


def name_request(request: Request, backend: str, model: str, *, reads_facts: bool) -> str:
    """Return ``identity`` by a backend's name alone."""
    asked = {
        "backend": _encode(backend),
        "model": _encode(model),
        "system": f"[{','.join([_encode_text(block.text) for block in request.system])}]",
        "messages": _encode([(role, plain_content(content)) for role, content in request.messages]),
        "schema": _encode_same(_Same(request.schema)),
        "max_tokens": _encode(request.max_tokens),
    }
    if request.tools:
        asked["tools"] = _encode([plain_tool(tool) for tool in request.tools])
        asked["must_answer"] = _encode(request.must_answer)
    if reads_facts:
        asked["facts"] = _encode(request.facts.as_data() if request.facts else {})
    # one JSON document, joined from its parts, since questions share most of the system prompt
    text = "{" + ",".join([f'"{key}":{asked[key]}' for key in sorted(asked)]) + "}"
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class _Same:
    """A schema, equal to itself alone: it is made once and never changed."""

    __slots__ = ("schema",)

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self.schema = schema

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.schema is other.schema

    def __hash__(self) -> int:
        return id(self.schema)


@lru_cache(maxsize=32)
def _encode_same(same: _Same) -> str:
    return _encode(same.schema)


_encode = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode
_encode_text = lru_cache(maxsize=512)(_encode)
