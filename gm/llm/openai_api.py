"""OpenAI's chat completions, and servers that speak them (``providers.yaml``).

The SDK is imported late. Waiting, timeouts, redirects and the bounds of a body are as in ``anthropic_api``. Besides:

- **The form of a reply** is the strictest that the server accepts (``llm.structured: auto``); a refused one gives way
  to the next, once for a server, with a notice. Only a form that is not enforced stands in the prompt.
- **Retries** are the SDK's, but never when the account is empty or the prompt does not fit. It waits for two minutes at
  most, even if ``llm.retry_after_max_seconds`` allows more.
- **The environment** of OpenAI (organization, project, headers) goes to OpenAI or ``OPENAI_BASE_URL`` alone.
- **A server on this machine** is asked one question at a time (``at_once``): its slots share one window, and successive
  questions share a prefix.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from gm.base.errors import BackendError, say
from gm.llm.base import Answer, Request, Surroundings, UnreachedError, UnreadableAnswerError
from gm.llm.chat import extract_error, read_chat, render_chat
from gm.llm.local import check_installed, explain_unlisted, is_listed, local_providers
from gm.llm.offers import MODELS, Offer, find_window, read_offers
from gm.llm.prices import Price, make_price
from gm.llm.providers import FORMS, FORMS_IN_PROMPT, MAIN, NEVER, WORDS, Provider, find_provider, first_form, providers
from gm.llm.refusals import Refusal, SdkErrors, explain_refusal, origin, quote_refusal, read_refusal
from gm.llm.wire import Oddities, explain_unreadable, fill_in, is_about_schema, is_about_stream

if TYPE_CHECKING:
    import httpx2
    import openai

NO_MESSAGE = (
    "is this the address of a server that speaks chat completions (it mostly ends in /v1)? Then run the same command "
    "again: the question is asked anew, and every answer so far is kept"
)
NO_KEY = "none-needed"
"""Sent to servers that need no key: the SDK wants one."""
SENT = ("accept", "accept-encoding", "connection", "content-length", "content-type", "host", "user-agent")
SENT_BY_SDK = "x-stainless-"
USUAL_PATH = "/v1"
LIST_S = 5.0
"""Seconds in which a server has to say which models it has."""


def make(model: str, around: Surroundings) -> OpenAiApi:
    """Make a model's backend; without a provider, the main one's.

    Raises:
        BackendError: It needs a key that is not set.
    """
    environment = around.environment
    provider, name = find_provider(model, environment) or (providers()[MAIN].at(environment), model)
    return OpenAiApi(name, provider, around)


class OpenAiApi:
    """Asks a model by chat completions.

    Args:
        model: Empty = the server's first.
        around: Its ``notice`` is also called once for each refused form.
    """

    reads_facts = False

    def __init__(self, model: str, provider: Provider, around: Surroundings) -> None:
        import openai

        from gm.llm.http_client import connections, following

        settings, notice = around.settings, around.notice
        shown = origin(provider.base) if provider.is_by_hand else provider.name
        self.name, self.model, self.widen = provider.name, model or shown, provider.widen
        self.at_once = provider.at_once
        self._shown, self._is_named = shown, bool(model)
        extra = {} if settings.thinking == "auto" else {"reasoning_effort": settings.thinking}
        self._provider = replace(provider, extra={**provider.extra, **extra})
        self._notice, self._sdk = notice, openai
        self._form = first_form(settings.structured, provider)
        self._may_step_down = settings.structured == "auto"
        self._limits = around.reply
        self._streams = settings.stream == "auto" and provider.stream != NEVER
        self._following = partial(following, around.writing)
        key_name, named_by = next(iter(provider.keys), "the key"), provider.base_from or "the model"
        self._errors = SdkErrors(openai, settings.retry_after_max_seconds, key_name, named_by)
        self._found_model = ""
        self._windows: dict[str, int | None] = {}
        self._fetched: dict[str, bytes | BackendError] = {}
        self._odd = Oddities(notice)
        self._lock = Lock()
        self._environment = around.environment
        key = provider.key(around.environment)
        if provider.needs_key and not key:
            raise BackendError(say("{provider} needs a key", provider.name), f"set {' or '.join(provider.keys)}")
        http = connections(settings, openai.DefaultHttpxClient, partial(_watch, self._errors, self.model, notice))
        if not provider.is_main:
            http.event_hooks = {**http.event_hooks, "request": [partial(_keep_own_headers, key)]}
        weakref.finalize(self, http.close)
        self._client = openai.OpenAI(
            api_key=key or NO_KEY,
            base_url=provider.base,
            timeout=http.timeout,
            max_retries=settings.max_retries,
            http_client=http,
            default_headers={"accept-encoding": "identity"},
        )

    @property
    def tells_schema(self) -> bool:
        return self._form in FORMS_IN_PROMPT

    def ask(self, request: Request) -> Answer:
        with self._following(request.who or request.purpose):
            model = self._name_of(request.model or self.model) or self._first_model()
            data = self._send_in_some_form(request, model)
        try:
            answer, odd = read_chat(data, bills=self._provider.bills)
        except UnreadableAnswerError as error:
            refusal = read_refusal(200, extract_error(data))
            if refusal.is_hopeless:
                raise explain_refusal(refusal, model, request.max_tokens, self._errors.key) from None
            raise explain_unreadable(error, model, NO_MESSAGE) from None
        except BackendError as error:
            raise BackendError(f"{model}: {error.message}", error.hint) from None
        self._odd.tell(model, odd)
        return fill_in(replace(answer, server=self._provider.server), model, request.max_tokens)

    def window(self, model: str) -> int | None:
        if self._provider.window is None:
            return None
        with self._lock:
            if model not in self._windows:
                self._windows[model] = find_window(self._name_of(model), self._fetch_once, self._provider.window)
            return self._windows[model]

    def price(self, model: str) -> Price | None:
        """Return the server's listed price; None = not told."""
        if not self._provider.bills:
            return None
        with self._lock:
            try:
                listed = {offer.model: offer for offer in read_offers(self._fetch_once(MODELS))}
            except BackendError:
                return None  # the published prices hold then
        offer = listed.get(self._name_of(model))
        if offer is None or offer.usd_in is None or offer.usd_out is None:
            return None
        cache = {"cache_read": offer.usd_cached, "cache_write_5m": offer.usd_written}
        known = {name: usd for name, usd in cache.items() if usd is not None}
        return make_price(offer.usd_in, offer.usd_out, **known)

    def offers(self) -> tuple[Offer, ...]:
        """Ask which models there are.

        Raises:
            BackendError: The server cannot be reached, refuses, or sends something else.
        """
        return read_offers(self._fetch(MODELS))

    def check_names(self, models: Iterable[str]) -> None:
        provider = self._provider
        if not provider.is_own:
            return
        with self._lock:
            try:
                listed = [offer.model for offer in read_offers(self._fetch_once(MODELS))]
            except UnreachedError:
                raise
            except BackendError:
                return  # the first question says what is wrong
        for model in map(self._name_of, models):
            if not (provider.is_by_hand or provider.is_main):
                check_installed(provider, model, listed)
                self._load(model)
            elif self._notice and not is_listed(model, listed):
                # what stands at an address may know more names than it lists
                self._notice(f"{explain_unlisted(provider, model, listed)}; another model may answer")

    def _load(self, model: str) -> None:
        path = self._provider.load
        if not (path and model) or self.window(model):
            return
        if self._notice:
            self._notice(f"{self.name} loads {model}")
        with suppress(self._sdk.OpenAIError):  # the first question says what is wrong
            address = f"{origin(self._provider.base)}{path}"
            self._client.with_options(max_retries=0).post(
                address, cast_to=cast("Any", _raw_class()), body={"model": model}
            )
        with self._lock:
            self._windows.clear()
            self._fetched.clear()

    def _fetch_once(self, path: str) -> bytes:
        if path not in self._fetched:
            try:
                self._fetched[path] = self._fetch(path)
            except BackendError as error:
                self._fetched[path] = error
        found = self._fetched[path]
        if isinstance(found, BackendError):
            raise found
        return found

    def _fetch(self, path: str) -> bytes:
        base = self._provider.base
        address = f"{base}{path}" if path == MODELS else f"{origin(base)}{path}"
        client = self._client.with_options(timeout=LIST_S, max_retries=0)
        try:
            answer = client.get(address, cast_to=cast("Any", _raw_class()))
        except self._sdk.OpenAIError as error:
            raise self.explain(error, self._shown) from error
        return cast("httpx2.Response", answer).content

    def _send_in_some_form(self, request: Request, model: str) -> bytes:
        while True:
            form, stream = self._form, self._streams
            body = render_chat(request, model, self._provider, form, stream=stream, limits=self._limits)
            try:
                return self._send(body)
            except self._sdk.OpenAIError as error:
                if not (stream and self._can_drop_stream(error)) and not self._steps_down(error, form):
                    raise self.explain(error, model, request.max_tokens) from error

    def _send(self, body: dict[str, Any]) -> bytes:
        answer = self._client.post("/chat/completions", cast_to=cast("Any", _raw_class()), body=body)
        return cast("httpx2.Response", answer).content

    def _steps_down(self, error: Exception, form: str) -> bool:
        refusal = self._refusal_about(is_about_schema, error) if self._may_step_down and form != WORDS else None
        if refusal is None:
            return False
        with self._lock:
            fresh = self._form == form
            if fresh:
                self._form = FORMS[FORMS.index(form) + 1]
        if fresh and self._notice:
            self._notice(
                f"{self.name} refuses the form {form!r} (status {refusal.status}): {refusal.said or 'no reason'}; "
                f"replies are asked for in the form {self._form!r} from now on"
            )
        return True

    def _can_drop_stream(self, error: Exception) -> bool:
        if self._refusal_about(is_about_stream, error) is None:
            return False
        self._streams = False
        return True

    def _refusal_about(self, is_about: Callable[[int, str], bool], error: Exception) -> Refusal | None:
        if not isinstance(error, self._sdk.APIStatusError):
            return None
        refusal = read_refusal(error.status_code, error.response.content)
        is_meant = not refusal.is_window and is_about(refusal.status, f"{refusal.code} {refusal.said}")
        return refusal if is_meant else None

    def _name_of(self, model: str) -> str:
        return model.removeprefix(f"{self.name}:") if self._is_named or model != self.model else ""

    def _first_model(self) -> str:
        with self._lock:
            if not self._found_model:
                listed = self.offers()
                if not listed:
                    before = f"{self._provider.base}#" if self._provider.is_by_hand else f"{self.name}:"
                    raise BackendError(
                        f"{self._shown} has no model loaded", f"load one there, or name it: {before}NAME"
                    )
                self._found_model = listed[0].model
            return self._found_model

    def explain(self, error: openai.OpenAIError, model: str, max_tokens: int = 0) -> BackendError:
        base, by_hand = self._provider.base, self._provider.is_by_hand
        path = urlsplit(base).path
        if isinstance(error, self._sdk.NotFoundError) and by_hand and not path.endswith(USUAL_PATH):
            said = quote_refusal(read_refusal(error.status_code, error.response.content))
            usual = f"{origin(base)}{USUAL_PATH}{_named_as_local(base, self._environment)}"
            return BackendError(
                f"{base} answered: {said}" if path else f"{base} does not speak chat completions: {said}",
                f"the path {path} may be wrong: write {usual}" if path else f"its address mostly ends in /v1: {usual}",
            )
        whose = "" if by_hand else f" of {self.name}"
        hint = _explain_address(self._provider) + ("; every answer so far is kept" if max_tokens else "")
        unreached = UnreachedError(f"the server{whose} at {base} cannot be reached", hint)
        return self._errors.explain(error, model, max_tokens, base, unreached)


