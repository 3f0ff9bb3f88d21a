"""Answers in pieces: server-sent events of both APIs, joined to a message.

The pieces only show that a character is writing, how much and what: an answer is used once whole.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from gm.ask.reply.extract import load_json
from gm.base.untyped import items_of

Event = Mapping[str, Any]
Message = dict[str, Any]

Writing = Callable[[str, int | None, str], None]
"""Called while an answer arrives, in the thread that reads it, with the id of the character, the characters so far,
and their text (at most ``MOST_SHOWN``). None = it is not written any more."""

MOST_SHOWN = 200_000

BROKEN = (
    "it arrived in pieces that make no whole message: run the same command again, every answer so far is kept; if this "
    "server cannot stream, set llm.stream: off in gm.yaml"
)
DATA = b"data:"
END = b"[DONE]"
BEGINNINGS = (DATA, b"event:", b"id:", b"retry:", b":")
TEXT = "text"
_END_MARK = re.compile(rb'"message_stop"|"finish_reason": ?"\w|^data: ?\[DONE\]', re.MULTILINE)


def is_stream(data: bytes) -> bool:
    """Return whether a body is a stream; a server may answer at once instead."""
    return data.lstrip()[:16].startswith(BEGINNINGS)


def says_its_end(data: bytes) -> bool:
    """Return whether a body is a stream with a whole message."""
    return is_stream(data) and _END_MARK.search(data) is not None


def parse_events(data: bytes, lost: list[bytes] | None = None) -> Iterator[Event]:
    """Yield a body's event objects; those that hold no JSON are added to ``lost``."""
    return _events(data.splitlines(), lost)


class Arriving:
    """Joins the chunks of an answer; calls ``tell`` after each chunk that has text."""

    def __init__(self, tell: Callable[[int, str], None]) -> None:
        self._tell, self._count, self._text = tell, 0, ""
        self._rest: list[bytes] = []

    def take(self, chunk: bytes) -> None:
        """Take the next bytes, and report the text that they complete."""
        *lines, rest = chunk.split(b"\n")
        if lines:
            lines[0] = b"".join([*self._rest, lines[0]])
            self._rest = []
        self._rest.append(rest)
        found = "".join(_written(event) for event in _events(lines))
        if found:
            self._count += len(found)
            self._text += found[: MOST_SHOWN - len(self._text)]
            self._tell(self._count, self._text)


def _events(lines: Iterable[bytes], lost: list[bytes] | None = None) -> Iterator[Event]:
    for line in lines:
        text = line.removeprefix(DATA).strip() if line.startswith(DATA) else b""
        if text in (b"", END):
            continue
        try:
            event = load_json(text.decode("utf-8", "replace"))
        except ValueError:
            event = None  # half of an event
        if isinstance(event, dict):
            yield event
        elif lost is not None:
            lost.append(text)


def _written(event: Event) -> str:
    delta = _choice(event).get("delta") if "choices" in event else event.get("delta")
    said = [delta.get(key) for key in ("content", TEXT)] if isinstance(delta, Mapping) else []
    return "".join(text for text in said if isinstance(text, str))


def fold_chat(events: Iterable[Event]) -> Message:
    """Join a stream's chunks into a chat completion.

    A broken stream gets no ``finish_reason`` and no message, so that it is not taken for a whole one.
    """
    message: Message = {"content": ""}
    calls: dict[int, Message] = {}
    made: Message = {}
    finish: object = None
    for event in events:
        made |= {key: event[key] for key in ("model", "usage", "error") if event.get(key) is not None}
        choice = _choice(event)
        finish = choice.get("finish_reason") or finish
        delta = choice.get("delta")
        if isinstance(delta, Mapping):
            for key in ("content", "refusal", "reasoning_content", "reasoning"):
                _add(message, key, delta.get(key))
            _take_calls(delta.get("tool_calls"), calls)
    if calls:
        message["tool_calls"] = [
            {**calls[place], "function": _join(calls[place]["function"])} for place in sorted(calls)
        ]
    if finish:
        made["choices"] = [{"message": _join(message), "finish_reason": finish}]
    return made


def _choice(event: Event) -> Mapping[str, Any]:
    choices = event.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    # one was asked for: a second one is not mixed with it
    return first if isinstance(first, Mapping) and first.get("index") in (0, None) else {}


def _take_calls(pieces: object, calls: dict[int, Message]) -> None:
    for piece in items_of(pieces):
        if not isinstance(piece, Mapping) or not isinstance(piece.get("index", 0), int):
            continue
        call = calls.setdefault(piece.get("index", 0), {"function": {"name": "", "arguments": ""}})
        if isinstance(piece.get("id"), str):
            call["id"] = piece["id"]
        said = piece.get("function")
        if isinstance(said, Mapping):
            for key in call["function"]:
                _add(call["function"], key, said.get(key))


def fold_message(events: Iterable[Event]) -> Message:
    """Join a stream's events into a message of the Messages API.

    A broken stream gets no content, so that it is not taken for a whole one.
    """
    made: Message = {}
    blocks: dict[int, Message] = {}
    is_whole = False
    for event in events:
        kind, delta = event.get("type"), event.get("delta")
        if kind == "message_start" and isinstance(event.get("message"), Mapping):
            made |= event["message"]
        elif kind == "content_block_start" and isinstance(event.get("content_block"), Mapping):
            blocks[_place(event)] = dict(event["content_block"])
        elif kind == "content_block_delta" and isinstance(delta, Mapping):
            block = blocks.setdefault(_place(event), {"type": TEXT})
            _add(block, TEXT, delta.get(TEXT))
            _add(block, "input", delta.get("partial_json"))
        elif kind == "message_delta" and isinstance(delta, Mapping):
            made |= delta
        elif kind == "error":
            made["error"] = event.get("error")
        is_whole = is_whole or kind == "message_stop"
        if kind == "message_delta" and isinstance(event.get("usage"), Mapping):
            before = made.get("usage")
            made["usage"] = {**(before if isinstance(before, Mapping) else {}), **event["usage"]}
    made["content"] = [_join(blocks[place]) for place in sorted(blocks)] if is_whole else None
    return made


def _place(event: Event) -> int:
    place = event.get("index")
    return place if isinstance(place, int) else 0


class _Pieces(list[str]):
    """A text that grows, without a copy for each piece."""


def _add(part: Message, key: str, piece: object) -> None:
    if isinstance(piece, str):
        before = part.get(key)
        if not isinstance(before, _Pieces):
            part[key] = before = _Pieces([before] if isinstance(before, str) else [])
        before.append(piece)


def _join(part: Message) -> Message:
    return {key: "".join(value) if isinstance(value, _Pieces) else value for key, value in part.items()}
