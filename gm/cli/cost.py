"""``gm cost``: what a world has cost, in tables by day, scene, character and model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from gm.cli import complete
from gm.cli.money import counter_in_words, dollars, percent, price_hint, price_of, table
from gm.cli.options import json_option, show_broken, world_option
from gm.cli.terminal import out, out_json, safe
from gm.store.layout import Layout


@click.command()
@world_option
@click.option(
    "--day",
    metavar="N",
    type=click.IntRange(min=0),
    help="Only this day, scene by scene.",
    shell_complete=complete.day_numbers,
)
@click.option("--agents", "by_agent", is_flag=True, help="By who was asked.")
@json_option
def cost(layout: Layout, day: int | None, by_agent: bool, as_json: bool) -> None:
    """Show what days, scenes and characters have cost, and what caching saved.

    Everything that was answered counts, rejected answers too. It is read from the traces: where they were deleted,
    nothing is known any more.
    """
    from gm.store.load import load_settings
    from gm.store.traces import TraceReader
    from gm.tools.cost import describe_cost

    settings, problems = load_settings(layout)
    show_broken(tuple(problems))
    document = describe_cost(TraceReader(layout.traces, layout.asks), settings, day)
    if as_json:
        out_json(document)
        return
    totals = document["totals"]
    if not totals["calls"]:
        out("no calls are recorded" + (f" for day {day}" if day is not None else ""))
        return
    kind = "agents" if by_agent else "days" if day is None else "scenes"
    table({"agents": "agent", "days": "day", "scenes": "scene"}[kind], document[kind].items())
    out()
    table("model, purpose", _by_purpose(document["models"]))
    out()
    _sum_up(document)


def _by_purpose(models: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    return [
        (f"{model}, {purpose}" if purpose else model, figures)
        for model, sums in models.items()
        for purpose, figures in sums["purposes"].items()
    ]


def _sum_up(document: Mapping[str, Any]) -> None:
    from gm.llm.prices import FREE_BACKENDS

    totals = document["totals"]
    tokens = totals["tokens"]
    asked = tokens["input"] + tokens["cache_read"] + tokens["cache_write"]
    rejected = f" ({totals['rejected']:,} of them rejected)" if totals["rejected"] else ""
    out(
        f"total: {totals['calls']:,} calls{rejected}, {asked:,} tokens in, {tokens['output']:,} out, {price_of(totals)}"
    )
    saved = totals["saved_usd"]
    if tokens["cache_read"] or tokens["cache_write"]:
        share = percent(tokens["cache_read"] / asked)
        what = "" if saved is None else f"; it saved {dollars(saved)}" if saved >= 0 else f"; it cost {dollars(-saved)}"
        out(f"cache: {share} of the tokens in were read from it{what}")
    for model, sums in document["models"].items():
        if model not in FREE_BACKENDS:
            out(f"counter: {safe(model)} {counter_in_words(sums['counter'])}")
    if document["unpriced_models"]:
        out(f"{totals['unpriced_calls']:,} calls have an unknown price and are in no sum of dollars.")
        out(price_hint(document["unpriced_models"]))
    prices = document["prices"]
    out(f"prices: {prices['date']}, {prices['source']}" + ("; some from gm.yaml" if prices["own"] else ""))
