"""Rebuild a list or mapping from pieces of its old JSON or YAML text, so that unchanged parts keep their bytes."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, AnyStr

_PLAIN = frozenset((str, int, bool, type(None)))


@dataclass(frozen=True, slots=True)
class SplicedItem:
    """An item of the new container; ``origin`` is the index of the old item, None for a new one."""

    text: str
    origin: int | None


def align_items(old: Sequence[Any], new: Sequence[Any]) -> list[int | None]:
    """Return for each new item the index of its old item: an equal one, or the one at its position."""
    from difflib import SequenceMatcher  # slow to import and rarely needed

    before, after = [_key_of(item) for item in old], [_key_of(item) for item in new]
    shorter = min(len(before), len(after))
    first = next((place for place in range(shorter) if before[place] != after[place]), shorter)
    tail = next((place for place in range(shorter - first) if before[-1 - place] != after[-1 - place]), shorter - first)
    partners: list[int | None] = [None] * len(new)
    partners[:first] = range(first)
    partners[len(new) - tail :] = range(len(old) - tail, len(old))
    matcher = SequenceMatcher(
        None, before[first : len(before) - tail], after[first : len(after) - tail], autojunk=False
    )
    for _, old_begin, old_end, new_begin, new_end in matcher.get_opcodes():
        for step in range(min(old_end - old_begin, new_end - new_begin)):
            partners[first + new_begin + step] = first + old_begin + step
    return partners


def join_pieces(pieces: Sequence[SplicedItem], gaps: Sequence[str], fresh: str) -> str:
    """Join items, keeping the old gap between items that were neighbours before.

    Args:
        pieces: In new order; origins ascend.
        gaps: ``gaps[i]`` stood behind the old item ``i``; the last may be the rest of the last item's line.
    """
    text = pieces[0].text if pieces else ""
    for before, piece in pairwise(pieces):
        text += _choose_gap(before.origin, piece.origin, gaps, fresh) + piece.text
    return text


def _choose_gap(before: int | None, after: int | None, gaps: Sequence[str], fresh: str) -> str:
    if before is not None and after == before + 1:
        return gaps[before]
    tail = _gap_tail(gaps[after - 1]) if after else ""
    tail = tail or _gap_tail(fresh)
    if not tail:
        return fresh
    return _gap_head(gaps[before] if before is not None and before < len(gaps) else fresh) + tail


def _gap_head(gap: str) -> str:
    place = gap.find("\n")
    return gap.rstrip() if place < 0 else gap[:place].removesuffix("\r")


def _gap_tail(gap: str) -> str:
    place = gap.find("\n")
    if place < 0:
        return ""
    return gap[place - 1 :] if gap[place - 1 : place] == "\r" else gap[place:]


def count_common(one: AnyStr, other: AnyStr) -> int:
    """Return the length of the common beginning of two texts."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def is_same_value(old: object, new: object) -> bool:
    """Return whether two values are equal in a file: 5.00 is 5, but true is not 1."""
    if type(old) is type(new) and type(old) in _PLAIN:
        return old == new
    if isinstance(old, dict) and isinstance(new, dict):
        return old.keys() == new.keys() and all(is_same_value(old[key], new[key]) for key in old)
    if isinstance(old, list) and isinstance(new, list):
        return len(old) == len(new) and all(map(is_same_value, old, new))
    if isinstance(old, float) and isinstance(new, float) and math.isnan(old) and math.isnan(new):
        return True
    return old == new and isinstance(old, bool) == isinstance(new, bool)


def _key_of(item: object) -> str:
    if isinstance(item, float) and item.is_integer():
        item = int(item)
    return json.dumps(item, sort_keys=True, default=str)
