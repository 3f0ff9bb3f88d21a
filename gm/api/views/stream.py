"""Pages of memories, optionally filtered."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from gm.api.views import filtering
from gm.base.casefold import casefold
from gm.base.errors import Problem
from gm.files.streams.find import ARCHIVE, STREAM, FoundMemory
from gm.files.streams.memories import Held, Memories, OwnedRow
from gm.files.streams.rows import COPIES, UTTERANCES, MemoryRow
from gm.files.streams.unread import UnreadStream
from gm.memory.search import Term, find_term_spans, needles_of, terms_in
from gm.model.world import unknown_agent

PAGE_SIZE = 100
IN_STREAM = frozenset((STREAM, COPIES, UTTERANCES))
"""Homes of the memories that lie in a stream."""
FIRST_DAYS = 4
"""Days that are looked through first in streams that have not been read; then those that may fill the page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownMemory(FoundMemory):
    """One memory in a list; ``spans`` are matches in the description, as (begin, end) in characters."""

    cited_by: tuple[str, ...]
    spans: tuple[tuple[int, int], ...] = ()

    @property
    def is_archived(self) -> bool:
        """Whether it is in the archive."""
        return self.home == ARCHIVE


@dataclass(frozen=True, slots=True)
class StreamPage:
    """A page of memories.

    Attributes:
        pages: One more than ``page`` where there are older matches that have not been counted.
        found: All matches, or those found so far.
        total: Memories in the same homes without the filter.
        facets: Counts over all matches; None where they have not been counted.
    """

    rows: tuple[ShownMemory, ...]
    page: int
    pages: int
    found: int
    total: int
    facets: filtering.FacetCounts | None
    problems: tuple[Problem, ...]


def view_stream(
    memories: Memories, agent: str, wanted: filtering.Filter | None = None, page: int = 1, *, language: str
) -> StreamPage:
    """Return a page of a character's memories.

    A long stream that has not been read is looked through from the newest day back, until the page is full.

    Raises:
        UsageError: There is no such character.
    """
    wanted = wanted or filtering.Filter()
    with memories.shared_lock():
        name = known_owner(memories, agent)
        unread = memories.unread([name]) if wanted.order == filtering.NEWEST and wanted.homes >= IN_STREAM else {}
        held = memories.of(name, unread)
        terms = terms_in(wanted.text, language)
        total = sum(
            len(filtering.filter_rows(file, filtering.Filter(homes=wanted.homes), ())) for file in held.files.values()
        )
        total += sum(stream.memories for stream in unread.values())
        if wanted.is_usual:
            page, *_ = filtering.turn_to(page, total, PAGE_SIZE)
        found = [row for file in held.files.values() for row in filtering.filter_rows(file, wanted, terms)]
        since = _look_back(unread, wanted, terms, {name: found}, (name,), page * PAGE_SIZE)
        found = [row for row in found if row.day >= since]
        count = total if wanted.is_usual else len(found)
        page, pages, items = filtering.turn_to(page, count, PAGE_SIZE)
        rows = filtering.in_order(found, wanted.order)[items]
        shown = show_memories(memories, {name: held}, [OwnedRow(name, row) for row in rows], terms, unread)
    if since:
        return StreamPage(shown, page, pages if wanted.is_usual else page + 1, count, total, None, held.problems)
    return StreamPage(shown, page, pages, count, total, filtering.count_facets(found), held.problems)


