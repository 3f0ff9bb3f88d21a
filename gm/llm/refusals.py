"""What a server's refusal means, and what the user can do."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, MutableMapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from threading import Lock
from typing import Any
from urllib.parse import urlsplit

from gm.base.errors import BackendError, say
from gm.llm.base import read_tokens

WAITING = {429: "rate limit reached", 503: "the server is not ready", 529: "the server is overloaded"}
TOLD = (1, 10, 100, 1_000)
"""Which waits of a run for the same reason are reported, counted from 1."""
NOT_THERE = 501
MOST_SAID = 400
LONGEST = 20
"""Most time for the body of an answer, as a multiple of the wait for its next bytes, which may come for ever."""
MILLISECONDS, SECONDS = "retry-after-ms", "retry-after"
MOVED_TO = "x-moved-to"
"""Holds the address of a redirect, which is not followed."""
OUT_OF_MONEY = (
    "insufficient_quota",
    "credit_balance",
    "credit balance",
    "insufficient balance",
    "insufficient credit",
)
WINDOW = (
    "exceed_context_size",
    "context_length_exceeded",
    "maximum context length",
    "available context size",
    "context size has been exceeded",
    "prompt is too long",
    "larger context length",
)
BROKEN_OFF = ("ReadError", "RemoteProtocolError", "WriteError")
"""What the HTTP client raises where a connection was made, and what came over it is no answer."""
NO_MEMORY = ("more system memory", "out of memory", "insufficient system resources", "failed to allocate")
_WINDOW_SIZE = re.compile(
    r"(?:context (?:length|size)(?: of [\w/.-]+)?(?: is| of(?: only)?)? \(?|tokens > |n_ctx: )(\d[\d,]*)", re.I
)
_PROMPT_SIZE = re.compile(
    r"(?:request \(|resulted in |you requested |requested about |too long: |has |the first )(\d[\d,]*) ?"
    r"(?:input )?token",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Refusal:
    """A status other than 200.

    Attributes:
        code: The server's word for the error; may be empty.
    """

    status: int
    said: str = ""
    code: str = ""
    prompt: int | None = None
    window: int | None = None

    @property
    def is_window(self) -> bool:
        """Whether prompt and answer do not fit into the model's window."""
        return self._speaks_of(WINDOW)

    @property
    def is_out_of_money(self) -> bool:
        return self.status == 402 or (self.status in (400, 403, 429) and self._speaks_of(OUT_OF_MONEY))

    @property
    def is_out_of_memory(self) -> bool:
        return self._speaks_of(NO_MEMORY)

    @property
    def is_hopeless(self) -> bool:
        """Whether asking again cannot help."""
        said = self.is_window or self.is_out_of_money or self.is_out_of_memory
        return said or self.status == NOT_THERE or 300 <= self.status < 400

    def _speaks_of(self, words: tuple[str, ...]) -> bool:
        message = f"{self.code} {self.said}".lower()
        return any(word in message for word in words)


def read_refusal(status: int, data: bytes) -> Refusal:
    """Read a server's error: an object, a list with one, or any text."""
    text = data[:100_000].decode("utf-8", "replace")
    try:
        found: Any = json.loads(text)
    except (ValueError, RecursionError):
        is_page = text.lstrip().startswith("<")
        return Refusal(status, "" if is_page else _short(text), "an HTML page" if is_page else "")
    if isinstance(found, list) and found:
        found = found[0]
    body = found.get("error", found) if isinstance(found, Mapping) else found
    if isinstance(body, str):
        body = {"message": body}
    if not isinstance(body, Mapping):
        return Refusal(status)
    said = next(filter(None, (_in_words(body.get(key)) for key in ("message", "detail", "error"))), "")
    code = " ".join(str(body[key]) for key in ("code", "type") if isinstance(body.get(key), str))
    return Refusal(
        status,
        _short(said),
        code[:MOST_SAID],
        read_tokens(body.get("n_prompt_tokens")) or _number(_PROMPT_SIZE, said),
        read_tokens(body.get("n_ctx")) or _number(_WINDOW_SIZE, said),
    )


