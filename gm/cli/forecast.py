"""``gm advance-day --dry-run``, and the one line before a run that is paid for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from gm.cli.money import counter_in_words, dollars, percent, price_hint, price_of, table
from gm.cli.terminal import out, safe

if TYPE_CHECKING:
    from gm.tools.forecast.values import Forecast


def one_line(forecast: Forecast) -> str:
    """Write a forecast in one line."""
    total = forecast.total
    cached = f" ({percent(total.cached)} cached)" if total.cache_read_tokens else ""
    sure = f"±{percent(forecast.error)}" if forecast.error is not None else "the counter is not calibrated yet"
    if forecast.unpriced:
        price = f"price unknown for {', '.join(map(safe, forecast.unpriced))}"
        if total.usd:
            price += f", {dollars(total.usd)} for the others"
    else:
        price = dollars(total.usd)
    return (
        f"forecast: about {total.calls:,} calls, {total.prompt_tokens:,} tokens in{cached}, "
        f"{total.output_tokens:,} out, {price} ({sure})"
    )


def show(document: Mapping[str, Any]) -> None:
    """Write a forecast as a table."""
    table("scene, as rehearsed", [(_scene(item), item) for item in document["scenes"]])
    out()
    table("model, purpose", [(f"{item['model']}, {item['purpose']}", item) for item in document["models"]])
    out()
    totals = document["totals"]
    tokens = totals["tokens"]
    asked = tokens["input"] + tokens["cache_read"] + tokens["cache_write"]
    cached = f" ({percent(document['cached'])} likely read from the cache)" if tokens["cache_read"] else ""
    out(
        f"about {totals['calls']:,} calls, {asked:,} tokens in{cached}, {tokens['output']:,} out, {price_of(totals)}"
        + (f" (±{percent(document['error'])})" if document["error"] is not None else "")
    )
    for model, counter in document["counters"].items():
        out(f"counter: {safe(model)} {counter_in_words(counter)}")
    if not document["counters"] and totals["calls"]:
        out("tokens are estimated: 3.2 characters count as one")
    elif document["answers"] == "rehearsed" and totals["calls"]:
        out("answers: as long as the rehearsal's; real ones may be longer")
    if document["unpriced_models"]:
        out(price_hint(document["unpriced_models"]))
    if document["budget"]:
        _budget(document["budget"])
    out("Nothing was asked, and nothing was changed. A real model plays its own day: the scenes are the rehearsal's.")


def _scene(item: Mapping[str, Any]) -> str:
    return f"{item['scene']} {item['type']} ({', '.join(item['cast'])})"


def _budget(budget: Mapping[str, Any]) -> None:
    for name, unit in (("day_usd", ""), ("day_tokens", " tokens"), ("calls", " calls")):
        if name in budget:
            one = budget[name]
            left, limit = (dollars(one[key]) if name == "day_usd" else f"{one[key]:,}" for key in ("left", "limit"))
            short = "" if one["enough"] else ": not enough, the day will stop there"
            out(f"budget.{name}: {left} of {limit}{unit} left for day {budget['day']}{short}")
