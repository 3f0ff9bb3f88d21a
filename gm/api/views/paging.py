"""Lists that are too long for one page."""

from __future__ import annotations


def turn_to(page: int, found: int, size: int) -> tuple[int, int, slice]:
    """Divide a list into pages.

    Args:
        page: The page that is wanted, from 1; beyond the last one it is the last.
        found: How many items there are.
        size: How many stand on a page.

    Returns:
        The number of the page, how many pages there are (at least 1), and where its items stand in the list.
    """
    pages = max(1, -(-found // size))
    page = min(max(page, 1), pages)
    return page, pages, slice((page - 1) * size, page * size)