def _in_words(found: object) -> str:
    # A text, or the first fault that a validation found, with its place (Mistral).
    if isinstance(found, Mapping):
        return _in_words(found.get("detail"))
    if not isinstance(found, list):
        return found if isinstance(found, str) else ""
    first = found[0] if found and isinstance(found[0], Mapping) else {}
    place = first.get("loc")
    where = f"{'.'.join(map(str, place[:9]))}: " if isinstance(place, list) else ""
    return f"{where}{first['msg']}" if isinstance(first.get("msg"), str) else ""


def explain_refusal(refusal: Refusal, model: str, max_tokens: int, key: str) -> BackendError:
    """Return the error for the user.

    Args:
        max_tokens: Most tokens of the answer that was asked for.
        key: Name of the variable with the key.
    """
    if refusal.is_window:
        return explain_window(model, refusal.window, refusal.prompt, max_tokens)
    if refusal.is_out_of_money:
        return BackendError(
            f"{model}: the provider says that the account has no money left ({quote_refusal(refusal)})",
            f"pay in there, or set {key} to a key of another account; every answer so far is kept",
        )
    hints = {
        400: "the API refused the request itself: is the model's name right, does it support structured output?",
        401: f"check {key}",
        403: "this key may not use this model",
        404: "no such model here: see gm models",
        413: "the prompt is too long: set context.budget_tokens",
        429: "the rate limit is reached: wait, or lower llm.concurrency",
        529: "the API is overloaded: try again later",
    }
    hint = hints.get(refusal.status, "try again later" if is_repeated(refusal.status) else hints[400])
    if refusal.is_out_of_memory:
        hint = "the server's machine has too little memory for it: take a smaller model, or a smaller window"
    hint += "; every answer so far is kept"
    return BackendError(f"{model} was not answered by the API: {quote_refusal(refusal)}", hint)


def explain_window(model: str, window: int | None, prompt: int | None, max_tokens: int) -> BackendError:
    """Return the error for a question beyond the window."""
    holds = f"the window of {model} holds {window} tokens" if window else f"the window of {model} is too small"
    has = f"this prompt has {prompt}" if prompt else "this prompt is longer"
    room = window - max_tokens if window and window > max_tokens else None
    fitting = f"context.prompt_by_model: {{{model}: {room}}}" if room else "context.prompt_tokens and llm.max_tokens"
    if window and prompt and prompt < window < prompt + max_tokens:
        fitting = f"llm.max_tokens to {window - prompt} at most, or {fitting}"
    return BackendError(
        f"{holds}, {has}, and its answer may take {max_tokens}",
        f"start the server with a larger window, or set {fitting} in gm.yaml; every answer so far is kept",
    )


def explain_wait(model: str, status: int, asked: float, patience_s: float) -> BackendError:
    """Return the error for a wait beyond the settings."""
    what = WAITING.get(status, "the server failed")
    return BackendError(
        f"{model}: {what} (status {status}); it asks to wait {asked:.0f} s, which is more than "
        f"llm.retry_after_max_seconds: {patience_s:g}",
        "run the same command again later, it goes on from here; or raise llm.retry_after_max_seconds",
    )


def explain_redirect(status: int, url: str, moved_to: str, variable: str) -> BackendError:
    """Return the error for a redirect, which is not followed."""
    here = origin(url)
    there = here if moved_to.startswith("/") and not moved_to.startswith("//") else origin(moved_to)
    return BackendError(
        f"the model's server {here} sends on to {there} (status {status}): not followed, prompts go "
        "to the address that was named and to no other",
        f"if that is the right server, set {variable} to its address",
    )


