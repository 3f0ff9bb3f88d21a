"""The marks of items of a plan that are struck off."""

from __future__ import annotations

from collections.abc import Mapping

DONE, MOVED, DROPPED = "DONE", "MOVED", "DROPPED"
ENDS: Mapping[str, str] = {"done": DONE, "moved": MOVED, "dropped": DROPPED}
"""Marks of items that are struck off, by the status that a reply gives them."""
_BEGINNINGS = (DONE, f"{MOVED}: ", f"{DROPPED}: ")


def bare(item: str) -> str:
    """Return an item of a plan without its mark."""
    return item.removeprefix(mark).removeprefix(":").strip() if (mark := _mark_of(item)) else item


def state_of(item: str) -> str:
    """Return done, moved or dropped; empty while open."""
    found = _mark_of(item)
    return next((state for state, mark in ENDS.items() if mark == found), "")


def _mark_of(item: str) -> str:
    return next((mark for mark in ENDS.values() if item.startswith(mark)), "") if is_struck(item) else ""


def is_struck(item: str) -> bool:
    """Return whether an item is struck off (``DONE: …``, ``MOVED: …``, ``DROPPED: …``)."""
    return item.startswith(_BEGINNINGS)
