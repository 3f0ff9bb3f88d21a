"""Who could play a world: the providers of chat completions, and the models of one of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from gm.api.document import part
from gm.base.config import LlmSettings
from gm.base.errors import UsageError
from gm.llm.base import Surroundings
from gm.llm.offers import Offer
from gm.llm.openai_api import make
from gm.llm.prices import Prices
from gm.llm.providers import find_provider, is_address, providers
from gm.llm.refusals import origin


@dataclass(frozen=True, slots=True)
class KnownProvider:
    """A provider. ``keys`` are names of environment variables, and ``set_key`` the one that is set; never a value."""

    provider: str
    address: str
    keys: tuple[str, ...]
    needs_key: bool
    set_key: str | None


@dataclass(frozen=True, slots=True)
class Offers:
    """What was found."""

    providers: tuple[KnownProvider, ...] = ()
    provider: str = part(omit="")
    address: str = part(omit="")
    models: tuple[Offer, ...] = part(omit=())


def describe_providers(environment: Mapping[str, str]) -> Offers:
    """Return all providers by name, in the order of their declaration; nobody is asked."""
    known = (provider.at(environment) for provider in providers().values())
    return Offers(
        tuple(
            KnownProvider(one.name, origin(one.base), one.keys, one.needs_key, one.set_key(environment) or None)
            for one in known
        )
    )


def describe_offers(named: str, environment: Mapping[str, str]) -> Offers:
    """Ask a provider for its models.

    Raises:
        UsageError: There is no such provider.
        BackendError: Its key is missing, or it cannot be asked.
    """
    named = named.partition("#")[0]
    wanted = named if is_address(named) else f"{named}:"
    found = find_provider(wanted, environment)
    if found is None:
        raise UsageError(
            f"no provider {named!r}", f"one of {', '.join(providers())}, or an address: http://HOST:PORT/v1"
        )
    backend = make(wanted, Surroundings(settings=LlmSettings(), environment=environment))
    models = tuple(_priced(offer, backend.name) for offer in backend.offers())
    return Offers(provider=named, address=origin(found[0].base), models=models)


def _priced(offer: Offer, backend: str) -> Offer:
    price = Prices().for_call(backend, offer.model) if offer.usd_in is None else None
    if price is None:
        return offer
    return replace(
        offer, usd_in=price.input, usd_out=price.output, usd_cached=price.cache_read, usd_written=price.cache_write_5m
    )
