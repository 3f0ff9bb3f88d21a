"""What an evaluation is made of: measures, their figures, and what was found."""

from __future__ import annotations

from dataclasses import dataclass

from gm.api.document import part


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One number of a measure.

    Attributes:
        of: What it is about: the id of a character, a pair (``vera, leo``), a day, or ``all``.
        name: What is counted, such as ``kept``.
        value: None = there is no evidence to count.
        low: Lower end of the 95 % interval; None = no interval can be given.
        count: How many cases it rests on.
        unit: ``share`` (0 to 1), ``count``, ``days``, ``points`` …
    """

    of: str
    name: str
    value: float | None
    low: float | None = None
    high: float | None = None
    count: int
    unit: str = "share"


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One case that a reader should look at, such as a promise that was forgotten.

    Attributes:
        at: The moment or the id of a memory where it stands.
        text: One line.
    """

    agent: str
    at: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """The result of one measure.

    Attributes:
        definition: What is counted, and over what.
        source: Where the measure comes from.
        interval: How the intervals are made.
        missing: Why there is nothing to count; empty = there is.
    """

    name: str
    definition: str
    source: str
    interval: str = ""
    figures: tuple[Figure, ...] = ()
    cases: tuple[Case, ...] = ()
    missing: str = part(omit="")


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """All measures of a world, for the days ``first`` to ``last``."""

    world: str
    first: int
    last: int
    measures: tuple[Measured, ...]
