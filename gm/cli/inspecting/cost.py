"""What was spent (``gm cost``) and what will be (``gm advance-day --dry-run``)."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING

import click

from gm.base.texts import clip_line, counted
from gm.cli import options
from gm.cli.commands import Output, world_command
from gm.cli.terminal import columns_of, out, safe
from gm.files.layout import Layout

if TYPE_CHECKING:
    from gm.api.playing.forecast.make import Forecast
    from gm.api.playing.forecast.report import DayBudget, ForecastReport
    from gm.api.reports.cost import Calibration, Cost, CostSum

NAME_WIDTH = 30
MOST_NAME = 76
COLUMNS = ("calls", "in", "cache read", "cache write", "out", "price")
WIDTHS = (7, 11, 12, 13, 9, 12)


@world_command()
@options.day("Show only this day, scene by scene.")
@click.option("--agents", "by_agent", is_flag=True, help="Group by character.")
def cost(layout: Layout, day: int | None, by_agent: bool) -> Output:
    """Show the cost of days, scenes and characters, and what caching saved.

    All answers count, rejected ones too. Costs are read from the traces; without traces they are unknown.
    """
    from gm.api.reports.cost import describe_cost
    from gm.files.questions.traces import paid_traces
    from gm.files.story.now import load_settings

    settings, problems = load_settings(layout)
    found = describe_cost(paid_traces(layout, layout.asks), settings, day)
    return Output(partial(_show_cost, day, by_agent), found, problems)


def _show_cost(day: int | None, by_agent: bool, found: Cost) -> None:
    if not found.totals.calls:
        out("no calls are recorded" + (f" for day {day}" if day is not None else ""))
        return
    if by_agent:
        table("agent", found.agents.items())
    elif day is None:
        table("day", found.days.items())
    else:
        table(
            "scene",
            ((name if "/" in name else f"{name}, outside of scenes", own) for name, own in found.scenes.items()),
        )
    out()
    rows = ((model, purpose, own) for model, sums in found.models.items() for purpose, own in sums.purposes.items())
    table("model, purpose", [(f"{model}, {purpose}" if purpose else model, own) for model, purpose, own in rows])
    out()
    _sum_up(found)


def _sum_up(found: Cost) -> None:
    from gm.llm.prices import FREE_BACKENDS

    totals = found.totals
    tokens = totals.tokens
    useless = {"asked again": totals.asked_again, "rejected": totals.rejected}
    wasted = ", ".join(f"{count:,} of them {what}" for what, count in useless.items() if count)
    out(f"total: {totals.calls:,} calls{f' ({wasted})' if wasted else ''}, {_tokens_and_price(totals)}")
    saved = totals.saved_usd
    if tokens.cache_read or tokens.cache_write:
        what = "" if saved is None else f"; it saved {dollars(saved)}" if saved >= 0 else f"; it cost {dollars(-saved)}"
        out(f"cache: {percent(tokens.share_cached)} of the tokens in were read from it{what}")
    for model, sums in found.models.items():
        if model not in FREE_BACKENDS:
            out(f"counter: {safe(model)} {counter_in_words(sums.counter)}")
    if found.unpriced_models:
        out(f"{totals.unpriced_calls:,} calls have an unknown price and are in no sum of dollars.")
        out(price_hint(found.unpriced_models))
    prices = found.prices
    if prices.source and not all(model in FREE_BACKENDS for model in found.models):
        out(f"prices: {prices.date}, {prices.source}" + ("; some from gm.yaml" if prices.own else ""))


def table(title: str, rows: Iterable[tuple[str, CostSum]]) -> None:
    """Write a line for each sum; narrow terminals get blocks instead of columns."""
    lines = [(clip_line(safe(name), MOST_NAME), figures) for name, figures in rows]
    width = max(NAME_WIDTH, *(len(name) for name, _ in lines)) if lines else NAME_WIDTH
    if 0 < columns_of(sys.stdout) < width + sum(WIDTHS):
        out(f"{title}:")
        for name, figures in lines:
            out(f"  {name}")
            out(
                "    " + ", ".join(f"{label} {cell}" for label, cell in zip(COLUMNS, _render_sum(figures), strict=True))
            )
        return
    out(title.ljust(width) + _cells(COLUMNS))
    for name, figures in lines:
        out(name.ljust(width) + _cells(_render_sum(figures)))


def _render_sum(figures: CostSum) -> tuple[str, ...]:
    tokens = figures.tokens
    counts = (figures.calls, tokens.input, tokens.cache_read, tokens.cache_write, tokens.output)
    return (*(f"{count:,}" for count in counts), price_of(figures))


def _tokens_and_price(totals: CostSum, cached: str = "") -> str:
    return f"{totals.tokens.asked:,} tokens in{cached}, {totals.tokens.output:,} out, {price_of(totals)}"


def calls_in_words(totals: CostSum) -> str:
    """Write a sum in one line."""
    return f"{totals.calls:,} calls, {_tokens_and_price(totals)}"


def price_of(figures: CostSum) -> str:
    """Write a price, naming what is unknown."""
    if figures.usd is None:
        return "unknown"
    return dollars(figures.usd) + (" + ?" if figures.unpriced_calls else "")


def dollars(amount: float) -> str:
    """Write an amount with enough digits."""
    return f"${amount:,.4f}" if 0 < abs(amount) < 0.01 else f"${amount:,.2f}"


def percent(part: float | None) -> str:
    """Write a share as percent."""
    return f"{100 * (part or 0.0):.0f} %"


LEAST_ERROR = 0.005
"""An error below it is not a whole percent."""


def counter_in_words(counter: Calibration | None) -> str:
    """Say how well a model's tokens are calibrated."""
    if counter is None:
        return "is not calibrated yet: 3.2 characters count as a token"
    size, samples = counter.tokens_per_character, counter.samples
    error = f"at most {percent(counter.error)}" if counter.error >= LEAST_ERROR else "less than 1 %"
    return f"counts {size:.3f} tokens a character; of {samples:,} questions, nine in ten were off by {error}"


