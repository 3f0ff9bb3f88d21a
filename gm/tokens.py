"""How many tokens a text is likely to be, without asking a model."""

from __future__ import annotations

CHARACTERS_PER_TOKEN = 3.2


def estimate_tokens(text: str) -> int:
    """Estimate the tokens of a prompt.

    tokens = ceil(characters / 3.2)

    An estimate for mixed German and English prose, meant to err on the high side. It is used for budgets
    and forecasts, never for bills: those use what the provider reports.

    Returns:
        At least 0; 0 only for the empty text.
    """
    return -(-len(text) * 10 // int(CHARACTERS_PER_TOKEN * 10))
