"""How long a prompt may be: what a model's window leaves for it, lowered by a setting."""

from __future__ import annotations

from dataclasses import dataclass

from gm.base.config import LlmSettings, Settings
from gm.base.errors import GmError

ROOMY_WINDOW = 16_000
"""Tokens of the smallest window that is recommended."""
ROOMY_PART = 3
"""Part of a recommended window that the required sections may take; the rest is for memories and the answer."""


@dataclass(frozen=True, slots=True)
class Window:
    """The window of a model.

    Attributes:
        tokens: Of prompt and answer together; None = its server does not tell.
        answer: Tokens kept for the answer.
        prompt: Most tokens of the prompt; None = no limit.
    """

    model: str
    tokens: int | None
    answer: int
    prompt: int | None


def measure_window(settings: Settings, model: str, tokens: int | None) -> Window:
    """Divide a model's window, of which None is unknown, between prompt and answer.

    Raises:
        GmError: The answer may take all of it.
    """
    answer, limit = settings.llm.answer_tokens(tokens), settings.context.prompt_for(model)
    if tokens is None:
        return Window(model, None, answer, limit)
    if tokens <= answer:
        raise GmError(
            f"the window of {model} holds {tokens} tokens, and its answer may take {answer}",
            "start the server with a larger window, or lower llm.max_tokens in gm.yaml",
        )
    return Window(model, tokens, answer, tokens - answer if limit is None else min(limit, tokens - answer))


def explain_no_room(settings: Settings, window: Window, needed_tokens: int, widen: str = "") -> tuple[str, str]:
    """Return why a prompt has no room for its required sections, and what can be done about it.

    Args:
        widen: The command that starts the server with a window of ``{tokens}``; empty = unknown.
    """
    why, remedies = "", []
    if window.tokens is not None and needed_tokens > window.tokens - window.answer:
        why = f" (the window of {window.model} holds {window.tokens}, and its answer may take {window.answer})"
        free = window.tokens - needed_tokens
        if settings.llm.max_tokens is not None and free >= LlmSettings().answer_tokens(window.tokens):
            remedies.append(f"lower llm.max_tokens to {free} at most")
        roomy = max(ROOMY_WINDOW, -(-ROOMY_PART * needed_tokens // 1000) * 1000)
        command = f": {widen.format(tokens=roomy)}" if widen else ""
        remedies.append(f"start the model's server with a larger window{command}")
    limit = settings.context.prompt_for(window.model)
    if limit is not None and limit < needed_tokens:
        name = "prompt_by_model" if window.model in settings.context.prompt_by_model else "prompt_tokens"
        remedies.append(f"set context.{name} to {needed_tokens} at least, memories take more than that")
    if settings.prompts != "short":
        remedies.append("set prompts: short in gm.yaml, which takes less")
    return why, "; or ".join(remedies)
