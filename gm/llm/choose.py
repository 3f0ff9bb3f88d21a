"""Choice of the backend, with the reason, which is always shown to the user."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module

from gm.base import plugins
from gm.base.config import LlmSettings
from gm.base.errors import BackendError
from gm.llm.anthropic_api import CREDENTIALS
from gm.llm.base import Backend, Surroundings
from gm.llm.providers import MAIN, TOLD, Provider, find_provider, first_form, providers
from gm.llm.refusals import origin
from gm.llm.wire import BASE_URL, tells_schema

REHEARSAL = "rehearsal"
MAILBOX = "mailbox"
REPLAY = "replay"
API = "gm.llm.anthropic_api"
CHAT = "gm.llm.openai_api"

BACKENDS = {
    REHEARSAL: "gm.llm.rehearsal",
    MAILBOX: "gm.llm.mailbox",
    REPLAY: "gm.llm.replay",
}
"""Backends asked for by their own name, with their modules: each has ``make(model, surroundings)``. Any other name is a
model of a backend that a package adds (``NAME`` or ``NAME:MODEL``), of a provider, or of the Messages API."""
FROM_OUTSIDE = ("--model",)
"""Sources from which an address is taken: a world that somebody else made must not send prompts anywhere."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A backend, the reason for it, and its models.

    Attributes:
        models: By purpose, where they differ from the backend's own.
        own_models: Whether a character may be played by a model of its own.
    """

    backend: Backend
    why: str
    models: Mapping[str, str] = field(default_factory=dict)
    own_models: bool = False

    def model_for(self, purpose: str, own: str = "") -> str:
        """Return the model to ask: the character's own, else that of the purpose, else the backend's ("")."""
        if self.own_models and own:
            return own
        return self.models.get(purpose, "")


def choose_backend(wanted: str, source: str, around: Surroundings) -> Choice:
    """Choose the backend.

    Args:
        wanted: ``auto``, or the name of a backend or a model.
        source: Of the wish (``--model``, ``gm.yaml``, ``default``).

    Raises:
        BackendError: A model is wanted without a key or a server, or a server is set without a model.
    """
    found = next((name for name in (*CREDENTIALS, BASE_URL) if around.environment.get(name)), None)
    if wanted in BACKENDS:
        return Choice(_maker(BACKENDS[wanted])(wanted, around), f"asked for by {source}")
    if wanted == "auto":
        return _automatic(found, around)
    # a model named on the command line is meant for all characters and purposes
    only = source == "--model"
    if added := _added(wanted):
        return _ready(added, wanted.partition(":")[2], f"asked for by {source}", around, only=only)
    provider = chat_provider(wanted, around.environment)
    if provider is not None:
        if provider.is_by_hand and source not in FROM_OUTSIDE:
            raise BackendError(
                f"{source} names an address ({origin(provider.base)}): prompts go only where you send them",
                "name it on the command line: --model URL#MODEL, or set OPENAI_BASE_URL",
            )
        return _ready(_maker(CHAT), wanted, f"asked for by {source}", around, only=only)
    if found is None:
        raise BackendError(
            f"{wanted} needs a key or a server",
            "set ANTHROPIC_API_KEY, or ANTHROPIC_BASE_URL for a local server, or name the provider: "
            f"{', '.join(providers())} (--model ollama:NAME), or use --model rehearsal",
        )
    return _ready(_maker(API), wanted, f"asked for by {source}, {found} is set", around, only=only)


def _automatic(found: str | None, around: Surroundings) -> Choice:
    """Choose by the environment: the Messages API, else the rehearsal; keys of other providers are named."""
    if found == BASE_URL:
        raise BackendError(
            "ANTHROPIC_BASE_URL is set, but which model does that server offer?",
            "name it: --model NAME, or model: NAME in gm.yaml",
        )
    if found is not None:
        return _ready(_maker(API), around.settings.model, f"{found} is set", around)
    why = "no ANTHROPIC_API_KEY and no ANTHROPIC_BASE_URL is set"
    others = [(key, one.name) for one in providers().values() for key in one.keys if around.environment.get(key)]
    why += "".join(f"; {key} is, for --model {name}:NAME" for key, name in others[:1])
    return Choice(_maker(BACKENDS[REHEARSAL])(REHEARSAL, around), why)


def chat_provider(wanted: str, environment: Mapping[str, str]) -> Provider | None:
    """Return the provider of chat completions that a model is asked at; None for the Messages API.

    A name without a provider goes to the Messages API where that is set up, unless it belongs to another provider; with
    a server of the Messages API of one's own (``ANTHROPIC_BASE_URL``), always.
    """
    found = find_provider(wanted, environment)
    if found is not None:
        is_named = wanted.startswith((f"{found[0].name}:", "http"))
        return found[0] if is_named or not environment.get(BASE_URL) else None
    main = providers()[MAIN]
    return main.at(environment) if not can_ask(environment) and main.is_set_up(environment) else None


def can_ask(environment: Mapping[str, str]) -> bool:
    """Return whether there is a key or a server for the Messages API."""
    return any(environment.get(name) for name in (*CREDENTIALS, BASE_URL))


def missing_key(wanted: str, environment: Mapping[str, str]) -> str:
    """Return the name of the key without which a model cannot be asked; empty if nothing is missing."""
    if wanted == "auto" or wanted in BACKENDS or _added(wanted):
        return ""
    provider = chat_provider(wanted, environment)
    if provider is None:
        return "" if can_ask(environment) else CREDENTIALS[0]
    return provider.keys[0] if provider.needs_key and not provider.key(environment) else ""


def will_tell_schema(wanted: str, settings: LlmSettings, environment: Mapping[str, str]) -> bool:
    """Return whether questions will end with the schema as text, without making the backend."""
    if wanted in (REHEARSAL, MAILBOX) or (wanted == "auto" and not can_ask(environment)) or _added(wanted):
        return False
    provider = chat_provider(wanted, environment)
    if provider is not None:
        return first_form(settings.structured, provider) in TOLD
    return tells_schema(settings.structured, environment.get(BASE_URL, ""))


Maker = Callable[[str, Surroundings], Backend]


def _ready(make: Maker, model: str, why: str, around: Surroundings, *, only: bool = False) -> Choice:
    backend = make(model, around)
    return Choice(backend, why) if only else Choice(backend, why, around.models, own_models=True)


def _maker(module: str) -> Maker:
    make: Maker = import_module(module).make
    return make


def _added(wanted: str) -> Maker | None:
    """Return what makes the backend that a package adds under a name, or under what stands before its colon."""
    name = wanted.partition(":")[0]
    return None if name in providers() else plugins.load_plugin(plugins.BACKENDS, name)
