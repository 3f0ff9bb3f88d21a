"""What a server of chat completions offers: models, with window and price where told.

``WINDOWS`` are servers' field names; ``window`` in ``providers.yaml`` names addresses that know more.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from json import loads
from math import isfinite
from typing import Any

from gm.base.errors import BackendError
from gm.llm.base import read_tokens
from gm.llm.prices import MILLION

MODELS = "/models"
WINDOWS = ("max_model_len", "context_length", "context_window", "max_context_length", "max_input_tokens", "n_ctx")
"""Names of a model's window, the real one before the one that the model could have."""
NESTED = ("meta", "config")
PRICED = ("prompt", "completion", "input_cache_read", "input_cache_write")
EMBEDS = "embed"
"""Part of the name of an embedding model."""
ADDRESS_HINT = "is its address right? It mostly ends in /v1"

Fetch = Callable[[str], bytes]
"""Returns the body at a path below the server's address."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A model: its window in tokens of prompt and answer together, and US dollars for a million tokens.

    None = not told; ``usd_cached`` and ``usd_written`` are for prompts read from and written to a cache.
    """

    model: str
    window: int | None = None
    usd_in: float | None = None
    usd_out: float | None = None
    usd_cached: float | None = None
    usd_written: float | None = None

    @property
    def embeds(self) -> bool:
        """Whether its name says that it writes no texts."""
        return EMBEDS in self.model.casefold()


def read_offers(data: bytes) -> tuple[Offer, ...]:
    """Read a server's list of models.

    Raises:
        BackendError: The data is not such a list.
    """
    listed = _find_list(_parse_json(data))
    if listed is None:
        raise BackendError("the server sent no list of models", ADDRESS_HINT)
    return tuple(
        Offer(name, window_in(item), *(_price(item, kind) for kind in PRICED))
        for item in listed
        if (name := _name(item))
    )


def find_window(model: str, fetch: Fetch, more: Sequence[str]) -> int | None:
    """Return a model's window; None when the server does not tell.

    ``more`` are paths that know it better than the list of models, best first.
    """
    for path in (*more, MODELS):
        try:
            found = _window_at(_parse_json(fetch(path)), model, any_name=path == MODELS or not model)
        except BackendError:
            continue  # a server that does not tell is not a fault: what is too long is refused, and explained
        if found:
            return found
    return None


def window_in(item: Mapping[str, Any]) -> int | None:
    """Return a model's described window, the loaded one first; None also where a model is said not to be loaded."""
    loaded = _loaded(item)
    if loaded == []:
        return None  # how long it could be says nothing of how it will be loaded
    parts = [*(_dig(one, "config") for one in loaded or ()), *(_dig(item, name) for name in NESTED), item]
    found = (read_tokens(part.get(name)) for part in parts if isinstance(part, Mapping) for name in WINDOWS)
    return next(filter(None, found), None)


def _window_at(document: object, model: str, *, any_name: bool) -> int | None:
    settings = _dig(document, "default_generation_settings")
    if isinstance(settings, Mapping):
        return window_in(settings)
    items = _find_list(document) or []
    named = [item for item in items if {_name(item), *map(_name, _loaded(item) or ())} & {model, f"{model}:latest"}]
    # a server of one model answers for it under any name; of those that are loaded, one may be another (it may embed)
    return next(filter(None, map(window_in, named or (items if len(items) == 1 and any_name else []))), None)


def _find_list(document: object) -> list[Mapping[str, Any]] | None:
    found = (document, _dig(document, "data"), _dig(document, "models"))
    listed = next((one for one in found if isinstance(one, list)), None)
    return None if listed is None else [item for item in listed if isinstance(item, Mapping)]


def _loaded(item: Mapping[str, Any]) -> list[Mapping[str, Any]] | None:
    found = _dig(item, "loaded_instances")
    return [one for one in found if isinstance(one, Mapping)] if isinstance(found, list) else None


def _name(item: Mapping[str, Any]) -> str:
    found = (item.get(key) for key in ("id", "key", "name", "model"))
    # a name with control characters would be shown as more than one
    return next((name for name in found if isinstance(name, str) and name and name.isprintable()), "")


def _price(item: Mapping[str, Any], kind: str) -> float | None:
    # OpenRouter tells dollars a token, as text.
    said = _dig(item, "pricing", kind)
    try:
        price = float(said) * MILLION if isinstance(said, str) else None
    except ValueError:
        return None
    return round(price, 6) if price is not None and isfinite(price) and price >= 0 else None


def _parse_json(data: bytes) -> object:
    try:
        return loads(data)
    except (ValueError, RecursionError):
        raise BackendError("the server sent no JSON", ADDRESS_HINT) from None


def _dig(value: object, *keys: str) -> Any:
    for key in keys:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value
