"""Figures of calls in words and columns, for the commands that show what was or will be spent."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from typing import Any

from gm.cli.fitting import columns_of
from gm.cli.terminal import clip, out, safe

NAME_WIDTH = 30
MOST_NAME = 76
COLUMNS = ("calls", "in", "cache read", "cache write", "out", "price")
WIDTHS = (7, 11, 12, 13, 9, 12)


def table(title: str, rows: Iterable[tuple[str, Mapping[str, Any]]]) -> None:
    """Write one line for each sum, under a head; where a terminal has no room for columns, one below the other."""
    lines = [(clip(safe(name), MOST_NAME), figures) for name, figures in rows]
    width = max(NAME_WIDTH, *(len(name) for name, _ in lines)) if lines else NAME_WIDTH
    if 0 < columns_of(sys.stdout) < width + sum(WIDTHS):
        out(f"{title}:")
        for name, figures in lines:
            out(f"  {name}")
            out("    " + ", ".join(f"{label} {cell}" for label, cell in zip(COLUMNS, _figures(figures), strict=True)))
        return
    out(title.ljust(width) + _cells(COLUMNS))
    for name, figures in lines:
        out(name.ljust(width) + _cells(_figures(figures)))


def _figures(figures: Mapping[str, Any]) -> tuple[str, ...]:
    tokens = figures["tokens"]
    return (
        f"{figures['calls']:,}",
        *(f"{tokens[kind]:,}" for kind in ("input", "cache_read", "cache_write", "output")),
        price_of(figures),
    )


def price_of(figures: Mapping[str, Any]) -> str:
    """Write what a sum costs; what is not known is not left out silently."""
    if figures["usd"] is None:
        return "unknown"
    return dollars(figures["usd"]) + (" + ?" if figures["unpriced_calls"] else "")


def dollars(amount: float) -> str:
    """Write an amount so that small ones do not vanish."""
    return f"${amount:,.4f}" if 0 < abs(amount) < 0.01 else f"${amount:,.2f}"


def percent(part: float | None) -> str:
    """Write a part of one."""
    return f"{100 * (part or 0.0):.0f} %"


def counter_in_words(counter: Mapping[str, Any] | None) -> str:
    """Say how well a model's tokens are known beforehand."""
    if counter is None:
        return "is not calibrated yet: 3.2 characters count as a token"
    size, error, samples = counter["tokens_per_character"], percent(counter["error"]), counter["samples"]
    return f"counts {size:.3f} tokens a character; off by at most {error} in nine of ten of {samples:,} questions"


def price_hint(models: Iterable[str]) -> str:
    """Say how to give the prices that are not known."""
    names = ", ".join(f"{safe(model)}: {{input: …, output: …}}" for model in models)
    return f"No price is known for these; give it in gm.yaml, in USD for a million tokens: prices: {{{names}}}"


def _cells(cells: Iterable[str]) -> str:
    return "".join(cell.rjust(width) for cell, width in zip(cells, WIDTHS, strict=True))
