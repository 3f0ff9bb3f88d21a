"""Choice of the backend, with the reason, which is always shown to the user."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module

from gm.base.config import LlmSettings
from gm.base.errors import BackendError
from gm.llm.anthropic_api import CREDENTIALS
from gm.llm.base import Backend, Surroundings
from gm.llm.wire import BASE_URL, tells_schema

REHEARSAL = "rehearsal"
MAILBOX = "mailbox"
REPLAY = "replay"
API = "gm.llm.anthropic_api"

BACKENDS = {
    REHEARSAL: "gm.llm.rehearsal",
    MAILBOX: "gm.llm.mailbox",
    REPLAY: "gm.llm.replay",
}
"""Backends asked for by their own name; any other name is a model of the Messages API. A new backend is a module with
``make(model, surroundings)``, and a line here."""


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
        return Choice(_make(BACKENDS[wanted], wanted, around), f"asked for by {source}")
    if wanted == "auto":
        if found is None:
            return Choice(
                _make(BACKENDS[REHEARSAL], REHEARSAL, around), "no ANTHROPIC_API_KEY and no ANTHROPIC_BASE_URL is set"
            )
        if found == BASE_URL:
            raise BackendError(
                "ANTHROPIC_BASE_URL is set, but which model does that server offer?",
                "name it: --model NAME, or model: NAME in gm.yaml",
            )
        return _api(around.settings.model, f"{found} is set", around)
    if found is None:
        raise BackendError(
            f"{wanted} needs a key or a server",
            "set ANTHROPIC_API_KEY, or ANTHROPIC_BASE_URL for a local server, or use --model rehearsal",
        )
    # a model named on the command line is meant for all characters and purposes
    return _api(wanted, f"asked for by {source}, {found} is set", around, only=source == "--model")


def can_ask(environment: Mapping[str, str]) -> bool:
    """Return whether there is a key or a server for the Messages API."""
    return any(environment.get(name) for name in (*CREDENTIALS, BASE_URL))


def will_tell_schema(wanted: str, settings: LlmSettings, environment: Mapping[str, str]) -> bool:
    """Return whether questions will end with the schema as text, without making the backend."""
    if wanted in (REHEARSAL, MAILBOX) or (wanted == "auto" and not can_ask(environment)):
        return False
    return tells_schema(settings.structured, environment.get(BASE_URL, ""))


def _api(model: str, why: str, around: Surroundings, *, only: bool = False) -> Choice:
    backend = _make(API, model, around)
    return Choice(backend, why) if only else Choice(backend, why, around.models, own_models=True)


def _make(module: str, model: str, around: Surroundings) -> Backend:
    backend: Backend = import_module(module).make(model, around)
    return backend