def _named_as_local(address: str, environment: Mapping[str, str]) -> str:
    local = local_providers(environment)
    found = next((one for one in local if urlsplit(one.base).port == urlsplit(address).port), None)
    return f", or {found.name}:NAME" if found else ""


def _watch(errors: SdkErrors, model: str, notice: Callable[[str], None] | None, response: httpx2.Response) -> None:
    # Looks at each response before the SDK does, which repeats by the status alone.
    if response.status_code != 200:
        errors.hold_back(read_refusal(response.status_code, response.read()), response.headers, model, notice)


def _keep_own_headers(key: str, request: httpx2.Request) -> None:
    for name in [name for name in request.headers if name not in SENT and not name.startswith(SENT_BY_SDK)]:
        del request.headers[name]
    request.headers["authorization"] = f"Bearer {key or NO_KEY}"


def _raw_class() -> type:
    import httpx2

    return httpx2.Response


def _explain_address(provider: Provider) -> str:
    if provider.at_once:
        variable = (
            f", and {provider.base_from} right?"
            if provider.base_from
            else "? At another address: --model http://HOST:PORT/v1#MODEL"
        )
        return f"is {provider.name} running{variable}"
    if provider.is_here:
        return "does a server run at this address?"
    return f"is the network up{f', and {provider.base_from} right' if provider.base_from else ''}?"
