"""Which model plays a world, and which could: providers of chat completions, and the models of one of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from itertools import islice

from gm.api.answers.document import part
from gm.api.reports.cost import PriceList, price_list
from gm.base.config import LlmSettings
from gm.base.errors import BackendError, UsageError, errors_in
from gm.base.texts import one_line
from gm.files.layout import Layout
from gm.files.questions.mailbox import PostFolder
from gm.files.questions.traces import TraceReader
from gm.files.story.now import load_persona, load_settings, need_settings, report_no_language
from gm.files.uncommitted.writing import WritingNote
from gm.llm.base import MAILBOX, PURPOSES, REHEARSAL, REPLAY, Surroundings, check_models, made_with
from gm.llm.calls import name_model, parse_call
from gm.llm.choose import AUTO, Choice, choose_backend, missing_key, resolve_backend
from gm.llm.offers import Offer
from gm.llm.prices import Prices, read_published
from gm.llm.providers import ANTHROPIC, CREDENTIALS, Provider, find_provider, is_address, providers
from gm.llm.refusals import origin
from gm.llm.streams import Writing
from gm.llm.wire import API_ADDRESS, BASE_URL

CALLS_READ = 20
"""Calls of the last day that tell which model played it."""


def choose_for(
    layout: Layout,
    wanted: str | None,
    notice: Callable[[str], None] | None = None,
    writing: Writing | None = None,
    *,
    asking: bool = True,
    people: Iterable[str] = (),
    kept: Layout | None = None,
) -> Choice:
    """Choose the backend of a run, by ``--model`` (``wanted``) or ``gm.yaml``.

    Args:
        people: Ids of characters that a person plays in this run.
        asking: If False, no key is needed (for prices only).
        kept: Where questions and answers are kept; None = in the world.

    Raises:
        BrokenWorldError: ``gm.yaml`` cannot be read.
        BackendError: The model cannot be asked from here, or its local server does not have it.
    """
    settings = need_settings(layout)
    if notice is not None and asking:  # what is asked costs money
        for problem in (*load_settings(layout)[1], *report_no_language(layout)):
            notice(str(problem))
    source = "--model" if wanted else "gm.yaml"
    name = wanted or settings.model
    kept = kept or layout
    environment: Mapping[str, str] = os.environ
    missing = "" if asking else missing_key(name, environment)
    if missing:
        environment = {**environment, missing: "none-needed"}
    around = Surroundings(
        settings=settings.llm,
        reply=settings.reply,
        models=settings.models.by_purpose(),
        environment=environment,
        notice=notice,
        writing=WritingNote(layout, writing) if writing else None,
        postbox=PostFolder(kept),
        recordings=TraceReader(kept.traces, kept.asks),
    )
    choice = choose_backend(name, source, around)
    if name == AUTO and choice.backend.name == REHEARSAL and (before := _find_last_model(TraceReader(layout.traces))):
        last = f"the last day was played by {before}; to keep it: model: {before} in gm.yaml"
        choice = replace(choice, why=f"{choice.why}; {last}")
    if choice.backend.name not in (MAILBOX, REPLAY):  # one asks people anyway, the other asks none
        choice = replace(
            choice, person_backend=choose_backend(MAILBOX, source, around).backend, people=frozenset(people)
        )
    if missing:
        return replace(choice, why=f"asked for by {source}; there is no key yet")
    if asking:
        own = _own_models(layout) if choice.own_models else ()
        asked = {choice.model_for(purpose, name) for purpose in PURPOSES for name in ("", *own)}
        check_models(choice.backend, sorted(name or choice.backend.model for name in asked))
        own_name, model = choice.backend.name, choice.backend.model
        if others := asked - {"", MAILBOX, model, choice.shown, made_with(own_name, model)}:
            choice = replace(choice, why=f"{choice.why}; also {', '.join(map(one_line, sorted(others)))}")
    return choice


def _find_last_model(traces: TraceReader) -> str:
    days = traces.days()
    calls = (parse_call(kept.record) for kept in islice(traces.of_day(days[-1]), CALLS_READ)) if days else ()
    return next(filter(None, map(name_model, calls)), "")


def _own_models(layout: Layout) -> tuple[str, ...]:
    personas = (load_persona(layout, name)[0] for name in layout.agent_names())
    return tuple(persona.front_values.model for persona in personas if persona and persona.front_values.model)


@dataclass(frozen=True, slots=True)
class KnownModels:
    """Models that a run can be asked to take.

    Attributes:
        default: As ``gm.yaml`` names it.
        asked: What that stands for.
        others: Those without a network, those that the world names, and those of providers whose key is set.
        budget: Limits of a story day by name, as ``gm.yaml`` sets them; None = it cannot be read.
    """

    default: str
    asked: str
    others: tuple[str, ...]
    budget: Mapping[str, float] | None


def known_models(layout: Layout, environment: Mapping[str, str]) -> KnownModels:
    """Return the models that this world and this machine know, without a call."""
    settings, problems = load_settings(layout)
    offered = (f"{one.name}:{one.model}" for one in providers().values() if one.model and one.set_key(environment))
    asked = resolve_backend(settings.model, settings.llm, environment)
    named = (settings.model, asked, *settings.models.by_purpose().values(), *_own_models(layout), *offered)
    others = dict.fromkeys((REHEARSAL, MAILBOX, *(name for name in named if name != AUTO and not is_address(name))))
    limits = {item.name: limit for item in fields(settings.budget) if (limit := getattr(settings.budget, item.name))}
    return KnownModels(settings.model, asked, tuple(others), None if errors_in(problems) else limits)


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
    """The providers that are known, and the models of the one asked for.

    Attributes:
        prices: The list that the models are from, where the provider was not asked.
    """

    providers: tuple[KnownProvider, ...] = ()
    provider: str = part(omit="")
    address: str = part(omit="")
    models: tuple[Offer, ...] = part(omit=())
    prices: PriceList | None = part(omit=None)


def describe_providers(environment: Mapping[str, str]) -> Offers:
    """Return all providers by name, in the order in which ``auto`` looks for keys, without a call."""
    messages = Provider(ANTHROPIC, environment.get(BASE_URL) or API_ADDRESS, keys=CREDENTIALS)
    return Offers(tuple(_describe_provider(one, environment) for one in (messages, *providers().values())))


def _describe_provider(declared: Provider, environment: Mapping[str, str]) -> KnownProvider:
    try:
        provider = declared.at(environment)
        address = origin(provider.base)
    except BackendError:
        provider, address = declared, f"{declared.base_from} names no address"
    set_key = provider.set_key(environment) or None
    return KnownProvider(provider.name, address, provider.keys, provider.needs_key, set_key)


def describe_offers(named: str, environment: Mapping[str, str]) -> Offers:
    """Ask a provider for its models; of Anthropic, and without a key, return those of the price list.

    Raises:
        UsageError: There is no such provider.
        BackendError: It cannot be asked.
    """
    from gm.llm.openai_api import make

    named = named.partition("#")[0].removesuffix(":")
    if named == ANTHROPIC:
        return _list_published(named, read_published()["models"])
    wanted = named if is_address(named) else f"{named}:"
    found = find_provider(wanted, environment)
    if found is None:
        raise UsageError(
            f"no provider {named!r}",
            f"one of {', '.join((ANTHROPIC, *providers()))}, or an address: http://HOST:PORT/v1",
        )
    priced = read_published()["chat"]["models"].get(named)
    if priced and found[0] == providers()[named] and found[0].needs_key and not found[0].set_key(environment):
        return _list_published(named, priced)
    backend = make(wanted, Surroundings(settings=LlmSettings(), environment=environment))
    models = tuple(_add_price(offer, backend.name) for offer in backend.offers())
    return Offers(provider=named, address=origin(found[0].base), models=models)


def _list_published(provider: str, models: Iterable[str]) -> Offers:
    offers = tuple(_add_price(Offer(model), provider) for model in models)
    return Offers(provider=provider, models=offers, prices=price_list([provider]))


def _add_price(offer: Offer, backend: str) -> Offer:
    price = Prices().for_call(backend, offer.model) if offer.usd_in is None else None
    if price is None:
        return offer
    return replace(
        offer, usd_in=price.input, usd_out=price.output, usd_cached=price.cache_read, usd_written=price.cache_write_5m
    )
