"""A strict stand-in for the Messages API: every request is held against the SDK's own types and the API's rules, and
charged as the prefix cache would (``prefix_cache``).

It lies among the tests, and the benches import it from here: what they measure is what the tests have checked.

    python -m tests.llm.standin SECONDS      answers `{}` after so many seconds, until its input ends
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from pydantic import ConfigDict, TypeAdapter, ValidationError

from tests.llm.messages_api import Body, MessagesApi, Reply, Script, serving
from tests.llm.prefix_cache import MOST_MARKS, Charge, PrefixCache, count_tokens, parts_of

MOST_OPTIONAL = 24
MOST_UNIONS = 16


class StandIn(MessagesApi):
    """The server. What it refuses is in ``faults``, and goes back as a 400.

    Args:
        script: Makes the replies.
        hold: Number of requests under way before the first is answered.
        clock: Tells the time in seconds; stands still by default.
        prefix_cache: What charges the requests.

    Attributes:
        charges: Each request that was answered, when it came, and what it was charged.
    """

    def __init__(
        self,
        script: Script | None = None,
        *,
        hold: int = 0,
        clock: Callable[[], float] = lambda: 0.0,
        prefix_cache: PrefixCache | None = None,
    ) -> None:
        super().__init__(script, hold=hold)
        _adapter()  # made before threads ask for it: two that make it at once would break each other's
        self.clock = clock
        self._cache = prefix_cache or PrefixCache()
        self.charges: list[tuple[float, Body, Charge]] = []

    def reply(self, path: str, headers: Any, body: Body) -> Reply:
        """Check a request, charge it, and make the reply."""
        faults = list(strict_faults(body))
        if faults:
            self.faults += faults
            return Reply(status=400, text="; ".join(faults))
        now_s = self.clock()
        reply = super().reply(path, headers, body)
        if reply.status != 200:
            return reply
        charge = self._cache.charge(body, now_s)
        self.charges.append((now_s, body, charge))
        return replace(reply, usage=charge.usage(count_tokens(reply.text)))


def strict_faults(body: Body) -> Iterator[str]:
    """Name what the SDK's types or the real API would refuse, beyond what ``messages_api.find_faults`` names.

    Source:
        ``anthropic.types.MessageCreateParams``, unknown keys forbidden at every depth; for the number of
        marks and their order the page on prompt caching, for the limits of a schema the page on structured outputs.
    """
    try:
        _exhaust(_adapter().validate_python([body]))
    except ValidationError as error:
        for item in error.errors(include_url=False):
            yield f"{'.'.join(str(key) for key in item['loc'][1:])}: {item['msg']}"
        return
    yield from _text_faults(body)
    marks = [part.mark for part in parts_of(body) if part.mark]
    if len(marks) > MOST_MARKS:
        yield f"{len(marks)} cache marks, at most {MOST_MARKS} are allowed"
    if marks != sorted(marks):  # "1h" comes before "5m", there as in the alphabet
        yield "a cache mark of 1h after one of 5m"
    if any(part.mark and not part.tokens for part in parts_of(body)):
        yield "a cache mark on an empty block"
    schema = (body.get("output_config") or {}).get("format", {}).get("schema", {})
    optional, unions = sum_up(schema)
    if optional > MOST_OPTIONAL:
        yield f"schema: {optional} optional parameters, at most {MOST_OPTIONAL} compile"
    if unions > MOST_UNIONS:
        yield f"schema: {unions} parameters of several types, at most {MOST_UNIONS} compile"


@cache
def _adapter() -> TypeAdapter[Any]:
    # the SDK takes its time to import: only who serves needs it
    from anthropic.types import MessageCreateParams

    # a list, because a typed dictionary by itself takes no configuration from outside
    return TypeAdapter(list[MessageCreateParams], config=ConfigDict(extra="forbid"))


def _exhaust(value: Any) -> None:
    """Walk through everything: what the SDK calls an iterable is validated only while it is iterated."""
    if isinstance(value, Mapping):
        for item in value.values():
            _exhaust(item)
    elif value is not None and not isinstance(value, str | int | float):
        for item in value:
            _exhaust(item)


def _text_faults(body: Body) -> Iterator[str]:
    """Name content that is not a text: gm sends nothing else, and the SDK's types let much else pass."""
    for number, message in enumerate(body["messages"]):
        content = message["content"]
        for block in [] if isinstance(content, str) else content:
            if not isinstance(block, dict) or set(block) - {"type", "text", "cache_control"}:
                yield f"messages.{number}: a block that is more than text"
            elif not str(block.get("text", "")).strip():
                yield f"messages.{number}: an empty block"


def sum_up(schema: Any) -> tuple[int, int]:
    """Count the optional parameters of a schema, and those of several types; definitions count once."""
    if isinstance(schema, list):
        found = [sum_up(item) for item in schema]
    elif isinstance(schema, Mapping):
        properties = schema.get("properties", {})
        optional = len(set(properties) - set(schema.get("required", ())))
        unions = sum("anyOf" in item or isinstance(item.get("type"), list) for item in properties.values())
        found = [(optional, unions), *(sum_up(item) for item in schema.values())]
    else:
        return 0, 0
    return sum(item[0] for item in found), sum(item[1] for item in found)


def main(seconds: float) -> None:
    """Serve until nobody holds our input open any more; the address is the first line of the output."""
    pause = threading.Event()

    def answer(_body: Body, _number: int) -> Reply:
        pause.wait(seconds)
        return Reply("{}")

    # without the strict checks: who times a client on the same machine wants a server that takes little of it
    with serving(MessagesApi(answer)) as api:
        sys.stdout.write(api.url + "\n")
        sys.stdout.flush()
        sys.stdin.read()
        sys.stdout.write(f"{api.peak} {len(api.requests)} {'; '.join(api.faults)}\n")


if __name__ == "__main__":
    main(float(sys.argv[1]))