@dataclass(frozen=True, slots=True)
class SdkErrors:
    """What the SDKs of both APIs raise, and when they may ask again.

    Attributes:
        sdk: Its module.
        patience_s: Longest wait that a server may ask for.
        key: Name of the variable with the key.
        named_by: What names the server's address: a variable, or the model.
        waits: How often each was told of.
    """

    sdk: Any
    patience_s: float
    key: str
    named_by: str
    waits: Counter[str] = field(default_factory=Counter)
    _lock: Lock = field(default_factory=Lock)

    def explain(self, error: Exception, model: str, max_tokens: int, url: str, unreached: BackendError) -> BackendError:
        """Return the error for the user; ``unreached`` where there was no connection to ``url``."""
        if isinstance(error, self.sdk.APIStatusError):
            response = error.response
            status, asked = response.status_code, seconds_asked(response.headers)
            moved_to = response.headers.get(MOVED_TO)
            if response.is_redirect and moved_to:
                return explain_redirect(status, url, moved_to, self.named_by)
            if asked is not None and asked > self.patience_s and is_repeated(status):
                return explain_wait(model, status, asked, self.patience_s)
            return explain_refusal(read_refusal(status, response.content), model, max_tokens, self.key)
        if isinstance(error, self.sdk.APITimeoutError):
            return BackendError(say("{model} did not answer in time", model), "raise llm.timeout_s, or try again")
        if isinstance(error, self.sdk.APIConnectionError):
            cause = error.__cause__
            return explain_broken(cause, url) if type(cause).__name__ in BROKEN_OFF else unreached
        return BackendError(f"the API could not be asked: {type(error).__name__}")

    def hold_back(
        self, refusal: Refusal, headers: MutableMapping[str, str], model: str, notice: Callable[[str], None] | None
    ) -> None:
        """Let the SDK, which does the waiting, not repeat in vain; and tell of a wait."""
        asked = seconds_asked(headers)
        if refusal.is_hopeless or (asked is not None and asked > self.patience_s):
            headers["x-should-retry"] = "false"
            return
        if asked is None:
            # the SDK fails on values that gm cannot read
            headers.pop(SECONDS, None)
            headers.pop(MILLISECONDS, None)
        if notice and refusal.status in WAITING:
            how_long = f", asks to wait {asked:.0f} s" if asked is not None else ""
            what = f"{model}: {WAITING[refusal.status]} (status {refusal.status})"
            with self._lock:
                self.waits[what] += 1
                times = self.waits[what]
            if times in TOLD:
                notice(f"{what}{how_long}" if times == 1 else f"{what}, {times:,} times so far")


def explain_broken(cause: BaseException | None, url: str) -> BackendError:
    """Return the error for an answer that broke off, or is no HTTP."""
    return BackendError(
        f"the model's server {origin(url)} broke off, or does not speak HTTP: {_short(str(cause)) or 'no reason'}",
        "run the same command again, every answer so far is kept; if it happens again, look at the server, and at its "
        "address",
    )


def is_repeated(status: int) -> bool:
    """Return whether the SDKs repeat a call after a status."""
    return status in (408, 409, 429) or status >= 500


def origin(url: str) -> str:
    """Return an address's scheme and host, without a password."""
    try:
        parts = urlsplit(url[:2000])
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
    except ValueError:
        return "an address that cannot be read"


def seconds_asked(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Return how long a server asks to wait, in seconds ≥ 0, possibly infinite; None when it does not say.

    Args:
        headers: With names in lower case.
        now: What a date is compared with.
    """
    for name, factor in ((MILLISECONDS, 0.001), (SECONDS, 1.0)):
        try:
            seconds = float(headers.get(name, "")) * factor
        except ValueError:
            continue
        return None if math.isnan(seconds) else max(0.0, seconds)
    try:
        date = parsedate_to_datetime(headers.get(SECONDS, ""))
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
    # a date without a zone is taken as UTC
    date = date if date.tzinfo else date.replace(tzinfo=UTC)
    return max(0.0, (date - (now or datetime.now(UTC))).total_seconds())


def quote_refusal(refusal: Refusal) -> str:
    """Return what the server said, with its status."""
    return f"{refusal.said or refusal.code or 'no reason'} (status {refusal.status})"


def _short(said: str) -> str:
    return " ".join(said.split())[:MOST_SAID].rstrip()


def _number(pattern: re.Pattern[str], said: str) -> int | None:
    found = pattern.search(said)
    return read_tokens(int(found[1].replace(",", ""))) if found else None
