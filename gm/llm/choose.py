"""Choice of the backend, with a reason for the user."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from importlib import import_module

from gm.base import plugins
from gm.base.config import PURPOSES, LlmSettings
from gm.base.errors import BackendError, say
from gm.llm.base import MAILBOX, REHEARSAL, REPLAY, Backend, Surroundings
from gm.llm.providers import (
    CREDENTIALS,
    FORMS_IN_PROMPT,
    MAIN,
    Provider,
    find_provider,
    first_form,
    is_address,
    providers,
)
from gm.llm.refusals import origin
from gm.llm.wire import BASE_URL, needs_schema_text

AUTO = "auto"
API = "gm.llm.anthropic_api"
CHAT = "gm.llm.openai_api"

BACKENDS = {
    REHEARSAL: "gm.llm.rehearsal.backend",
    MAILBOX: "gm.llm.mailbox",
    REPLAY: "gm.llm.replay",
}
"""Backends asked for by their own name, with their modules: each has ``make(model, surroundings)``. Any other name is a
model of a backend that a package adds (``NAME`` or ``NAME:MODEL``), of a provider, or of the Messages API."""
MESSAGES = "claude-"
"""Beginning of the models that only the Messages API has."""
PLAYABLE_PURPOSES = frozenset(name for name, purpose in PURPOSES.items() if purpose.is_playable)
"""Purposes of the questions that a person answers for a character."""
_HOST_AND_PORT = re.compile(r"[\w.-]+:\d{4,5}(/\S*)?")
FROM_OUTSIDE = ("--model",)
"""Sources from which an address is taken: a world made by others must not send prompts to any server."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A backend, the reason for it, and its models.

    Attributes:
        own_models: Whether a character may have a model of its own.
        takes: Whether a purpose's or character's model is asked there; else the backend's own is.
        person_backend: Puts questions to people; None = no person plays.
        people: Ids of characters that people play in this run, beside those whose persona says so.
    """

    backend: Backend
    why: str
    models: Mapping[str, str] = field(default_factory=dict)
    own_models: bool = False
    name: str = ""
    takes: Callable[[str], bool] = bool
    person_backend: Backend | None = None
    people: frozenset[str] = frozenset()

    @property
    def shown(self) -> str:
        """The name as it was chosen, else that of the model."""
        return self.name or self.backend.model

    def model_for(self, purpose: str, own: str = "", who: str = "") -> str:
        """Return the model to ask: a person, else the character's own, else the purpose's, else the backend's ("")."""
        by_hand = own == MAILBOX
        if self.person_backend and purpose in PLAYABLE_PURPOSES and (by_hand or who in self.people):
            return MAILBOX
        wanted = own if self.own_models and own and not by_hand else self.models.get(purpose, "")
        return wanted if self.takes(wanted) else ""


def choose_backend(wanted: str, source: str, around: Surroundings) -> Choice:
    """Choose the backend.

    Args:
        wanted: ``auto``, or the name of a backend or model.

    Raises:
        BackendError: A model is wanted without a key or a server, or a server is set without a model.
    """
    if wanted in BACKENDS:
        return Choice(_maker(BACKENDS[wanted])(wanted, around), f"asked for by {source}")
    if wanted == AUTO:
        return _choose_automatically(around)
    # a model named on the command line is meant for all characters and purposes
    only = source == "--model"
    if added := _find_added_maker(wanted):
        return _ready(added, wanted.partition(":")[2], f"asked for by {source}", around, only=only)
    provider = chat_provider(wanted, around.environment)
    if provider is not None:
        if provider.is_by_hand and source not in FROM_OUTSIDE:
            raise BackendError(
                f"{source} names an address ({origin(provider.base)}): prompts go only where you send them",
                "name URL#MODEL on the command line, or set OPENAI_BASE_URL",
            )
        return _ready(_maker(CHAT), wanted, f"asked for by {source}", around, only=only)
    if _HOST_AND_PORT.fullmatch(wanted):
        raise BackendError(f"{wanted} names no provider and no model", f"an address: {_as_address(wanted)}")
    found = _messages_by(around.environment)
    if found is None:
        raise _unknown(wanted, around.environment)
    return _ready(_maker(API), wanted, f"asked for by {source}, {found} is set", around, only=only)


def _unknown(wanted: str, environment: Mapping[str, str]) -> BackendError:
    from gm.llm.local import explain_bare, explain_provider

    if wanted in providers() and providers()[wanted].is_local:
        hint = explain_provider(wanted, environment)
        return BackendError(f"{wanted} is the name of a server, not of a model", hint)
    needs = say("{model} needs a key or a server", wanted)
    found, is_sure = explain_bare(wanted, environment)
    if near := _find_near_providers(wanted):
        meant = f"did you mean {' or '.join(near)}?{f' Or: {found}' if is_sure else ''}"
        return BackendError(f"there is no provider {wanted.partition(':')[0]}", meant)
    if is_sure:
        return BackendError(needs, f"{found} gm models shows other providers")
    return BackendError(
        needs,
        f"{found} A model of Anthropic needs ANTHROPIC_API_KEY; gm models shows other providers; "
        "the model rehearsal needs none",
    )


