"""How much of each kind there is among memories that were found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from gm.model.fold import fold
from gm.model.node import NODE_TYPES
from gm.store.streams.rows import HOMES, Row


@dataclass(frozen=True, slots=True)
class Facet:
    """One value, and how many of the memories that were found have it."""

    name: str
    count: int


@dataclass(frozen=True, slots=True)
class Facets:
    """How much of each kind there is.

    Attributes:
        types: By type, in the order of the file format.
        homes: By where they lie, in the order of ``HOMES``.
        days: By story day, in order; a memory without a day has day 0.
        tags: By tag, the most frequent first; spellings that differ in case or Unicode form only are one.
        importances: By importance, from 1 to 10.
        depths: By depth, from 0.
    """

    types: tuple[Facet, ...]
    homes: tuple[Facet, ...]
    days: tuple[tuple[int, int], ...]
    tags: tuple[Facet, ...]
    importances: tuple[tuple[int, int], ...]
    depths: tuple[tuple[int, int], ...]


def count_facets(rows: Sequence[Row]) -> Facets:
    """Count what was found."""
    return Facets(
        types=_named(Counter([row.type for row in rows]), NODE_TYPES),
        homes=_named(Counter([row.home for row in rows]), HOMES),
        days=_numbered([row.day for row in rows]),
        tags=_tags(rows),
        importances=_numbered([row.importance for row in rows]),
        depths=_numbered([row.depth for row in rows]),
    )


def _named(counted: Mapping[str, int], names: Sequence[str]) -> tuple[Facet, ...]:
    return tuple(Facet(name, counted[name]) for name in names if counted.get(name))


def _numbered(values: Iterable[int]) -> tuple[tuple[int, int], ...]:
    return tuple(sorted(Counter(values).items()))


def _tags(rows: Sequence[Row]) -> tuple[Facet, ...]:
    spelled = Counter(chain.from_iterable([row.tags for row in rows]))
    counted: Counter[str] = Counter()
    shown: dict[str, str] = {}
    for tag, number in spelled.most_common():
        key = fold(tag)
        counted[key] += number
        shown.setdefault(key, tag)
    ranked = sorted(counted.items(), key=lambda item: (-item[1], item[0]))
    return tuple(Facet(shown[key], number) for key, number in ranked if key)
