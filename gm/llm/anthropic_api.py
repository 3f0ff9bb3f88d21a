"""The Anthropic Messages API, and every server that speaks it (``ANTHROPIC_BASE_URL``).

The SDK is imported when the backend is made, not before: importing it takes longer than most commands.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from gm.config import LlmSettings
from gm.errors import BackendError
from gm.llm.base import Answer, Request, Surroundings, Usage

if TYPE_CHECKING:
    import anthropic
    from anthropic import APIRequest, APIResponse, CallNext
    from anthropic.types import Message, MessageParam, TextBlockParam

CREDENTIALS = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN")
BASE_URL = "ANTHROPIC_BASE_URL"
WAITING = {429: "rate limit reached", 503: "the server is not ready", 529: "the server is overloaded"}


def make(model: str, around: Surroundings) -> AnthropicApi:
    """Make the backend for one server and key; single requests may name other models."""
    return AnthropicApi(model, around.settings, around.environment, around.notice)


class AnthropicApi:
    """Asks a model over HTTP, with structured output by schema and prompt caching.

    Args:
        model: Name of the model.
        settings: Time limit, retries and connections.
        environment: Where key and address are read from; the process's own by default.
        notice: Told when the server asks to wait, from the thread that waits.
    """

    name = "anthropic"
    reads_facts = False

    def __init__(
        self,
        model: str,
        settings: LlmSettings,
        environment: Mapping[str, str] = os.environ,
        notice: Callable[[str], None] | None = None,
    ) -> None:
        import anthropic

        self.model = model
        self._notice = notice
        self._sdk = anthropic
        self._schemas: dict[str, dict[str, Any]] = {}
        local = not any(environment.get(name) for name in CREDENTIALS)
        self._client = anthropic.Anthropic(
            # A local server takes any key; the SDK wants one.
            api_key="none-needed" if local else environment.get(CREDENTIALS[0]),
            auth_token=None if local or environment.get(CREDENTIALS[0]) else environment.get(CREDENTIALS[1]),
            base_url=environment.get(BASE_URL) or None,
            timeout=settings.timeout_s,
            max_retries=settings.max_retries,
            middleware=[self._tell_of_waiting],
        )

    def ask(self, request: Request) -> Answer:
        """Send one request and return the raw answer.

        Raises:
            BackendError: The API refused, could not be reached or did not answer in time, after all retries.
        """
        try:
            message = self._client.messages.create(
                model=request.model or self.model,
                max_tokens=request.max_tokens,
                system=self._system(request),
                messages=[_message(role, text) for role, text in request.messages],
                output_config={"format": {"type": "json_schema", "schema": self._schema(request)}},
            )
        except self._sdk.AnthropicError as error:
            raise self._explain(error) from error
        return _answer(message)

    def _tell_of_waiting(self, request: APIRequest, call_next: CallNext) -> APIResponse[Any]:
        """Say that the server asks to wait; the SDK does the waiting."""
        response = call_next(request)
        if self._notice and response.status_code in WAITING:
            seconds = response.headers.get("retry-after")
            how_long = f", asks to wait {seconds} s" if seconds else ""
            self._notice(f"{self.model}: {WAITING[response.status_code]} (status {response.status_code}){how_long}")
        return response

    def _system(self, request: Request) -> list[TextBlockParam]:
        blocks: list[TextBlockParam] = []
        for block in request.system:
            param: TextBlockParam = {"type": "text", "text": block.text}
            if block.cache:
                param["cache_control"] = {"type": "ephemeral"}
            blocks.append(param)
        return blocks

    def _schema(self, request: Request) -> dict[str, Any]:
        title = str(request.schema.get("title", request.purpose))
        if title not in self._schemas:
            self._schemas[title] = self._sdk.transform_schema(dict(request.schema))
        return self._schemas[title]

    def _explain(self, error: anthropic.AnthropicError) -> BackendError:
        sdk = self._sdk
        if isinstance(error, sdk.APIStatusError):
            text = error.api_message or f"status {error.status_code}"
            return BackendError(
                f"{self.model} was not answered by the API: {text} (status {error.status_code})",
                _hint(error.status_code),
            )
        if isinstance(error, sdk.APITimeoutError):
            return BackendError(f"{self.model} did not answer in time", "raise llm.timeout_s, or try again")
        if isinstance(error, sdk.APIConnectionError):
            return BackendError(
                "the model's server cannot be reached", "is the network up, and ANTHROPIC_BASE_URL right?"
            )
        return BackendError(f"the API could not be asked: {type(error).__name__}")


def _hint(status: int) -> str:
    hints = {
        400: "the API refused the request itself: is the model's name right, does it support structured output?",
        401: "check ANTHROPIC_API_KEY",
        403: "this key may not use this model",
        404: "no such model here: see --model",
        413: "the prompt is too long: set context.budget_tokens",
        429: "the rate limit is reached: wait, or lower llm.concurrency",
        529: "the API is overloaded: try again later",
    }
    return hints.get(status, "try again later") + "; every answer so far is kept"


def _message(role: str, text: str) -> MessageParam:
    if role == "assistant":
        return {"role": "assistant", "content": text}
    return {"role": "user", "content": text}


def _answer(message: Message) -> Answer:
    text = "".join(block.text for block in message.content if block.type == "text")
    usage = message.usage
    return Answer(
        text=text,
        model=message.model,
        stop=message.stop_reason or "end_turn",
        usage=Usage(
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            cache_read_tokens=usage.cache_read_input_tokens or 0,
            cache_write_tokens=usage.cache_creation_input_tokens or 0,
        ),
    )
