"""What somebody wants to see of many memories, as it stands in the address of a page, and how that is applied."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import merge
from itertools import islice

from gm.model.fold import fold
from gm.model.node import NODE_TYPES
from gm.store.streams.memories import Spot
from gm.store.streams.rows import (
    ARCHIVE,
    BY_IMPORTANCE,
    BY_TIME,
    COPIES,
    HOMES,
    STREAM,
    SUMMARIES,
    UTTERANCES,
    FileRows,
    Row,
)
from gm.texts import is_digits

NEWEST, OLDEST, IMPORTANCE = "newest", "oldest", "importance"
ORDERS = (NEWEST, OLDEST, IMPORTANCE)
USUAL_HOMES = frozenset((STREAM, COPIES, UTTERANCES, SUMMARIES, ARCHIVE))
LEAST, MOST = 1, 10


@dataclass(frozen=True, slots=True)
class Filter:
    """What is wanted of many memories; all of it has to fit.

    Attributes:
        text: Words, in description, tags or id, and texts between quotation marks.
        types: Of one of these types; empty = of any.
        tags: With every one of these tags.
        least: Lowest importance, 1 to 10.
        most: Highest importance, 1 to 10.
        first: First story day; None = from the beginning.
        last: Last story day; None = to the end.
        depth: Lowest depth; 1 leaves reflections and what is made of them.
        homes: Where they lie: stream, copies, utterances, summaries, archive, gifted.
        order: newest, oldest or importance.
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
        """Whether nothing is left out; in which order does not count."""
        return replace(self, order=NEWEST) == Filter()


def read_filter(wishes: Iterable[tuple[str, str]]) -> Filter:
    """Read a filter from the names and values of an address or a form; what makes no sense is left out.

    Args:
        wishes: ``q``, ``type`` (several), ``tag`` (several), ``least``, ``most``, ``first``, ``last``, ``depth``,
            ``home`` (several), ``order``, in any order.
    """
    given: dict[str, list[str]] = {}
    for name, value in wishes:
        if value.strip():
            given.setdefault(name, []).append(value.strip())
    homes = frozenset(given.get("home", ())) & frozenset(HOMES)
    tags = {fold(tag): tag for tag in reversed(given.get("tag", []))}
    order = _last(given, "order")
    return Filter(
        text=_last(given, "q"),
        types=frozenset(given.get("type", ())) & frozenset(NODE_TYPES),
        tags=tuple(tags[key] for key in sorted(tags)),
        least=_number(given, "least", LEAST, MOST) or LEAST,
        most=_number(given, "most", LEAST, MOST) or MOST,
        first=_number(given, "first", 0),
        last=_number(given, "last", 0),
        depth=_number(given, "depth", 0) or 0,
        homes=homes or USUAL_HOMES,
        order=order if order in ORDERS else NEWEST,
    )


def filter_wishes(wanted: Filter) -> list[tuple[str, str]]:
    """Write a filter as names and values, so that ``read_filter`` gives it back; what is usual is left out."""
    wishes = [("q", wanted.text)] if wanted.text else []
    wishes += [("type", kind) for kind in NODE_TYPES if kind in wanted.types]
    wishes += [("tag", tag) for tag in wanted.tags]
    usual = Filter()
    for name in ("least", "most", "first", "last", "depth"):
        value = getattr(wanted, name)
        if value is not None and value != getattr(usual, name):
            wishes.append((name, str(value)))
    if wanted.homes != usual.homes:
        wishes += [("home", home) for home in HOMES if home in wanted.homes]
    return wishes if wanted.order == NEWEST else [*wishes, ("order", wanted.order)]


def select(file: FileRows, wanted: Filter, terms: Sequence[tuple[str, ...]]) -> list[Row]:
    """Choose the rows of a file that a filter lets through, in the order of the file.

    Args:
        file: The rows.
        wanted: The filter; its text is not read again.
        terms: Its text, as ``gm.memory.terms`` reads it.
    """
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
    for tag in {fold(tag) for tag in wanted.tags}:
        rows = [row for row in rows if any(fold(own) == tag for own in row.tags)]
    return rows


def in_order(rows: Iterable[Row], order: str) -> list[Row]:
    """Sort rows by story time, the newest or the oldest first, or by importance and then the newest first."""
    return sorted(rows, key=BY_IMPORTANCE if order == IMPORTANCE else BY_TIME, reverse=order != OLDEST)


def merged(spots: Iterable[Sequence[Spot]], order: str, most: int) -> list[Spot]:
    """Put memories of several characters, each in order, together; ``most`` of the first are wanted."""
    key = BY_IMPORTANCE if order == IMPORTANCE else BY_TIME
    return list(islice(merge(*spots, key=lambda spot: key(spot.row), reverse=order != OLDEST), most))


def _last(given: Mapping[str, Sequence[str]], name: str) -> str:
    return given[name][-1] if name in given else ""


def _number(given: Mapping[str, Sequence[str]], name: str, low: int, high: int | None = None) -> int | None:
    text = _last(given, name)
    if not is_digits(text):
        return None
    value = max(int(text), low)
    return value if high is None else min(value, high)
