"""The one table that all benchmarks end in: figures against a raw limit of the same run, and the aims."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from dataclasses import dataclass

WIDTH = 120
MET, MISSED = "met", "missed"


@dataclass(frozen=True)
class Row:
    """One figure.

    Attributes:
        what: What was measured.
        figure: What came out, with its unit.
        against: What it is held against: a raw limit measured in the same run, or words for a fixed bound.
        ratio: The figure over the limit; for a bound, the figure itself.
        aim: Where the ratio should be.
        at_least: Whether the aim is a lower bound.
        why: What keeps it from its aim, with figures of the same run; shown where it misses the aim.
    """

    what: str
    figure: str
    against: str
    ratio: float
    aim: float
    at_least: bool = False
    why: str = ""

    @property
    def is_met(self) -> bool:
        """Whether the ratio is where it should be."""
        return self.ratio >= self.aim if self.at_least else self.ratio <= self.aim


HEAD = ("what", "figure", "against", "ratio", "aim", "")


def render_table(rows: Iterable[Row]) -> str:
    """Write rows as a table that says of each aim whether it is met, and below it why those that miss theirs do."""
    rows = list(rows)
    lines = [HEAD, *(_cells(row) for row in rows)]
    wide = [max(len(line[place]) for line in lines) for place in range(len(HEAD))]
    table = "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, wide, strict=True)).rstrip() for line in lines
    )
    missed = [row for row in rows if not row.is_met]
    return "\n\n".join([table, *map(_reason, missed)])


def _reason(row: Row) -> str:
    why = row.why or "nothing is known of a reason: run it again while the machine has no other work"
    return textwrap.fill(f"{MISSED}: {row.what}: {why}", WIDTH, subsequent_indent="    ")


def _cells(row: Row) -> tuple[str, ...]:
    sign = "≥" if row.at_least else "≤"
    return (
        row.what,
        row.figure,
        row.against,
        f"{row.ratio:.2f}",
        f"{sign} {row.aim:g}",
        MET if row.is_met else MISSED,
    )
