"""Make one scene of several that the same people would have: they talk about all of it when they meet."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from gm.model.scene import Candidate

MERGED_TYPE = "ENCOUNTER"


def merge_same_people(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Merge the encounters of the same people; other scenes stay as they are.

    The strongest one says who starts, where, and how it begins. Of the others come the reasons, the strongest of each
    part, with what they take up and what each one knows. What somebody has in mind comes along only if they start.
    """
    merged: dict[object, Candidate] = {}
    for number, item in enumerate(sorted(candidates, key=lambda item: -item.score)):
        key: object = frozenset(item.cast) if _can_be_merged(item) else number
        merged[key] = _merge(merged[key], item) if key in merged else item
    return list(merged.values())


def _can_be_merged(item: Candidate) -> bool:
    return item.type == MERGED_TYPE and not any(reason.part in ("event", "brief") for reason in item.reasons)


def _merge(first: Candidate, other: Candidate) -> Candidate:
    parts = {reason.part for reason in first.reasons}
    fresh = tuple(reason for reason in other.reasons if reason.part not in parts)
    if not fresh:
        return first
    intent = first.intent or (other.intent if other.cast[0] == first.cast[0] else "")
    return replace(
        first,
        reasons=(*first.reasons, *fresh),
        topic=first.topic or other.topic,
        intent=intent,
        answers=tuple(dict.fromkeys((*first.answers, *other.answers))),
        premises={**other.premises, **first.premises},
    )
