"""Which backend answers, and why: the choice is always told to the user."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from gm.config import LlmSettings
from gm.errors import BackendError
from gm.llm.anthropic_api import BASE_URL, CREDENTIALS, AnthropicApi
from gm.llm.base import Backend

REHEARSAL = "rehearsal"


@dataclass(frozen=True, slots=True)
class Choice:
    """A backend and the reason for it."""

    backend: Backend
    why: str

    @property
    def made_with(self) -> str:
        """Backend and model in one word, for artifacts."""
        name, model = self.backend.name, self.backend.model
        return name if name == model else f"{name}:{model}"


def choose_backend(
    wanted: str,
    source: str,
    settings: LlmSettings,
    environment: Mapping[str, str],
    notice: Callable[[str], None] | None = None,
) -> Choice:
    """Choose who answers.

    Args:
        wanted: ``auto``, ``rehearsal``, or the name of a model.
        source: Where the wish comes from (``--model``, ``gm.yaml``, ``default``), for the reason.
        settings: Settings of the model call.
        environment: The process's environment: key and address.
        notice: Told when a server asks to wait.

    Raises:
        BackendError: A model is wanted, and there is neither a key nor a server.
    """
    found = next((name for name in (*CREDENTIALS, BASE_URL) if environment.get(name)), None)
    if wanted == REHEARSAL:
        return Choice(_rehearsal(), f"asked for by {source}")
    if wanted == "auto":
        if found is None:
            return Choice(_rehearsal(), "no ANTHROPIC_API_KEY and no ANTHROPIC_BASE_URL is set")
        if found == BASE_URL:
            raise BackendError(
                "ANTHROPIC_BASE_URL is set, but which model does that server offer?",
                "name it: --model NAME, or model: NAME in gm.yaml",
            )
        return Choice(_anthropic(settings.model, settings, environment, notice), f"{found} is set")
    if found is None:
        raise BackendError(
            f"{wanted} needs a key or a server",
            "set ANTHROPIC_API_KEY, or ANTHROPIC_BASE_URL for a local server, or use --model rehearsal",
        )
    return Choice(_anthropic(wanted, settings, environment, notice), f"asked for by {source}, {found} is set")


def _rehearsal() -> Backend:
    from gm.llm.rehearsal import Rehearsal

    return Rehearsal()


def _anthropic(
    model: str, settings: LlmSettings, environment: Mapping[str, str], notice: Callable[[str], None] | None
) -> Backend:
    return AnthropicApi(model, settings, environment, notice)
