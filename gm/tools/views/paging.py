"""What is too long for one page."""

from __future__ import annotations


def page_count(found: int, size: int) -> int:
    """Tell on how many pages of some size things stand; at least one."""
    return max(1, -(-found // size))