def pages_of(memories: Memories, agent: str) -> Mapping[str, int]:
    """Return the page of each memory in the unfiltered list, by case-folded id."""
    with memories.shared_lock():
        held = memories.of(agent)
    usual = filtering.Filter()
    found = filtering.in_order(
        (row for file in held.files.values() for row in filtering.filter_rows(file, usual, ())), usual.order
    )
    return {casefold(row.id): place // PAGE_SIZE + 1 for place, row in reversed(list(enumerate(found)))}


def known_owner(memories: Memories, agent: str) -> str:
    """Return the agent id for a name, ignoring case.

    Raises:
        UsageError: There is no such character.
    """
    names = memories.layout.agent_names()
    if agent in names:
        return agent
    wanted = casefold(agent)
    for name in names:
        if casefold(name) == wanted:
            return name
    raise unknown_agent(agent, names)


def show_memories(
    memories: Memories,
    held: Mapping[str, Held],
    spots: Sequence[OwnedRow],
    terms: Iterable[Term] = (),
    unread: Mapping[str, UnreadStream] = MappingProxyType({}),
) -> tuple[ShownMemory, ...]:
    """Return memories in the given order, skipping lines that have changed since.

    Args:
        unread: The streams that ``held`` lacks.
    """
    terms = tuple(terms)
    others = set(memories.layout.agent_names()) - held.keys()
    read = [one for one in held.values() if any(file.rows for file in one.files.values())]
    elsewhere = {
        name: memories.citing_elsewhere(name, others | _naming(unread, name))
        for name in dict.fromkeys(spot.owner for spot in spots)
    }
    later = {
        name: stream.citing(
            {spot.row.id: spot.row.start if spot.row.home in IN_STREAM else 0 for spot in spots if spot.owner == name}
        )
        for name, stream in unread.items()
    }
    shown = []
    for spot, node in zip(spots, memories.nodes(spots), strict=True):
        if node is not None and node.id == spot.row.id:
            inside = later[spot.owner][node.id] if spot.owner in unread else []
            inside += [one for other in read for one in other.citing(node.id)]
            cited_by = tuple(dict.fromkeys((*inside, *elsewhere[spot.owner].get(casefold(node.id), ()))))
            found = spot.owner, node, spot.row.home, held[spot.owner].path_of(spot.row), spot.row.number
            shown.append(ShownMemory(*found, cited_by=cited_by, spans=find_term_spans(node.description, terms)))
    return tuple(shown)


def _naming(unread: Mapping[str, UnreadStream], name: str) -> set[str]:
    """Return the others whose streams, not read yet, cite memories of a character."""
    return {other for other, stream in unread.items() if other != name and casefold(name) in stream.named}


@dataclass(frozen=True, slots=True)
class SearchPage:
    """A page of search results.

    Attributes:
        pages: One more than ``page`` where there are older matches that have not been counted.
        found: All matches, or those found so far.
        owners: Matches per character of the world, alphabetically.
        facets: Counts over all matches; None where they have not been counted.
    """

    rows: tuple[ShownMemory, ...]
    page: int
    pages: int
    found: int
    owners: tuple[filtering.Facet, ...]
    facets: filtering.FacetCounts | None
    problems: tuple[Problem, ...]


def view_search(
    memories: Memories, wanted: filtering.Filter, agents: Sequence[str] = (), page: int = 1, *, language: str
) -> SearchPage:
    """Search the memories of all or some characters.

    Streams that have not been read are looked through from the newest day back, until the page is full.

    Args:
        wanted: A filter that excludes nothing finds nothing.

    Raises:
        UsageError: One of the characters does not exist.
    """
    terms = terms_in(wanted.text, language)
    with memories.shared_lock():
        names = memories.layout.agent_names()
        asked = tuple(dict.fromkeys(known_owner(memories, name) for name in agents)) or names
        if wanted.is_usual:
            return SearchPage((), 1, 1, 0, (), filtering.count_facets(()), ())
        unread = memories.unread() if wanted.order == filtering.NEWEST else {}
        held = {name: memories.of(name, unread) for name in names}
        found = {
            name: [row for file in held[name].files.values() for row in filtering.filter_rows(file, wanted, terms)]
            for name in names
        }
        since = _look_back(unread, wanted, terms, found, asked, page * PAGE_SIZE)
        if since:
            found = {name: [row for row in rows if row.day >= since] for name, rows in found.items()}
        owners = tuple(filtering.Facet(name, len(rows)) for name, rows in found.items() if rows)
        rows = [row for name in asked for row in found[name]]
        page, pages, items = filtering.turn_to(page, len(rows), PAGE_SIZE)
        most = page * PAGE_SIZE
        sorted_ = (
            [OwnedRow(name, row) for row in filtering.in_order(found[name], wanted.order)[:most]] for name in asked
        )
        shown = show_memories(memories, held, filtering.merge_rows(sorted_, wanted.order, most)[items], terms, unread)
        problems = tuple(problem for name in asked for problem in held[name].problems)
    if since:
        return SearchPage(shown, page, page + 1, len(rows), owners, None, problems)
    return SearchPage(shown, page, pages, len(rows), owners, filtering.count_facets(rows), problems)


def _look_back(
    unread: Mapping[str, UnreadStream],
    wanted: filtering.Filter,
    terms: Sequence[Term],
    found: Mapping[str, list[MemoryRow]],
    asked: Sequence[str],
    enough: int,
) -> int:
    """Add the newest matches of streams that have not been read to those found, until more than enough are found.

    Returns:
        The story day since when all are found; 0 = all there are.
    """
    needles = needles_of((*terms, *((casefold(tag),) for tag in wanted.tags)))
    newest = max((stream.last_day for stream in unread.values()), default=0)
    first, newest, days = wanted.first or 0, newest if wanted.last is None else min(wanted.last, newest), FIRST_DAYS
    last = newest
    while unread:
        since = max(first, last - days + 1)
        part = replace(wanted, first=since, last=last)
        for name, stream in unread.items():
            found[name].extend(filtering.filter_rows(stream.between(since, last, needles), part, terms))
        if since <= first:
            return 0
        known = sum(row.day >= since for name in asked for row in found[name])
        if known > enough:
            return since
        last, days = since - 1, 2 * (newest - since + 1) * (enough // known) if known else newest + 1
    return 0
