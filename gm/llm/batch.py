"""Message batches of the Anthropic API: half the price, answered within 24 hours.

A batch is created without retries: a request without an answer may have been accepted. A batch of unknown id is found
again by its ``custom_id`` identities.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from gm.ask.reply.extract import load_json
from gm.base.errors import BackendError
from gm.base.untyped import text_at
from gm.llm.base import BATCH_TIER, Answer, NoBatchesError, Request, UnreadableAnswerError, read_tokens
from gm.llm.refusals import MOST_SAID
from gm.llm.wire import parse_message

if TYPE_CHECKING:
    import anthropic
    from anthropic.types.message_create_params import MessageCreateParamsNonStreaming

NO_SUCH_PLACE = (404, 405, 501)
PAGE = 100
ENDED = "ended"
UNREADABLE = "what the server says about its batches cannot be read"
RUN_AGAIN_HINT = "run the same command again: nothing is lost"

Render = Callable[[Request], "MessageCreateParamsNonStreaming"]
Explain = Callable[["anthropic.AnthropicError"], BackendError]


class MessageBatches:
    """One key's batches. ``explain`` turns an SDK error into one for the user."""

    def __init__(self, client: anthropic.Anthropic, render: Render, explain: Explain) -> None:
        import anthropic

        self._sdk = anthropic
        self._client = client
        self._raw = client.messages.batches.with_raw_response
        self._render = render
        self._explain = explain

    def newest(self) -> str:
        try:
            data = self._raw.list(limit=1).http_response.content
        except self._sdk.APIStatusError as error:
            if error.status_code in NO_SUCH_PLACE:
                raise NoBatchesError(f"this server has no batches (status {error.status_code})") from error
            raise self._explain(error) from error
        except self._sdk.AnthropicError as error:
            raise self._explain(error) from error
        page = _parse_batches(data)
        return page[0].id if page else ""

    def submit(self, requests: Mapping[str, Request]) -> str:
        once = self._client.with_options(max_retries=0).messages.batches.with_raw_response
        try:
            made = once.create(
                requests=[{"custom_id": name, "params": self._render(request)} for name, request in requests.items()]
            )
        except self._sdk.AnthropicError as error:
            raise self._explain(error) from error
        return _parse_batch(_parse_document(made.http_response.content), made.http_response.content).id

    def since(self, batch: str, size: int) -> Sequence[str]:
        newer: dict[str, _Batch] = {}
        after: str | None = None
        while True:
            try:
                data = self._raw.list(limit=PAGE, after_id=after or self._sdk.omit).http_response.content
            except self._sdk.AnthropicError as error:
                raise self._explain(error) from error
            page = [found for found in _parse_batches(data) if found.id not in newer]
            # newest first: all before the known one are newer
            fresh = list(takewhile(lambda found: found.id != batch, page))
            newer |= {found.id: found for found in fresh}
            if not fresh or len(fresh) < len(page) or _parse_document(data).get("has_more") is not True:
                return [found.id for found in newer.values() if found.size == size]
            after = fresh[-1].id

    def collect(self, batch: str) -> Mapping[str, Answer | BackendError] | None:
        try:
            data = self._raw.retrieve(batch).http_response.content
            found = _parse_batch(_parse_document(data), data)
            if found.status != ENDED:
                return None
            if not found.results_url:
                raise BackendError(f"the answers of batch {batch} are not there any more")
            results = self._download(batch, found.results_url).splitlines()
        except self._sdk.NotFoundError as error:
            raise BackendError(f"batch {batch} is not known to this server and key") from error
        except self._sdk.AnthropicError as error:
            raise self._explain(error) from error
        return dict(_parse_result(line, batch) for line in results if line.strip())

    def _download(self, batch: str, url: str) -> bytes:
        import httpx2

        here = self._client.base_url
        try:
            there = httpx2.URL(url)
        except (httpx2.InvalidURL, TypeError) as error:
            raise BackendError(
                f"the server keeps its answers at an address that cannot be read: {url[:80]!r}"
            ) from error
        if (there.scheme, there.host, there.port) != (here.scheme, here.host, here.port):
            raise BackendError(
                f"the server keeps its answers on another one, {there.scheme}://{there.host}: not asked, as the key "
                f"would go there",
                "if that is the right server, set ANTHROPIC_BASE_URL to its address",
            )
        try:
            return self._client.get(url, cast_to=httpx2.Response).content
        except self._sdk.APIConnectionError as error:
            raise BackendError(f"the answers of batch {batch} broke off on their way", RUN_AGAIN_HINT) from error


@dataclass(frozen=True, slots=True)
class _Batch:
    id: str
    status: str
    results_url: str
    size: int


def _parse_document(data: bytes) -> Mapping[str, Any]:
    found = _load_line(data)
    if not isinstance(found, Mapping):
        raise UnreadableAnswerError(UNREADABLE, data, RUN_AGAIN_HINT)
    return found


def _load_line(data: bytes) -> object:
    try:
        return load_json(data.decode("utf-8", "replace"))
    except ValueError:
        return None


def _parse_batches(data: bytes) -> list[_Batch]:
    items = _parse_document(data).get("data")
    if not isinstance(items, list):
        raise UnreadableAnswerError(UNREADABLE, data, RUN_AGAIN_HINT)
    return [_parse_batch(item, data) for item in items]


def _parse_batch(found: object, data: bytes) -> _Batch:
    if not isinstance(found, Mapping) or not isinstance(found.get("id"), str) or not found["id"]:
        raise UnreadableAnswerError(UNREADABLE, data, RUN_AGAIN_HINT)
    counts = found.get("request_counts")
    sizes = [read_tokens(value) or 0 for value in counts.values()] if isinstance(counts, Mapping) else []
    return _Batch(found["id"], str(found.get("processing_status")), text_at(found, "results_url"), sum(sizes))


def _parse_result(line: bytes, batch: str) -> tuple[str, Answer | BackendError]:
    # A line without a readable ``custom_id`` means that the download was cut off.
    item = _load_line(line)
    if not isinstance(item, Mapping) or not isinstance(item.get("custom_id"), str):
        raise UnreadableAnswerError(f"the answers of batch {batch} broke off on their way", line, RUN_AGAIN_HINT)
    result = item.get("result")
    result = result if isinstance(result, Mapping) else {}
    return item["custom_id"], _answer(result, line)


def _answer(result: Mapping[str, Any], line: bytes) -> Answer | BackendError:
    kind = result.get("type")
    if kind == "succeeded":
        try:
            return replace(parse_message(result.get("message"), line)[0], tier=BATCH_TIER)
        except UnreadableAnswerError as error:
            return error
    if kind == "errored":
        refusal = result.get("error")
        inner = refusal.get("error") if isinstance(refusal, Mapping) else None
        said = inner.get("message") if isinstance(inner, Mapping) else None
        return BackendError(f"refused in the batch: {said[:MOST_SAID] if isinstance(said, str) else 'no reason given'}")
    return BackendError(f"{kind[:MOST_SAID] if isinstance(kind, str) else 'nothing readable'} in the batch")
