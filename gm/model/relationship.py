"""What one character thinks of another one, and a line of the history of that (S3-16, S3-17)."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

LAYER = "relationships"
TRUST = "trust_level"
COUNT = "interaction_count"
MET = "first_met_at"
STATED = ("relationship_type", TRUST, "emotional_tone", "rationale", "relationship_notes")
"""What only the character itself says, in a reply."""
KEYS = ("relationship_type", TRUST, "emotional_tone", "rationale", COUNT, MET, "relationship_notes")
LEAST_TRUST, MOST_TRUST = -1.0, 1.0
DIGITS = 2


class RelationshipError(ValueError):
    """Something in an entry that cannot be read; ``key`` names it, empty for the entry itself."""

    def __init__(self, key: str, message: str) -> None:
        super().__init__(message)
        self.key = key


@dataclass(frozen=True, slots=True)
class Relationship:
    """What somebody thinks of one other character: an entry of ``state/relationships/<name>.json``.

    Attributes:
        relationship_type: ally, rival, mentor, romantic_partner, neutral … free text; empty = nothing said yet.
        trust_level: From -1 (thinks them capable of anything) over 0 to 1 (trusts them blindly). The source names no
            range; this one has a middle, and a sign that a person can read.
        emotional_tone: How it feels at the moment.
        rationale: Why, in the character's words.
        interaction_count: Scenes in which the two dealt with each other; the Game Master counts them.
        first_met_at: The first of them, as in ``created``.
        relationship_notes: What the character wants to keep in mind about the other one.

    Source:
        Document 003, relationship graph (S3-16).
    """

    relationship_type: str = ""
    trust_level: float = 0.0
    emotional_tone: str = ""
    rationale: str = ""
    interaction_count: int = 0
    first_met_at: str = ""
    relationship_notes: str = ""

    @property
    def is_stated(self) -> bool:
        """Whether the character, or a person, has said anything about it yet."""
        return any(getattr(self, key) for key in STATED)


@dataclass(frozen=True, slots=True)
class RelationshipChange:
    """What one scene changes in what somebody thinks of one other character.

    Attributes:
        other: Id of the other one.
        at: The scene, as in ``created``.
        values: New values by key.
        old: The values they replace, for those keys that are kept in the history.
        why: Why, in the character's words; empty for what the Game Master counted.
    """

    other: str
    at: str
    values: Mapping[str, Any]
    old: Mapping[str, Any] = field(default_factory=dict)
    why: str = ""

    @property
    def is_history(self) -> bool:
        """Whether the change gets a line in the history. Mere counting does not: the logbook tells it."""
        return any(key != COUNT for key in self.values)


def clip_trust(value: float) -> float:
    """Bring a number into the range of trust, with two digits after the point."""
    return round(min(MOST_TRUST, max(LEAST_TRUST, value)), DIGITS) + 0.0  # no negative zero


def relationship_from_record(record: object) -> Relationship:
    """Read an entry tolerantly: unknown keys are left alone, null is nothing, trust is brought into its range.

    Raises:
        RelationshipError: A value cannot be read unambiguously.
    """
    if not isinstance(record, Mapping):
        raise RelationshipError("", f'{_shown(record)} found, an object expected: {{"relationship_type": …}}')
    values: dict[str, Any] = {}
    for key in KEYS:
        value = record.get(key)
        if value is None:
            continue
        if key == TRUST:
            values[key] = clip_trust(_number(key, value))
        elif key == COUNT:
            number = _number(key, value)
            if number < 0 or not number.is_integer():
                raise RelationshipError(key, f"{key} is {_shown(value)}, expected a whole number, at least 0")
            values[key] = int(number)
        elif isinstance(value, str):
            values[key] = value
        else:
            raise RelationshipError(key, f"{key} is {_shown(value)}, expected a text")
    return Relationship(**values)


def render_history(change: RelationshipChange) -> str:
    """Write a line of ``state/relationships/<name>.history.jsonl``."""
    new = {key: value for key, value in change.values.items() if key != COUNT}
    record = {"at": change.at, "with": change.other, "old": dict(change.old), "new": new, "why": change.why}
    return json.dumps(record, ensure_ascii=False)


def advance_relationships(
    known: Mapping[str, Relationship] | None, changes: Iterable[RelationshipChange]
) -> Mapping[str, Relationship] | None:
    """Take changes into what somebody thinks of others; without any, it stays as it is."""
    found: dict[str, Relationship] | None = None
    for change in changes:
        found = dict(known or {}) if found is None else found
        before = found.get(change.other, Relationship())
        found[change.other] = Relationship(**{key: change.values.get(key, getattr(before, key)) for key in KEYS})
    return known if found is None else found


def _number(key: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise RelationshipError(key, f"{key} is {_shown(value)}, expected a number")
    return float(value)


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "…"
