"""Message batches of the Anthropic API: questions that can wait, at half the price, answered within 24 hours.

A batch is created without retries: a request whose answer was lost may have been accepted, and its repetition would be
paid for twice. Whoever submits notes it down before and after; a batch whose id was never learned is found again in the
list of batches, by the identities that its results carry (``custom_id``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import TYPE_CHECKING

from gm.errors import BackendError
from gm.llm.base import Answer, NoBatchesError, Request
from gm.llm.wire import BATCH_TIER, parse_message

if TYPE_CHECKING:
    import anthropic
    from anthropic.types.message_create_params import MessageCreateParamsNonStreaming
    from anthropic.types.messages import MessageBatch, MessageBatchIndividualResponse

NO_SUCH_PLACE = (404, 405, 501)
PAGE = 100
ENDED = "ended"

Render = Callable[[Request], "MessageCreateParamsNonStreaming"]
Explain = Callable[["anthropic.AnthropicError"], BackendError]


class MessageBatches:
    """The batches of one key.

    Args:
        client: The SDK's client.
        render: Puts a request into the form of the API.
        explain: Turns an error of the SDK into one for people.
    """

    def __init__(self, client: anthropic.Anthropic, render: Render, explain: Explain) -> None:
        import anthropic

        self._sdk = anthropic
        self._client = client
        self._render = render
        self._explain = explain

    def newest(self) -> str:
        """Name the newest batch there is; "" = there is none.

        Raises:
            NoBatchesError: The server has no batches.
            BackendError: The API could not be asked.
        """
        try:
            page = self._client.messages.batches.list(limit=1)
        except self._sdk.APIStatusError as error:
            if error.status_code in NO_SUCH_PLACE:
                raise NoBatchesError(f"this server has no batches (status {error.status_code})") from error
            raise self._explain(error) from error
        except self._sdk.AnthropicError as error:
            raise self._explain(error) from error
        return page.data[0].id if page.data else ""

    def submit(self, requests: Mapping[str, Request]) -> str:
        """Send questions, by their identities, and return the id of their batch.

        Raises:
            BackendError: It was refused, or nothing came back; then it may have been accepted all the same.
        """
        try:
            batch = self._client.with_options(max_retries=0).messages.batches.create(
                requests=[{"custom_id": name, "params": self._render(request)} for name, request in requests.items()]
            )
        except self._sdk.AnthropicError as error:
            raise self._explain(error) from error
        return batch.id

    def since(self, batch: str, size: int) -> Sequence[str]:
        """Name the batches that are newer than one and hold so many questions, the newest first.

        Raises:
            BackendError: The API could not be asked.
        """
        try:
            # newest first: what comes before the known one is newer
            newer = takewhile(lambda found: found.id != batch, self._client.messages.batches.list(limit=PAGE))
            return [found.id for found in newer if _size(found) == size]
        except self._sdk.AnthropicError as error:
            raise self._explain(error) from error

    def collect(self, batch: str) -> Mapping[str, Answer | BackendError] | None:
        """Take the answers of a batch; None while it is under way.

        Raises:
            BackendError: The API could not be asked, or the answers are not there any more.
        """
        import httpx2

        try:
            found = self._client.messages.batches.retrieve(batch)
            if found.processing_status != ENDED:
                return None
            if not found.results_url:
                raise BackendError(f"the answers of batch {batch} are not there any more")
            return {item.custom_id: self._result(item) for item in self._client.messages.batches.results(batch)}
        except self._sdk.NotFoundError as error:
            raise BackendError(f"batch {batch} is not known to this server and key") from error
        except self._sdk.AnthropicError as error:
            raise self._explain(error) from error
        except (httpx2.HTTPError, ValueError) as error:
            raise BackendError(
                f"the answers of batch {batch} broke off on their way", "run the same command again: nothing is lost"
            ) from error

    def _result(self, item: MessageBatchIndividualResponse) -> Answer | BackendError:
        result = item.result
        if result.type == "succeeded":
            return replace(parse_message(result.message), tier=BATCH_TIER)
        if result.type == "errored":
            return BackendError(f"refused in the batch: {result.error.error.message}")
        return BackendError(f"{result.type} in the batch")


def _size(batch: MessageBatch) -> int:
    counts = batch.request_counts
    return counts.canceled + counts.errored + counts.expired + counts.processing + counts.succeeded
