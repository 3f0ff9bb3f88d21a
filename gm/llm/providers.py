"""Servers of OpenAI's chat completions, from ``providers.yaml``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from gm.base.errors import BackendError
from gm.llm.packaged import read_packaged

FORMS = STRICT, SCHEMA, JSON, WORDS = ("strict", "schema", "json", "words")
"""How the form of a reply is asked for, the strongest first: a schema by the strict rules, any schema, a JSON object,
the prompt alone."""
FORMS_IN_PROMPT = (JSON, WORDS)
"""Forms with which the schema stands in the prompt."""
USAGE, PLAIN, NEVER = ("usage", "plain", "never")
"""How an answer may arrive in pieces: the usage is asked for, it comes unasked, or not together with a schema."""
LOOPBACK = ("localhost", "127.0.0.1", "::1")
UNSPECIFIED = ("", "0.0.0.0", "::")
"""Hosts at which a server listens on every address of its machine; it is asked at 127.0.0.1."""
PORTS = {"http": 80, "https": 443}
ANYWHERE = ("/props", "/api/ps", "/api/v1/models")
"""Where a server of an unknown kind is asked for its window."""
ANTHROPIC = "anthropic"
CREDENTIALS = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN")
"""Variables with a key of the Anthropic Messages API, which is none of these providers."""
MAIN = "openai"
"""Name of the provider that models without one belong to, and of a server whose address the user has given."""


@dataclass(frozen=True, slots=True)
class Provider:
    """A server of chat completions. ``providers.yaml`` describes the attributes."""

    name: str
    base: str
    base_from: str = ""
    keys: tuple[str, ...] = ()
    model: str = ""
    names: tuple[str, ...] = ()
    limit: str = "max_tokens"
    form: str = STRICT
    at_once: int | None = None
    window: tuple[str, ...] | None = None
    load: str = ""
    stream: str = USAGE
    free: bool = False
    bills: bool = False
    install: str = ""
    widen: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_by_hand(self) -> bool:
        return not self.keys and not self.at_once

    @property
    def is_local(self) -> bool:
        """Whether it is declared to stand on this machine."""
        return self.is_here and not self.is_main and not self.is_by_hand

    @property
    def is_here(self) -> bool:
        """Whether its address is one of this machine."""
        return urlsplit(self.base).hostname in LOOPBACK

    @property
    def server(self) -> str:
        """The kind of address that is asked, without the address; empty = the provider's own."""
        if self.base == providers().get(self.name, self).base and not self.is_by_hand:
            return ""
        address = urlsplit(self.base)
        place = "here" if self.is_here else "in this network" if _is_private(address.hostname or "") else "elsewhere"
        alike = [one.name for one in providers().values() if one.is_local and urlsplit(one.base).port == address.port]
        return ", the port of ".join((place, *alike))

    @property
    def is_own(self) -> bool:
        """Whether its list of models is asked for before the first question: a server of one's own may be away."""
        return self.is_here or self.is_by_hand or bool(self.at_once)

    @property
    def is_main(self) -> bool:
        """Whether it is OpenAI, or what stands in its place."""
        return self.name == MAIN and not self.is_by_hand

    def set_key(self, environment: Mapping[str, str]) -> str:
        """Return the name of the set key variable, or ""."""
        return next((name for name in self.keys if environment.get(name)), "")

    def is_set_up(self, environment: Mapping[str, str]) -> bool:
        return bool(self.key(environment) or (self.base_from and environment.get(self.base_from)))

    @property
    def needs_key(self) -> bool:
        return bool(self.keys) and urlsplit(self.base).scheme == "https"

    def at(self, environment: Mapping[str, str]) -> Provider:
        """Return the provider at the address that the environment names, if any.

        Raises:
            BackendError: That is not an address.
        """
        address = environment.get(self.base_from, "").strip() if self.base_from else ""
        if address and not self.is_main:
            return replace(self, base=_complete_address(address, self))
        # a server at another address may know neither the strict rules nor the newer name of the limit
        return replace(self, base=address, limit="max_tokens", form=SCHEMA, window=ANYWHERE) if address else self

    def key(self, environment: Mapping[str, str]) -> str:
        name = self.set_key(environment)
        return environment[name] if name else ""


def _is_private(host: str) -> bool:
    try:
        return ip_address(host).is_private
    except ValueError:
        return "." not in host or host.endswith((".local", ".lan", ".internal"))


@cache
def providers() -> Mapping[str, Provider]:
    """Return the providers by name, in the file's order."""
    return {name: _make_provider(name, values) for name, values in read_packaged("providers.yaml").items()}


def _make_provider(name: str, values: Mapping[str, Any]) -> Provider:
    made: dict[str, Any] = {key: tuple(item) if isinstance(item, list) else item for key, item in values.items()}
    return Provider(name, **made)


def _complete_address(address: str, provider: Provider) -> str:
    usual = urlsplit(provider.base)
    is_whole = is_address(address)
    is_ipv6 = not is_whole and address.count(":") > 1 and "[" not in address
    host_port = f"[{address}]" if is_ipv6 else address
    try:
        parts = urlsplit(address if is_whole else f"{usual.scheme}://{host_port}")
        port = parts.port or (PORTS[parts.scheme] if is_whole else usual.port)
        host = "127.0.0.1" if (parts.hostname or "") in UNSPECIFIED else parts.hostname or ""
    except ValueError:
        raise BackendError(
            f"{provider.base_from} names no address: {address}", f"as {usual.netloc}, or http://HOST:PORT"
        ) from None
    path = parts.path.rstrip("/").removesuffix(usual.path)
    return f"{parts.scheme}://{f'[{host}]' if ':' in host else host}:{port}{path}{usual.path}"


def is_address(wanted: str) -> bool:
    """Return whether a model's name is a server's address."""
    return wanted.lower().startswith(("http://", "https://"))


def find_provider(wanted: str, environment: Mapping[str, str]) -> tuple[Provider, str] | None:
    """Return the provider in a model's name and the model without it; None for any other name.

    ``ollama:qwen3:8b`` names a provider, ``http://127.0.0.1:9000/v1#qwen3`` an address (without a key), and ``gpt-…`` a
    model that only one provider has.
    """
    if is_address(wanted):
        address, _, model = wanted.partition("#")
        return Provider(MAIN, address.rstrip("/"), form=SCHEMA, window=ANYWHERE), model
    name, colon, model = wanted.partition(":")
    if colon and name in providers():
        return providers()[name].at(environment), model
    for provider in providers().values():
        if wanted.startswith(provider.names or ("\0",)):
            return provider.at(environment), wanted
    return None


def first_form(structured: str, provider: Provider) -> str:
    """Return how a reply's form is first asked for, by ``llm.structured``."""
    return WORDS if structured == "prompt" else provider.form
