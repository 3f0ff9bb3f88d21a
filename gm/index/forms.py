"""The wire formats of embedding servers, as values: where to ask, what to send, where the vectors are.

Source:
    Document 000 (provider formats); Ollama's API page (``/api/embed``, which takes many texts, and the older
    ``/api/embeddings``); the OpenAI API page on embeddings.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Form:
    """One wire format.

    Attributes:
        name: For settings, memory and messages.
        path: Behind the server's base address.
        many: Whether one call may carry several texts.
        body: Makes what is sent, from the model's name and the texts.
        vectors: Finds the vectors in what comes back; None when it has another form.
    """

    name: str
    path: str
    many: bool
    body: Callable[[str, Sequence[str]], dict[str, Any]]
    vectors: Callable[[Any], list[Any] | None]


def _listed(answer: Any) -> list[Any] | None:
    found = answer.get("embeddings") if isinstance(answer, dict) else None
    return found if isinstance(found, list) else None


def _single(answer: Any) -> list[Any] | None:
    found = answer.get("embedding") if isinstance(answer, dict) else None
    return [found] if isinstance(found, list) and found else None


def _data(answer: Any) -> list[Any] | None:
    """Take the vectors by their ``index``: a server need not keep the order."""
    items = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(items, list) or not all(isinstance(item, dict) and "embedding" in item for item in items):
        return None
    places = [item.get("index", place) for place, item in enumerate(items)]
    if sorted(map(str, places)) != sorted(map(str, range(len(items)))):
        return None
    return [
        item["embedding"] for _, item in sorted(zip(map(int, places), items, strict=True), key=lambda pair: pair[0])
    ]


OLLAMA = Form("ollama", "/api/embed", True, lambda model, texts: {"model": model, "input": list(texts)}, _listed)
OLLAMA_OLD = Form(
    "ollama-old", "/api/embeddings", False, lambda model, texts: {"model": model, "prompt": texts[0]}, _single
)
OPENAI = Form("openai", "/v1/embeddings", True, lambda model, texts: {"model": model, "input": list(texts)}, _data)
FORMS = (OLLAMA, OLLAMA_OLD, OPENAI)


def split_url(url: str) -> tuple[str, Form | None]:
    """Take an address apart: the server's base, and the form that the address names (``…/v1`` means OpenAI's)."""
    base = url.rstrip("/")
    for form in FORMS:
        if base.endswith(form.path):
            return base.removesuffix(form.path), form
    if base.endswith("/v1"):
        return base.removesuffix("/v1"), OPENAI
    return base, None


def order_forms(provider: str, named: Form | None, remembered: str = "") -> tuple[Form, ...]:
    """Put the forms that may be spoken into the order in which to try them.

    Args:
        provider: ``auto``, ``ollama`` or ``openai``.
        named: What the address says.
        remembered: The form that this server understood last time.
    """
    allowed = {"ollama": (OLLAMA, OLLAMA_OLD), "openai": (OPENAI,)}.get(provider, FORMS)
    first = [form for form in allowed if form.name == remembered] or [form for form in allowed if form is named]
    return (*first, *(form for form in allowed if form not in first))
