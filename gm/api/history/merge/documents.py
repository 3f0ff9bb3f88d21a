"""Merges documents value by value, by the rules that their keys declare (``model.record.Merge``)."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gm.base.config.kinds import is_number
from gm.base.untyped import items_of, texts_in
from gm.files.formats.document import render_document
from gm.files.formats.jsonedit import set_values
from gm.files.formats.yamlmap import change_mapping, read_mapping
from gm.model.clock import CLOCK
from gm.model.record import Merge
from gm.model.state import AGENT_STATE
from gm.scene.planning.marks import bare, is_struck

Document = Mapping[str, Any]
MergeValues = Callable[[Document, Document, Document, list[str]], dict[str, Any]]
"""Merges base, ours and theirs, and adds notes on conflicts."""


def parse_document(data: bytes | None) -> dict[str, Any] | None:
    """Read a JSON object; None if absent or invalid."""
    try:
        document = json.loads((data or b"").decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) else None


def merge_document(
    base: bytes | None, ours: bytes, theirs: bytes, merge: MergeValues, facts: Document
) -> tuple[bytes | None, list[str]]:
    """Merge a document that both sides changed.

    Args:
        base: None = new on both sides.
        facts: Values computed from other files; they take precedence.

    Returns:
        The content (None = unreadable input), and notes on conflicts.
    """
    old, mine, other = parse_document(base) if base is not None else {}, parse_document(ours), parse_document(theirs)
    if old is None or mine is None or other is None:
        return None, []
    notes: list[str] = []
    merged = merge(old, mine, other, notes)
    merged |= {key: value for key, value in facts.items() if key in merged}
    changed = {key: value for key, value in merged.items() if key not in mine or mine[key] != value}
    text = set_values(ours.decode("utf-8"), changed) if changed else ours.decode("utf-8")
    gone = [key for key in mine if key not in merged]
    if gone:
        text = render_document(merged)
    return text.encode(), notes


def merge_yaml(base: bytes | None, ours: bytes, theirs: bytes) -> bytes | None:
    """Merge YAML mappings by key, lists by item; unchanged bytes of ours are kept.

    Returns:
        None if an input is not a mapping, or on a conflict.
    """
    notes: list[str] = []
    try:
        texts = [(data or b"").decode("utf-8") for data in (base, ours, theirs)]
        old, mine, other = (read_mapping(text) for text in texts)
        merged = merge_values(old, mine, other, notes)
        changed = {key: value for key, value in merged.items() if key not in mine or mine[key] != value}
        text = change_mapping(texts[1], changed, [key for key in mine if key not in merged])
    except ValueError:
        return None
    return None if notes else text.encode()


def merge_values(base: Document, ours: Document, theirs: Document, notes: list[str]) -> dict[str, Any]:
    """Merge mappings by key; lists and mappings that both changed are combined."""
    merged: dict[str, Any] = {}
    for key in dict.fromkeys((*ours, *theirs)):
        if key not in theirs:
            if key not in base or ours[key] != base[key]:
                merged[key] = ours[key]
        elif key not in ours:
            if key not in base or theirs[key] != base[key]:
                merged[key] = theirs[key]
        else:
            merged[key] = _merge_value(key, base.get(key), ours[key], theirs[key], notes)
    return merged


def merge_agent(
    base: Document, ours: Document, theirs: Document, notes: list[str], *, is_later: bool = False
) -> dict[str, Any]:
    """Merge an agent file; ``merge_importance`` sums the importance.

    Args:
        is_later: Theirs is a later day, and wins for the state of a character.
    """
    merged = merge_values(base, ours, theirs, [])
    rules = {key.name: key.merge for key in AGENT_STATE.keys}
    for key in (key for key in ours if key in theirs and rules.get(key, Merge.ANY) in (Merge.ANY, Merge.PLAN)):
        contested: list[str] = []
        _merge_value(key, base.get(key), ours[key], theirs[key], contested)
        if contested:
            notes.append(f"{key}: theirs, of the later day" if is_later else f"{key}: ours stays")
            merged[key] = theirs[key] if is_later else ours[key]
    for key, rule in rules.items():
        old, mine, other = (item.get(key) for item in (base, ours, theirs))
        if rule is Merge.MOST and (most := max(to_integer(mine), to_integer(other))):
            merged[key] = most
        elif rule is Merge.THEIRS and key in merged and mine != old != other:
            merged[key] = other
        elif rule is Merge.PLAN and key in merged and mine != old:
            later, earlier = (theirs, mine) if is_later and other != old else (ours, other)
            plan = later.get(key, [])
            merged[key] = plan if other == old else _with_marks(plan, items_of(earlier))
    return merged


def merge_importance(base: Document, ours: Document, theirs: Document, rows: Mapping[str, int]) -> int:
    """Return the importance accumulated in a merged stream, in which theirs comes behind ours.

    Args:
        rows: Importance of the new memories that both sides have, by id, in order.
    """
    before, mine, other = (to_integer(item.get("importance_accumulator")) for item in (base, ours, theirs))
    old, here, there = (item.get("last_reflection") for item in (base, ours, theirs))
    if there not in (old, here):
        return other  # their reflection has taken in what ours gained
    if there == old:
        return max(0, mine + other - before - sum(rows.values()))
    names = list(rows)
    since = names[names.index(there) + 1 :] if there in names else ()
    return max(0, mine + other - sum(rows[name] for name in since))


def _with_marks(plan: object, other: Sequence[Any]) -> Any:
    items = items_of(plan)
    if not all(isinstance(item, str) for item in (*items, *other)) or [*map(bare, items)] != [*map(bare, other)]:
        return plan
    return [mine if is_struck(mine) else theirs for mine, theirs in zip(items, other, strict=True)]


def merge_clock(base: Document, ours: Document, theirs: Document, _notes: list[str]) -> dict[str, Any]:
    """Merge the clock: the later day wins; the same day is closed if one side closed it."""
    merged = merge_values(base, ours, theirs, [])
    days = (to_integer(ours.get("day")), to_integer(theirs.get("day")))
    later, is_one = theirs if days[1] > days[0] else ours, days[0] == days[1]
    for key in CLOCK.keys:
        name, (old, mine, other) = key.name, (item.get(key.name) for item in (base, ours, theirs))
        if key.merge is Merge.SUM:
            merged[name] = to_integer(mine) + to_integer(other) - to_integer(old)
        elif key.merge is Merge.BOTH and is_one:
            merged[name] = bool(mine) and bool(other)
        elif key.merge is Merge.UNION and is_one:
            merged[name] = list(dict.fromkeys(texts_in([*items_of(mine), *items_of(other)])))
        elif key.merge is not Merge.ANY and name in later:
            merged[name] = later[name]
    return merged


def _merge_value(key: str, base: object, ours: object, theirs: object, notes: list[str]) -> Any:
    if ours == theirs or theirs == base:
        return ours
    if ours == base:
        return theirs
    if isinstance(ours, dict) and isinstance(theirs, dict):
        return merge_values(base if isinstance(base, dict) else {}, ours, theirs, notes)
    if isinstance(ours, list) and isinstance(theirs, list):
        return merged_list(items_of(base), ours, theirs)
    notes.append(f"{key}: ours stays")
    return ours


def merged_list(base: Sequence[Any], ours: Sequence[Any], theirs: Sequence[Any]) -> list[Any]:
    """Return ours without items that theirs removed, followed by items that theirs added."""
    kept = [item for item in ours if item not in base or item in theirs]
    return [*kept, *(item for item in theirs if item not in base and item not in kept)]


def to_integer(value: object) -> int:
    """Return a number as an integer; 0 for anything else."""
    is_finite = not isinstance(value, float) or math.isfinite(value)
    return int(value) if is_number(value) and is_finite else 0