def price_hint(models: Iterable[str]) -> str:
    """Say how to set unknown prices."""
    names = ", ".join(f"{safe(model)}: {{input: …, output: …}}" for model in models)
    return f"No price is known for these; give it in gm.yaml, in USD for a million tokens: prices: {{{names}}}"


def _cells(cells: Iterable[str]) -> str:
    return "".join(cell.rjust(width) for cell, width in zip(cells, WIDTHS, strict=True))


def summary_line(forecast: Forecast) -> str:
    """Write a forecast in one line."""
    total = forecast.total
    tokens = total.tokens
    cached = f" ({percent(tokens.share_cached)} cached)" if tokens.cache_read else ""
    sure = f"±{percent(forecast.error)}" if forecast.error is not None else "the counter is not calibrated yet"
    if forecast.unpriced:
        price = f"price unknown for {', '.join(map(safe, forecast.unpriced))}"
        if total.usd:
            price += f", {dollars(total.usd)} for the others"
    else:
        price = dollars(total.usd)
    return (
        f"forecast: about {total.calls:,} calls, {tokens.asked:,} tokens in{cached}, "
        f"{tokens.output:,} out, {price} ({sure})"
        + ("" if forecast.seconds is None else f", {_time(forecast.seconds)}")
    )


def _time(seconds: float) -> str:
    return f"about {max(1, round(seconds / 60)):,} min at the pace of earlier answers"


def forecast_of_answers(forecast: Forecast) -> Output:
    """Return the forecast of questions that belong to no day."""
    from gm.api.playing.forecast.report import describe_forecast

    return Output(partial(show_forecast, of_days=False), describe_forecast(forecast))


def show_forecast(document: ForecastReport, *, of_days: bool = True, batch: bool = False) -> None:
    """Write a forecast as a table."""
    scenes = [(f"{item.scene} {item.type} ({', '.join(item.cast)})", item.sum) for item in document.scenes]
    table("scene, as rehearsed", scenes)
    out()
    table("model, purpose", [(f"{item.model}, {item.purpose}", item.sum) for item in document.models])
    out()
    totals = document.totals
    tokens = totals.tokens
    cached = f" ({percent(document.cached)} likely read from the cache)" if tokens.cache_read else ""
    sure = f" (±{percent(document.error)})" if document.error is not None else ""
    out(f"about {counted(totals.calls, 'call')}, {_tokens_and_price(totals, cached)}{sure}")
    if document.counters:
        unknown = (
            "time: as long as the service takes for its batches"
            if batch
            else "time: not known before answers of this model were measured; gm advance-day --scenes 1 plays one scene"
        )
        out(unknown if document.seconds is None else f"time: {_time(document.seconds)}")
    for model, counter in document.counters.items():
        out(f"counter: {safe(model)} {counter_in_words(counter)}")
    if not document.counters and totals.calls:
        out("tokens are estimated: 3.2 characters count as one")
    elif document.answers == "studio":
        out("answers: as long as those of the studio's recorded days, until this world has its own of each kind")
    elif document.answers == "rehearsed" and totals.calls:
        out("answers: as long as the rehearsal's; real ones may be longer")
    if document.unpriced_models:
        out(price_hint(document.unpriced_models))
    if document.budget:
        _show_budget(document.budget, "the day will stop there" if of_days else "it will be refused")
    own = " A real model plays its own day, often a longer one than the rehearsal." if of_days else ""
    out(f"Nothing was asked, and nothing was changed.{own}")


def _show_budget(budget: DayBudget, then: str) -> None:
    for name, unit in (("day_usd", ""), ("day_tokens", " tokens"), ("calls", " calls")):
        one = budget.limits.get(name)
        if one is not None:
            left, limit = (dollars(n) if name == "day_usd" else f"{n:,}" for n in (one.left, one.limit))
            short = "" if one.enough else f": not enough, {then}"
            out(f"budget.{name}: {left} of {limit}{unit} left for day {budget.day}{short}")
