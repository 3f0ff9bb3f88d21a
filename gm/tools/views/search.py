"""A page of what everybody remembers of something."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gm.errors import Problem
from gm.memory.terms import terms_in
from gm.store.streams.memories import Memories, Spot
from gm.tools.views.facets import Facet, Facets, count_facets
from gm.tools.views.filtering import Filter, in_order, merged, select
from gm.tools.views.paging import page_count
from gm.tools.views.stream import PAGE_SIZE, Shown, known_owner, show


@dataclass(frozen=True, slots=True)
class SearchPage:
    """A page of what was found.

    Attributes:
        filter: What was wanted.
        agents: Among whose memories it was looked for.
        rows: What stands on this page, with the places of the words.
        page: Which page it is, from 1.
        pages: How many there are, at least 1.
        found: How many memories the filter lets through.
        owners: How many of them are whose, of everybody, in alphabetical order.
        facets: How much of each kind there is in what was found.
        problems: Lines that cannot be read, and so are not found.
    """

    filter: Filter
    agents: tuple[str, ...]
    rows: tuple[Shown, ...]
    page: int
    pages: int
    found: int
    owners: tuple[Facet, ...]
    facets: Facets
    problems: tuple[Problem, ...]


def view_search(
    memories: Memories, wanted: Filter, agents: Sequence[str] = (), page: int = 1, *, language: str = "de"
) -> SearchPage:
    """Look for memories of everybody, or of some.

    Args:
        memories: The memories of the world.
        wanted: What to look for; nothing is found with a filter that lets everything through.
        agents: Ids or names of characters; without any, everybody.
        page: Which page, from 1; the last one where there are not so many.
        language: Language of the world: in which a word has other forms.

    Raises:
        UsageError: Nobody has one of the names.
    """
    terms = terms_in(wanted.text, language)
    with memories.still():
        names = memories.layout.agent_names()
        asked = tuple(dict.fromkeys(known_owner(memories, name) for name in agents)) or names
        if wanted.is_usual:
            return SearchPage(wanted, asked, (), 1, 1, 0, (), count_facets(()), ())
        held = {name: memories.of(name) for name in names}
        found = {
            name: [row for file in held[name].files.values() for row in select(file, wanted, terms)] for name in names
        }
        owners = tuple(Facet(name, len(rows)) for name, rows in found.items() if rows)
        rows = [row for name in asked for row in found[name]]
        pages = page_count(len(rows), PAGE_SIZE)
        page = min(max(page, 1), pages)
        most = page * PAGE_SIZE
        sorted_ = ([Spot(name, row) for row in in_order(found[name], wanted.order)[:most]] for name in asked)
        shown = show(memories, held, merged(sorted_, wanted.order, most)[most - PAGE_SIZE :], terms)
        problems = tuple(problem for name in asked for problem in held[name].problems)
    return SearchPage(wanted, asked, shown, page, pages, len(rows), owners, count_facets(rows), problems)
