"""``gm models``: who could play the cast."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from gm.cli.commands import examples, json_option
from gm.cli.inspecting.cost import dollars
from gm.cli.terminal import out, safe, show
from gm.llm.providers import ANTHROPIC, is_address

if TYPE_CHECKING:
    from gm.api.reports.models import Offers
    from gm.llm.offers import Offer

NAME_WIDTH = 56
PROVIDER_WIDTH = 12
ADDRESS_WIDTH = 44


@click.command(epilog=examples("gm models", "gm models ollama", "gm models http://127.0.0.1:9000/v1"))
@click.argument("provider", required=False)
@json_option
def models(provider: str | None, as_json: bool) -> None:
    """List model providers, or the models of one.

    PROVIDER is a name from the list, or the address of a chat completions server. A model's context window (tokens of
    prompt and answer together) is shown if the provider reports it, and its price per million tokens if the provider or
    gm's price list gives it. The first word of a line is the value for --model. Without PROVIDER no server is asked,
    nor is Anthropic, nor a provider whose key is not set: their models are those of gm's price list.
    """
    from gm.api.reports.models import describe_offers, describe_providers

    found = describe_offers(provider, os.environ) if provider else describe_providers(os.environ)
    show(found, as_json, _show_models if provider else _show_providers)


def _show_providers(found: Offers) -> None:
    for one in found.providers:
        names = " or ".join(one.keys)
        needed = f"needs {names}" if one.needs_key else f"{names}, if it asks for one" if names else "needs no key"
        key = f"{one.set_key} is set" if one.set_key else needed
        out(safe(f"{one.provider:<{PROVIDER_WIDTH}}{one.address:<{ADDRESS_WIDTH}}{key}"))
    out("\nThe models of one:  gm models PROVIDER (a line begins with the NAME for --model)")
    out("To try one:         gm ask AGENT TEXT --model NAME\nTo play with one:   gm advance-day --model NAME")


def _show_models(found: Offers) -> None:
    before = "" if found.provider == ANTHROPIC else f"{found.provider}{'#' if is_address(found.provider) else ':'}"
    for offer in found.models:
        use = "  for an index: it plays nobody" if offer.embeds else ""
        out(safe(f"{before + offer.model:<{NAME_WIDTH}}{_window(offer)}{_price(offer)}{use}".rstrip()))
    if found.prices:
        out(f"\nNot asked: this is gm's price list of {found.prices.date}, per million tokens ({found.prices.source})")
    elif not found.models:
        out(safe(f"{found.provider} at {found.address} has no model loaded"))


def _window(offer: Offer) -> str:
    return f"  window {offer.window:>9,}" if offer.window else ""


def _price(offer: Offer) -> str:
    if offer.usd_in is None or offer.usd_out is None:
        return ""
    if not offer.usd_in and not offer.usd_out:
        return "  free"
    cached = "" if offer.usd_cached is None else f", {dollars(offer.usd_cached)} cached"
    return f"  {dollars(offer.usd_in)} in, {dollars(offer.usd_out)} out{cached}"
