"""Answers that no server should send: envelopes of the Messages API that are none, and replies that no template asked
for. Data only; ``test_malformed_answers`` plays each of them."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from tests.llm.messages_api import Body

HUGE = 10**400
MISSING = object()
VALUES: dict[str, Any] = {
    "missing": MISSING,
    "null": None,
    "empty text": "",
    "text": "x",
    "number": 7,
    "negative": -1,
    "fraction": 1.5,
    "true": True,
    "list": [],
    "object": {},
    "list of null": [None],
    "other object": {"a": [1]},
}
NUMBERS: dict[str, Any] = {
    "null": None,
    "negative": -1,
    "text": "7",
    "true": True,
    "fraction": 1.5,
    "huge": HUGE,
    "infinite": float("inf"),
    "list": [],
    "object": {},
}
TEXT = "§text§"
"""Stands for the text of a good reply."""
BLOCK: Body = {"type": "text", "text": TEXT}
CONTENTS: dict[str, Any] = {
    "a text": TEXT,
    "one block": BLOCK,
    "texts": [TEXT],
    "text null": [{"type": "text", "text": None}],
    "text number": [{"type": "text", "text": 7}],
    "text list": [{"type": "text", "text": [TEXT]}],
    "text missing": [{"type": "text"}],
    "block without type": [{"text": TEXT}],
    "block type null": [{"type": None, "text": TEXT}],
    "block type number": [{"type": 7, "text": TEXT}],
    "block type list": [{"type": ["text"], "text": TEXT}],
    "unknown block": [{"type": "hologram", "text": TEXT}],
    "thinking only": [{"type": "thinking", "thinking": "…", "signature": ""}],
    "block null": [None, BLOCK],
    "block number": [7],
    "block list": [[BLOCK]],
    "call without name": [{"type": "tool_use", "id": "toolu_1", "input": {}}],
    "call without id": [{"type": "tool_use", "name": "recall", "input": {}}],
    "call of nothing offered": [{"type": "tool_use", "id": "toolu_1", "name": "rm", "input": {}}],
    "call with a list": [{"type": "tool_use", "id": "toolu_1", "name": "recall", "input": [1]}, BLOCK],
    "call with broken text": [{"type": "tool_use", "id": "toolu_1", "name": "recall", "input": "{"}, BLOCK],
    "many blocks": [BLOCK, *[{"type": "text", "text": " "}] * 3000],
    "half a character": [{"type": "text", "text": "\ud800"}],
    "escape sequences": [{"type": "text", "text": "\x1b[2J\x9b31m"}],
}
WHOLE: dict[str, bytes] = {
    "nothing": b"",
    "a blank": b" ",
    "line feeds": b"\n\n\n",
    "null": b"null",
    "a list": b"[]",
    "a list of null": b"[null]",
    "an object": b"{}",
    "a text": b'"text"',
    "a number": b"7",
    "true": b"true",
    "NaN": b"NaN",
    "a page": b"<!DOCTYPE html><html><body>502 Bad Gateway</body></html>",
    "XML": b"<?xml version='1.0'?><error/>",
    "prose": b"Das kann ich nicht.",
    "no UTF-8": b"\xff\xfe\xfd{}",
    "UTF-16": '{"content": []}'.encode("utf-16"),
    "NUL": b"\x00" * 64,
    "gzip": gzip.compress(b"{}"),
    "gzip cut": gzip.compress(b"{}" * 99)[:12],
    "deep lists": b"[" * 200_000,
    "deep objects": b'{"a":' * 100_000,
    "deep and closed": b'{"content":' + b"[" * 5000 + b"]" * 5000 + b"}",
    "digits": b"1" * 500_000,
    "a long number": b'{"content": [], "usage": {"input_tokens": ' + b"9" * 5000 + b"}}",
    "two objects": b"{}{}",
    "events": b"event: message_start\ndata: {}\n\n",
    "an error": b'{"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}',
    "an error of a text": b'{"error": "model not found"}',
    "an error of a list": b'{"error": ["no"]}',
    "another API": b'{"choices": [{"message": {"content": "hello"}}]}',
    "ten million signs": b'{"content": "' + b"x" * 10_000_000 + b'"}',
}
CUTS = (1, 5, 20, 60, 100, 150, 200)
TYPES = ("text/html", "text/plain", "application/octet-stream", "", "application/json; charset=utf-16", "image/png")
CODINGS = ("gzip", "br", "zstd", "deflate", "compress", "gzip, gzip", "nonsense")


@dataclass(frozen=True)
class Case:
    """What a server sends: ``make`` takes the envelope of a good answer."""

    name: str
    make: Callable[[Body], bytes]
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


def envelopes() -> Iterator[Case]:
    """Make some two hundred envelopes."""
    for name, data in WHOLE.items():
        yield Case(f"whole: {name}", partial(constant, data))
    yield Case("status 204", partial(constant, b""), 204)
    yield Case("status 203", partial(constant, b"<html>"), 203)
    for key in ("id", "type", "role", "model", "content", "stop_reason", "stop_sequence", "usage"):
        for name, value in VALUES.items():
            yield Case(f"{key}: {name}", partial(changed, key, value))
    for key in ("input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"):
        for name, value in NUMBERS.items():
            yield Case(f"usage.{key}: {name}", partial(with_usage, key, value))
    for name, value in CONTENTS.items():
        yield Case(f"content: {name}", partial(with_content, value))
    for place in CUTS:
        yield Case(f"cut at {place}", partial(cut, place))
    for kind in TYPES:
        yield Case(f"type {kind}", partial(cut, None), headers={"content-type": kind})
    for coding in CODINGS:
        yield Case(f"coding {coding}", partial(cut, None), headers={"content-encoding": coding})


def constant(data: bytes, _good: Body) -> bytes:
    """Return the same bytes for any answer."""
    return data


def cut(place: int | None, good: Body) -> bytes:
    """Cut an envelope off; None = it is whole."""
    return json.dumps(good).encode()[:place]


def with_usage(key: str, value: Any, good: Body) -> bytes:
    """Put another number into the usage of an envelope."""
    return changed("usage", {**good["usage"], key: value}, good)


def changed(key: str, value: Any, good: Body) -> bytes:
    """Put another value into an envelope."""
    data = {name: item for name, item in good.items() if name != key}
    return json.dumps(data if value is MISSING else {**data, key: value}).encode()


def with_content(content: Any, good: Body) -> bytes:
    """Put other content into an envelope, with the text of the good one where it is wanted."""
    text = json.dumps(good["content"][0]["text"])[1:-1]
    return json.dumps({**good, "content": content}).replace(json.dumps(TEXT)[1:-1], text).encode()


IMPORTANCES = (
    "7.5", "11", "0", "-3", '"high"', "null", "true", "[]", "{}", '"7/10"', '"8 (important)"', '"5 or 6"', "1e999",
    "-1e999", "NaN", "Infinity", "9" * 400, "9" * 5000, "0." + "3" * 5000, '"' + "9" * 5000 + '"', "1e-400", '"ten"',
)  # fmt: skip
YAML_NUMBERS = (
    "0x" + "F" * 5000, "1" * 5000, "1:" * 5000 + "1", "1:" * 5000 + "1.5", "0b" + "1" * 5000, "0o" + "7" * 5000, ".inf",
    ".nan", "!!int x", "!!float x", "!!bool maybe", "!!timestamp soon", "!!set {a}", "!!binary x", "!!python/name:os",
    "2026-02-30", "&a 1", "*a", "? 1", "1_000_000_000_000",
)  # fmt: skip
PLAN: Body = {"work": ["soup"], "talk_to": [], "library": None, "importance": 4}
AS_JSON = (
    '{"mood": "wary", "done": true, "plan": {"work": ["soup"]}, '
    '"memories": [{"type": "plan", "description": "x", "importance": $}]}'
)
AS_YAML = "mood: wary\ndone: true\nplan: {work: [soup]}\nmemories:\n- type: plan\n  description: x\n  importance: $\n"
MANY = ("dialogue", "memories", "opens", "closes", "relationships", "memory_requests", "goal_reports")
ITEMS: dict[str, Body] = {
    "dialogue": {"to": None, "text": "Line {n}."},
    "memories": {"type": "observation", "description": "Memory {n} of the evening.", "tags": ["day"]},
    "opens": {"kind": "promise", "to": None, "text": "I promise dish number {n}, cooked slowly."},
    "closes": {"id": "thread-{n}", "outcome": "kept", "text": ""},
    "relationships": {"with": "jordan", "type": "ally {n}"},
    "memory_requests": {"to": "jordan", "about": []},
    "goal_reports": {"id": "", "event": "new", "text": "Goal {n}"},
}


def reply_with(**values: Any) -> str:
    """A reply that fits, but for some keys."""
    return json.dumps(
        {"action": "Alex nods.", "dialogue": [], "mood": "wary", "memories": [], "plan": PLAN, "done": True, **values}
    )


def many_of(key: str, count: int = 3000) -> str:
    """A reply with very many items in one list."""
    item = json.dumps(ITEMS[key])
    items = [json.loads(item.replace("{n}", str(number))) for number in range(count)]
    spoken = {"dialogue": [{"to": None, "text": "Yes."}]} if key != "dialogue" else {}
    return reply_with(**{**spoken, key: items})


def bad_replies() -> Iterator[str]:
    """Make some sixty replies of absurd numbers, sizes and depths; ``tests.crash.test_bad_replies`` has the others."""
    yield from (AS_JSON.replace("$", value) for value in IMPORTANCES)
    yield from (AS_YAML.replace("$", value) for value in YAML_NUMBERS)
    yield from (many_of(key) for key in MANY)
    yield reply_with(opens=[{"kind": "promise", "text": "x", "due": 10**300}])
    yield reply_with(mood="x" * 900_000)
    yield reply_with(action="x" * 2_000_000)
    yield reply_with(memories=[{"type": "plan", "description": "word " * 50_000, "tags": ["t"] * 5000}])
    yield reply_with(**{f"extra {number}": number for number in range(3000)})
    yield reply_with(working={f"key {number}": "x" for number in range(3000)})
    yield reply_with(thoughts=[[[[[["deep"]]]]]])
    yield '{"mood": ' + "[" * 900 + "]" * 900 + "}"
    yield '{"mood": ' + "[" * 50_000 + "]" * 50_000 + "}"
    yield "&a: " + "[" * 100_000
    yield "*" * 500_000
    yield "```" + " " * 500_000 + "x"
    yield '{"a":' * 49 + "1" + "}" * 49
    yield "mood: wary\ntags: [" + "a," * 40_000 + "]"
    yield "x" * 10_000_000
