"""The Anthropic Messages API, and servers that speak it (``ANTHROPIC_BASE_URL``).

The SDK is imported late: it takes longer than most commands. Set on purpose:

- **Retries** are the SDK's: after 408, 409, 429, 5xx and a lost connection, ``llm.max_retries`` times, after
  ``retry-after`` or 0.5 s, doubling up to 8 s. Status 501 and the creation of a batch are never repeated.
- **Timeouts**: ``llm.timeout_s`` is for reading, since a long answer is silent until complete; connecting has a shorter
  one.
- **Waiting** beyond ``llm.retry_after_max_seconds`` fails the call.
- **Redirects** are not followed: a prompt goes only to the address that the user named.
- **The body** is read uncompressed and up to a limit (``http_client``), so that its bytes can be kept.
- **Connections**: one for each concurrent call (``llm.concurrency``), kept open between scenes.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable, Mapping
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Any

from gm.base.config import LlmSettings
from gm.base.errors import BackendError
from gm.llm import base, batch, refusals, streams, wire
from gm.llm.providers import ANTHROPIC, CREDENTIALS

if TYPE_CHECKING:
    import anthropic
    from anthropic import APIRequest, APIResponse, CallNext
    from anthropic.types.message_create_params import MessageCreateParamsNonStreaming

NO_MESSAGE = (
    "is ANTHROPIC_BASE_URL the address of a server that speaks the Messages API? Then run the same command again: the "
    "question is asked anew, and every answer so far is kept"
)


def make(model: str, around: base.Surroundings) -> AnthropicApi:
    """Make the backend for one server and key."""
    return AnthropicApi(
        model.removeprefix(f"{ANTHROPIC}:"), around.settings, around.environment, around.notice, around.writing
    )


class AnthropicApi:
    """Asks a model over HTTP, with structured output by schema and prompt caching.

    Args:
        notice: Called when the server asks to wait, in the thread that waits, and once when it knows no schemas.
        writing: Called while answers arrive.
    """

    name = ANTHROPIC
    reads_facts = False

    def __init__(
        self,
        model: str,
        settings: LlmSettings,
        environment: Mapping[str, str] = os.environ,
        notice: Callable[[str], None] | None = None,
        writing: streams.Writing | None = None,
    ) -> None:
        import anthropic

        from gm.llm.http_client import connections, following

        self.model = model
        self._notice = notice
        self._sdk = anthropic
        self._schemas: dict[tuple[str, ...], dict[str, Any]] = {}
        self._foreign = foreign = wire.is_foreign(environment.get(wire.BASE_URL, ""))
        self._lifetime = _lifetime(settings.cache, foreign=foreign)
        self.caches = self._lifetime is not None
        self._schema_sent = settings.structured != "prompt"
        self.tells_schema = wire.needs_schema_text(settings.structured, environment.get(wire.BASE_URL, ""))
        self._streams = settings.stream == "auto"
        self._following = partial(following, writing)
        self._may_go_without = settings.structured == "auto" and foreign
        self._lock = Lock()
        self._errors = refusals.SdkErrors(anthropic, settings.retry_after_max_seconds, CREDENTIALS[0], wire.BASE_URL)
        self._odd = wire.Oddities(notice)
        local = not any(environment.get(name) for name in CREDENTIALS)
        http = connections(settings, anthropic.DefaultHttpxClient)
        weakref.finalize(self, http.close)
        self._client = anthropic.Anthropic(
            # A local server takes any key; the SDK wants one.
            api_key="none-needed" if local else environment.get(CREDENTIALS[0]),
            auth_token=None if local or environment.get(CREDENTIALS[0]) else environment.get(CREDENTIALS[1]),
            base_url=environment.get(wire.BASE_URL) or None,
            timeout=http.timeout,
            max_retries=settings.max_retries,
            http_client=http,
            default_headers={"accept-encoding": "identity"},
            middleware=[self._watch],
        )

    def ask(self, request: base.Request) -> base.Answer:
        with self._following(request.who or request.purpose):
            data = self._send_in_some_form(request)
        model = request.model or self.model
        try:
            answer, odd = wire.read_message(data)
        except base.UnreadableAnswerError as error:
            raise wire.explain_unreadable(error, model, NO_MESSAGE) from None
        self._odd.tell(model, odd)
        return wire.fill_in(answer, model, request.max_tokens if self._foreign else 0)

    def _send_in_some_form(self, request: base.Request) -> bytes:
        while True:
            params, stream = self.render(request), self._streams
            try:
                return self._send(params, stream=stream)
            except self._sdk.AnthropicError as error:
                without = (stream and self._can_drop_stream(error)) or (
                    "output_config" in params and self._can_drop_schema(error)
                )
                if not without:
                    raise self.explain(error, request.model, request.max_tokens) from error

    def _send(self, params: MessageCreateParamsNonStreaming, *, stream: bool) -> bytes:
        # the SDK is not told: it reads the events as a body, and repeats a broken one
        more = {"stream": True} if stream else None
        return self._client.messages.with_raw_response.create(**params, extra_body=more).http_response.content

    def batches(self) -> batch.MessageBatches:
        return batch.MessageBatches(self._client, self.render, self.explain)

    def render(self, request: base.Request) -> MessageCreateParamsNonStreaming:
        params: MessageCreateParamsNonStreaming = {
            "model": request.model or self.model,
            "max_tokens": request.max_tokens,
            "system": wire.render_system(request.system, self._lifetime),
            "messages": wire.render_messages(request, with_schema=self.tells_schema),
        }
        if self._schema_sent:
            params["output_config"] = {"format": {"type": "json_schema", "schema": dict(self._schema(request))}}
        if request.tools:
            # listed in the last round too: the messages mention them, and the API requires their definitions
            params["tools"] = wire.render_tools(request.tools)
            params["tool_choice"] = {"type": "none"} if request.must_answer else {"type": "auto"}
        return params

    def explain(self, error: anthropic.AnthropicError, model: str = "", max_tokens: int = 0) -> BackendError:
        unreached = BackendError(
            "the model's server cannot be reached", "is the network up, and ANTHROPIC_BASE_URL right?"
        )
        return self._errors.explain(error, model or self.model, max_tokens, str(self._client.base_url), unreached)

    def _can_drop_stream(self, error: anthropic.AnthropicError) -> bool:
        if not isinstance(error, self._sdk.APIStatusError):
            return False
        if not wire.is_about_stream(error.status_code, f"{error.api_message} {error.body}"):
            return False
        self._streams = False
        return True

    def _can_drop_schema(self, error: anthropic.AnthropicError) -> bool:
        if not self._may_go_without or not isinstance(error, self._sdk.APIStatusError):
            return False
        if not wire.is_about_schema(error.status_code, f"{error.api_message} {error.body}"):
            return False
        with self._lock:
            first, self._schema_sent = self._schema_sent, False
        if first and self._notice:
            self._notice(
                f"this server refuses output_config (status {error.status_code}): the reply's schema is told in the "
                "prompt only; llm.structured: prompt says so from the start"
            )
        return True

    def _watch(self, request: APIRequest, call_next: CallNext) -> APIResponse[Any]:
        response = call_next(request)
        self._errors.hold_back(refusals.Refusal(response.status_code), response.headers, self.model, self._notice)
        return response

    def _schema(self, request: base.Request) -> dict[str, Any]:
        # by its properties too: a layer may be switched on while a day is played
        name = (str(request.schema.get("title", request.purpose)), *request.schema.get("properties", ()))
        if name not in self._schemas:
            self._schemas[name] = self._sdk.transform_schema(dict(request.schema))
        return self._schemas[name]


def _lifetime(wanted: str, *, foreign: bool) -> wire.Lifetime | None:
    lifetimes: dict[str, wire.Lifetime | None] = {"auto": None if foreign else "5m", "5m": "5m", "1h": "1h"}
    return lifetimes.get(wanted)
