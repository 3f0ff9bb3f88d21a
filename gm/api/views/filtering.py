"""Filters and facets of lists of memories; the pages of a list."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import merge
from itertools import chain, islice

from gm.base.casefold import casefold
from gm.base.texts import is_digits
from gm.files.streams.find import ARCHIVE, STREAM, SUMMARIES
from gm.files.streams.memories import OwnedRow
from gm.files.streams.rows import BY_IMPORTANCE, BY_TIME, COPIES, HOMES, UTTERANCES, FileRows, MemoryRow
from gm.memory.share import PRIVATE
from gm.model.node import NODE_TYPES

NEWEST, OLDEST, IMPORTANCE = "newest", "oldest", "importance"
ORDERS = (NEWEST, OLDEST, IMPORTANCE)
USUAL_HOMES = frozenset((STREAM, COPIES, UTTERANCES, SUMMARIES, ARCHIVE))
LEAST, MOST = 1, 10


@dataclass(frozen=True, slots=True)
class Filter:
    """Conditions on memories; all must hold.

    Attributes:
        text: Words and quoted phrases, in description, tags or id.
        least: Lowest importance, 1 to 10.
        most: Highest importance, 1 to 10.
        homes: Of stream, copies, utterances, summaries, archive, gifted.
    """

    text: str = ""
    types: frozenset[str] = frozenset()
    tags: tuple[str, ...] = ()
    least: int = LEAST
    most: int = MOST
    first: int | None = None
    last: int | None = None
    depth: int = 0
    homes: frozenset[str] = USUAL_HOMES
    order: str = NEWEST

    @property
    def is_usual(self) -> bool:
        """Whether nothing is filtered; the order does not count."""
        return replace(self, order=NEWEST) == Filter()


def read_filter(pairs: Iterable[tuple[str, str]]) -> Filter:
    """Parse the names and values of an address or a form, ignoring invalid values.

    Args:
        pairs: ``q``, ``type``*, ``tag``*, ``least``, ``most``, ``first``, ``last``, ``depth``, ``home``*, ``order``
            (* = repeatable).
    """
    given: dict[str, list[str]] = {}
    for name, value in pairs:
        if value.strip():
            given.setdefault(name, []).append(value.strip())
    homes = frozenset(given.get("home", ())) & frozenset(HOMES)
    tags = {casefold(tag): tag for tag in reversed(given.get("tag", []))}
    order = _last_given(given, "order")
    return Filter(
        text=_last_given(given, "q"),
        types=frozenset(given.get("type", ())) & frozenset(NODE_TYPES),
        tags=tuple(tags[key] for key in sorted(tags)),
        least=_number_within(given, "least", LEAST, MOST) or LEAST,
        most=_number_within(given, "most", LEAST, MOST) or MOST,
        first=_number_within(given, "first", 0),
        last=_number_within(given, "last", 0),
        depth=_number_within(given, "depth", 0) or 0,
        homes=homes or USUAL_HOMES,
        order=order if order in ORDERS else NEWEST,
    )


def filter_query(wanted: Filter) -> list[tuple[str, str]]:
    """Return a filter as names and values for ``read_filter``, without defaults."""
    pairs = [("q", wanted.text)] if wanted.text else []
    pairs += [("type", kind) for kind in NODE_TYPES if kind in wanted.types]
    pairs += [("tag", tag) for tag in wanted.tags]
    usual = Filter()
    for name in ("least", "most", "first", "last", "depth"):
        value = getattr(wanted, name)
        if value is not None and value != getattr(usual, name):
            pairs.append((name, str(value)))
    if wanted.homes != usual.homes:
        pairs += [("home", home) for home in HOMES if home in wanted.homes]
    return pairs if wanted.order == NEWEST else [*pairs, ("order", wanted.order)]


def filter_rows(file: FileRows, wanted: Filter, terms: Sequence[tuple[str, ...]]) -> list[MemoryRow]:
    """Return the matching rows in file order."""
    rows = file.find(terms)
    if wanted.types:
        rows = [row for row in rows if row.type in wanted.types]
    if (wanted.least, wanted.most) != (LEAST, MOST):
        rows = [row for row in rows if wanted.least <= row.importance <= wanted.most]
    if wanted.first is not None:
        rows = [row for row in rows if row.day >= wanted.first]
    if wanted.last is not None:
        rows = [row for row in rows if row.day <= wanted.last]
    if wanted.depth:
        rows = [row for row in rows if row.depth >= wanted.depth]
    if wanted.homes != frozenset(HOMES):
        rows = [row for row in rows if row.home in wanted.homes]
    for tag in {casefold(tag) for tag in wanted.tags}:
        rows = [row for row in rows if any(casefold(own) == tag for own in row.tags)]
    return rows


def in_order(rows: Iterable[MemoryRow], order: str) -> list[MemoryRow]:
    """Sort rows by story time, or by importance and then newest first."""
    return sorted(rows, key=BY_IMPORTANCE if order == IMPORTANCE else BY_TIME, reverse=order != OLDEST)


def merge_rows(spots: Iterable[Sequence[OwnedRow]], order: str, most: int) -> list[OwnedRow]:
    """Merge sorted memories of several characters; return the first ``most``."""
    key = BY_IMPORTANCE if order == IMPORTANCE else BY_TIME
    return list(islice(merge(*spots, key=lambda spot: key(spot.row), reverse=order != OLDEST), most))


def _last_given(given: Mapping[str, Sequence[str]], name: str) -> str:
    return given[name][-1] if name in given else ""


def _number_within(given: Mapping[str, Sequence[str]], name: str, low: int, high: int | None = None) -> int | None:
    text = _last_given(given, name)
    if not is_digits(text):
        return None
    value = max(int(text), low)
    return value if high is None else min(value, high)


@dataclass(frozen=True, slots=True)
class Facet:
    """A value and its number of memories."""

    name: str
    count: int


@dataclass(frozen=True, slots=True)
class FacetCounts:
    """Counts of memories.

    Attributes:
        types: In the order of ``NODE_TYPES``.
        tags: Most frequent first; spellings that differ only in case or Unicode form are one.
    """

    types: tuple[Facet, ...]
    tags: tuple[Facet, ...]


def count_facets(rows: Sequence[MemoryRow]) -> FacetCounts:
    """Count rows by each facet."""
    counted = Counter([row.type for row in rows])
    types = tuple(Facet(name, counted[name]) for name in NODE_TYPES if counted[name])
    return FacetCounts(types, _count_tags(rows))


def _count_tags(rows: Sequence[MemoryRow]) -> tuple[Facet, ...]:
    spelled = Counter(chain.from_iterable([row.tags for row in rows]))
    counted: Counter[str] = Counter()
    shown: dict[str, str] = {}
    for tag, number in spelled.most_common():
        key = casefold(tag)
        counted[key] += number
        shown.setdefault(key, tag)
    ranked = sorted(counted.items(), key=lambda item: (-item[1], item[0]))
    return tuple(Facet(shown[key], number) for key, number in ranked if key)


def turn_to(page: int, found: int, size: int) -> tuple[int, int, slice]:
    """Return page number, number of pages (at least 1) and slice of the page's items."""
    pages = max(1, -(-found // size))
    page = min(max(page, 1), pages)
    return page, pages, slice((page - 1) * size, page * size)


def is_kept_back(kind: str, hidden: Collection[str]) -> bool:
    """Return whether threads of a kind are left out: a silence says what is to be told to no one."""
    return kind == "silence" and PRIVATE in hidden
