"""Paging of long lists."""

from __future__ import annotations


def turn_to(page: int, found: int, size: int) -> tuple[int, int, slice]:
    """Return page number, number of pages (at least 1) and slice of the page's items.

    Args:
        page: From 1; clamped.
        found: Number of items.
        size: Items per page.
    """
    pages = max(1, -(-found // size))
    page = min(max(page, 1), pages)
    return page, pages, slice((page - 1) * size, page * size)