def _find_near_providers(wanted: str) -> list[str]:
    from difflib import get_close_matches

    # Ollama's own names have a version before the colon, or a size or "latest" behind it: llama3:latest, gemma:2b
    name, _, model = wanted.partition(":")
    if not name.isalpha() or not model[:1].isalpha() or model == "latest":
        return []
    return [f"{one}:{model}" for one in get_close_matches(name.lower(), providers())]


def _as_address(named: str) -> str:
    host, slash, rest = named.partition("/")
    return f"http://{host}{slash}{rest}" if slash else f"http://{host}/v1"


def automatic(environment: Mapping[str, str]) -> tuple[str, str]:
    """Return what ``auto`` stands for, and why.

    The key of the Messages API comes first, then ``OPENAI_BASE_URL``, other providers' keys in their order, the
    rehearsal.

    Returns:
        A name as ``--model`` takes it, "" for ``llm.model`` at the Messages API; and the reason.
    """
    if found := _messages_by(environment):
        return "", f"{found} is set"
    main = providers()[MAIN]
    if server := environment.get(main.base_from):
        named = f"the first model of {origin(server)}, {main.base_from} is set; --model {MAIN}:NAME names another"
        return f"{MAIN}:", named
    keys = [(one, key) for one in providers().values() if (key := one.set_key(environment))]
    for provider, key in keys:
        if provider.model:
            return f"{provider.name}:{provider.model}", f"{key} is set; --model names another"
    only_named = "".join(f"; {key} is, for --model {provider.name}:NAME" for provider, key in keys[:1])
    return REHEARSAL, f"no ANTHROPIC_API_KEY and no other provider's key is set{only_named}"


def resolve_backend(wanted: str, settings: LlmSettings, environment: Mapping[str, str]) -> str:
    """Return the name that ``auto`` stands for; any other as it is."""
    return (automatic(environment)[0] or settings.model) if wanted == AUTO else wanted


def _choose_automatically(around: Surroundings) -> Choice:
    name, why = automatic(around.environment)
    if not name and _messages_by(around.environment) == BASE_URL:
        raise BackendError(
            "ANTHROPIC_BASE_URL is set, but which model does that server offer?",
            "name it on the command line, or as model: NAME in gm.yaml",
        )
    if not name:
        return _ready(_maker(API), around.settings.model, why, around)
    if name in BACKENDS:
        return Choice(_maker(BACKENDS[name])(name, around), why)
    choice = _ready(_maker(CHAT), name, why, around)
    here = choice.backend.name
    elsewhere = sorted({model for model in around.models.values() if not _is_asked_at(here, model)})
    if elsewhere:
        why += f"; {', '.join(elsewhere)}: not asked there"
    return replace(choice, why=why, name=name.removesuffix(":"), takes=partial(_is_asked_at, here))


def _is_asked_at(provider: str, model: str) -> bool:
    found = find_provider(model, {})
    return found[0].name == provider if found else not model.startswith(MESSAGES)


def chat_provider(wanted: str, environment: Mapping[str, str]) -> Provider | None:
    """Return a model's provider of chat completions; None for the Messages API.

    A name without a provider goes to the Messages API where set up, unless it belongs to another provider; with
    ``ANTHROPIC_BASE_URL``, always.
    """
    found = find_provider(wanted, environment)
    if found is not None:
        is_named = is_address(wanted) or wanted.startswith(f"{found[0].name}:")
        return found[0] if is_named or not environment.get(BASE_URL) else None
    main = providers()[MAIN]
    return main.at(environment) if not can_ask(environment) and main.is_set_up(environment) else None


def can_ask(environment: Mapping[str, str]) -> bool:
    """Return whether the Messages API has a key or server."""
    return _messages_by(environment) is not None


def _messages_by(environment: Mapping[str, str]) -> str | None:
    return next((name for name in (*CREDENTIALS, BASE_URL) if environment.get(name)), None)


def missing_key(wanted: str, environment: Mapping[str, str]) -> str:
    """Return the name of the key that a model lacks, or ""."""
    if wanted == AUTO or wanted in BACKENDS or _find_added_maker(wanted):  # auto takes what has its key
        return ""
    provider = chat_provider(wanted, environment)
    if provider is None:
        return "" if can_ask(environment) else CREDENTIALS[0]
    return provider.keys[0] if provider.needs_key and not provider.key(environment) else ""


def is_schema_told(wanted: str, settings: LlmSettings, environment: Mapping[str, str]) -> bool:
    """Return whether questions will end with the schema, without making the backend."""
    wanted = resolve_backend(wanted, settings, environment)
    if wanted in (REHEARSAL, MAILBOX) or _find_added_maker(wanted):
        return False
    provider = chat_provider(wanted, environment)
    if provider is not None:
        return first_form(settings.structured, provider) in FORMS_IN_PROMPT
    return needs_schema_text(settings.structured, environment.get(BASE_URL, ""))


Maker = Callable[[str, Surroundings], Backend]


def _ready(make: Maker, model: str, why: str, around: Surroundings, *, only: bool = False) -> Choice:
    backend = make(model, around)
    return Choice(backend, why) if only else Choice(backend, why, around.models, own_models=True)


def _maker(module: str) -> Maker:
    make: Maker = import_module(module).make
    return make


def _find_added_maker(wanted: str) -> Maker | None:
    name = wanted.partition(":")[0]
    return None if name in providers() else plugins.load_plugin(plugins.BACKENDS, name)
