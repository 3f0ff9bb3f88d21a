"""The prefix cache of the Messages API, by its documented rules: what a request reads, writes and pays in full.

Source:
    https://platform.claude.com/docs/en/build-with-claude/prompt-caching, read in a copy of autumn 2026 (it names
    Fable 5.1; docs.litellm.ai, updated 2026-10-07, has the same figures), and
    https://platform.claude.com/docs/en/build-with-claude/structured-outputs.

    * Order: tools, system, messages. An entry is a hash of everything up to and including a marked block.
    * Entries are written at marks only. A read begins at each mark and looks back: at most 20 blocks, the marked one
      counted.
    * A prefix that is shorter than the model's minimum is neither written nor read, and no error says so.
    * An entry lives 5 minutes, or 1 hour with ``ttl: 1h``, from the beginning of the request that last used it. It can
      be read once the response that wrote it has begun: requests sent at the same time do not find each other's.
    * ``input_tokens`` is what comes after the last mark; up to the longest hit is read, between the two is written:
      for an hour up to the last mark of an hour, for 5 minutes from there on.
    * Changing ``output_config.format`` invalidates the cache.

    Where the documents are silent, the dearer reading is taken: another effort counts as another prompt; an entry is
    refreshed only by a request that marks its end; a model that is not in the list has the highest minimum. Left out:
    the tokens of what the API itself adds (the description of the format), for their number is not documented.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate
from threading import Lock
from typing import Any

Body = Mapping[str, Any]

LIFETIMES_S = {"5m": 300.0, "1h": 3600.0}
LOOKBACK = 20
MOST_MARKS = 4
MINIMA = {
    512: ("claude-fable-5-1", "claude-mythos-5-1", "claude-opus-5", "claude-fable-5", "claude-mythos-5"),
    1024: ("claude-sonnet-5", "claude-opus-4-8", "claude-sonnet-4-6", "claude-sonnet-4-5"),
    2048: ("claude-opus-4-7", "claude-mythos-preview"),
    4096: ("claude-opus-4-6", "claude-opus-4-5", "claude-haiku-4-5"),
}
"""Fewest tokens of a prefix that is cached, and the models that this holds for."""

_PIECES = re.compile(r"\w{1,4}|[^\w\s]")
_DATE = re.compile(r"-\d{8}$")


def count_tokens(text: str) -> int:
    """Count tokens in a way that is ours alone: one for each four letters or digits of a word, one for each sign."""
    return sum(1 for _ in _PIECES.finditer(text))


def minimum_of(model: str) -> int:
    """Return the fewest tokens a prefix must have to be cached; for a model that is not listed, the most."""
    name = _DATE.sub("", model)
    return next((tokens for tokens, models in MINIMA.items() if name in models), max(MINIMA))


@dataclass(frozen=True, slots=True)
class Part:
    """One content block of a request.

    Attributes:
        content: What it says, and in which role.
        tokens: How many they are.
        mark: How long the prefix that ends here is to live: ``5m`` or ``1h``; empty = it is not marked.
    """

    content: str
    tokens: int
    mark: str = ""


@dataclass(frozen=True, slots=True)
class Charge:
    """What a request pays for, in tokens."""

    plain: int
    read: int = 0
    write_5m: int = 0
    write_1h: int = 0

    @property
    def total(self) -> int:
        """All tokens of the request."""
        return self.plain + self.read + self.write_5m + self.write_1h

    def usage(self, output_tokens: int) -> dict[str, Any]:
        """Put it as the API reports it."""
        return {
            "input_tokens": self.plain,
            "output_tokens": output_tokens,
            "cache_read_input_tokens": self.read,
            "cache_creation_input_tokens": self.write_5m + self.write_1h,
            "cache_creation": {
                "ephemeral_5m_input_tokens": self.write_5m,
                "ephemeral_1h_input_tokens": self.write_1h,
            },
        }


@dataclass(slots=True)
class _Entry:
    readable_at_s: float
    used_at_s: float
    lifetime_s: float

    def is_readable(self, now_s: float) -> bool:
        return self.readable_at_s <= now_s and self.is_alive(now_s)

    def is_alive(self, now_s: float) -> bool:
        return now_s < self.used_at_s + self.lifetime_s


class PrefixCache:
    """Keeps entries, and charges requests. Safe to use from several threads.

    Args:
        first_token_s: Seconds from a request to the beginning of its response; more than 0.
        count: Counts the tokens of a text.
        format_counts: Whether another reply format is another prompt, as documented. False shows what it costs.
    """

    def __init__(
        self,
        first_token_s: float = 1.0,
        count: Callable[[str], int] = count_tokens,
        *,
        format_counts: bool = True,
    ) -> None:
        self._first_token_s = first_token_s
        self._count = count
        self._format_counts = format_counts
        self._entries: dict[str, _Entry] = {}
        self._lock = Lock()

    def charge(self, body: Body, now_s: float) -> Charge:
        """Charge a request, and keep what it writes.

        Args:
            body: The request as it came over the wire.
            now_s: When it came; the clock is the caller's and never runs backwards.
        """
        parts = list(parts_of(body, self._count))
        ends = list(accumulate(part.tokens for part in parts))
        total = ends[-1] if ends else 0
        enough = minimum_of(str(body.get("model", "")))
        marks = [place for place, part in enumerate(parts) if part.mark and ends[place] >= enough]
        if not marks:
            return Charge(total)
        keys = self._keys(body, parts)
        with self._lock:
            hit = self._longest_hit(keys, marks, ends, enough, now_s)
            for place in marks:
                self._use(keys[place], parts[place].mark, now_s, is_written=place > hit)
        read = ends[hit] if hit >= 0 else 0
        hours = [ends[place] for place in marks if place > hit and parts[place].mark == "1h"]
        hour_end, last_end = max(hours, default=read), max(read, ends[marks[-1]])
        return Charge(total - last_end, read, last_end - hour_end, hour_end - read)

    def _longest_hit(self, keys: list[str], marks: list[int], ends: list[int], enough: int, now_s: float) -> int:
        """Find the last block of the longest prefix that can be read; -1 when there is none."""
        for mark in reversed(marks):
            for place in range(mark, max(-1, mark - LOOKBACK), -1):
                entry = self._entries.get(keys[place])
                if entry and ends[place] >= enough and entry.is_readable(now_s):
                    entry.used_at_s = now_s
                    return place
        return -1

    def _use(self, key: str, mark: str, now_s: float, *, is_written: bool) -> None:
        entry = self._entries.get(key)
        if entry and entry.is_alive(now_s):
            entry.used_at_s = now_s
            if is_written:
                entry.lifetime_s = max(entry.lifetime_s, LIFETIMES_S[mark])
        elif is_written:
            self._entries[key] = _Entry(now_s + self._first_token_s, now_s, LIFETIMES_S[mark])

    def _keys(self, body: Body, parts: list[Part]) -> list[str]:
        output = dict(body.get("output_config") or {})
        if not self._format_counts:
            output.pop("format", None)
        state = hashlib.sha256(_packed([body.get("model"), output]))
        keys = []
        for part in parts:
            # each block closes with its own length: two short blocks are not one long one
            state.update(_packed(part.content))
            keys.append(state.hexdigest())
        return keys


def parts_of(body: Body, count: Callable[[str], int] = count_tokens) -> Iterator[Part]:
    """Take a request apart into its content blocks, in the order in which the cache sees them."""
    found = list(_parts(body, count))
    automatic = body.get("cache_control")
    if automatic and found:
        # one mark for the whole request stands at its last block
        found[-1] = Part(found[-1].content, found[-1].tokens, found[-1].mark or _lifetime(automatic))
    yield from found


def _parts(body: Body, count: Callable[[str], int]) -> Iterator[Part]:
    for tool in body.get("tools") or ():
        text = json.dumps({key: value for key, value in tool.items() if key != "cache_control"}, sort_keys=True)
        yield Part(f"tool {text}", count(text), _mark(tool))
    for block in _blocks(body.get("system") or ()):
        yield Part(f"system {block['text']}", count(block["text"]), _mark(block))
    for message in body.get("messages") or ():
        for block in _blocks(message["content"]):
            yield Part(f"{message['role']} {block['text']}", count(block["text"]), _mark(block))


def _blocks(content: Any) -> list[dict[str, Any]]:
    return [{"text": content}] if isinstance(content, str) else list(content)


def _mark(block: Mapping[str, Any]) -> str:
    mark = block.get("cache_control")
    return _lifetime(mark) if mark else ""


def _lifetime(mark: Mapping[str, Any]) -> str:
    return str(mark.get("ttl") or "5m")


def _packed(value: object) -> bytes:
    data = json.dumps(value, ensure_ascii=False, sort_keys=True).encode("utf-8", "surrogatepass")
    return len(data).to_bytes(8, "big") + data
