"""What one character thinks of another one, and a line of the history of that."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from gm.config import kinds
from gm.config.kinds import Kind
from gm.model.record import Key, Record, text_key

LAYER = "relationships"
TRUST = "trust_level"
COUNT = "interaction_count"
MET = "first_met_at"
STATED = ("relationship_type", TRUST, "emotional_tone", "rationale", "relationship_notes")
"""What only the character itself says, in a reply."""
LEAST_TRUST, MOST_TRUST = -1.0, 1.0
DIGITS = 2


@dataclass(frozen=True, slots=True)
class Relationship:
    """What a character thinks of another one; ``RELATIONSHIP`` says what each attribute holds.

    Source:
        Document 003, relationship graph.
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
    """What one scene changes in what a character thinks of another one.

    Attributes:
        other: Id of the other one.
        at: The scene, as in ``created``.
        values: New values by key.
        old: The values they replace, for those keys that are kept in the history.
        why: Why, in the character's words; empty for what the Game Master counted.
    """

    other: str
    at: str
    values: Mapping[str, object]
    old: Mapping[str, object] = field(default_factory=dict)
    why: str = ""

    @property
    def is_history(self) -> bool:
        """Whether the change gets a line in the history. Mere counting does not: the logbook tells it."""
        return any(key != COUNT for key in self.values)


def clip_trust(value: float) -> float:
    """Bring a number into the range of trust, with two digits after the point."""
    return round(min(MOST_TRUST, max(LEAST_TRUST, value)), DIGITS) + 0.0  # no negative zero


RELATIONSHIP = Record(
    Relationship,
    "relationship",
    text_key("relationship_type", "ally, rival, mentor, romantic_partner, neutral …; empty = nothing said yet"),
    Key(
        TRUST,
        Kind(
            "a number",
            lambda value: kinds.is_number(value) and math.isfinite(value),
            kinds.between(LEAST_TRUST, MOST_TRUST).schema,
            keep=clip_trust,
        ),
        "a number from -1 (thinks them capable of anything) over 0 to 1 (trusts them blindly)",
        default=0.0,
        null=True,
    ),
    text_key("emotional_tone", "how it feels at the moment"),
    text_key("rationale", "why, in the character's words"),
    Key(
        COUNT,
        kinds.counted(0),
        "how many scenes the two had with each other; the Game Master counts them",
        default=0,
        null=True,
    ),
    text_key(MET, "the first of these scenes, such as day-003/scene-04"),
    text_key("relationship_notes", "what the character wants to keep in mind about the other one"),
    code="relationship-value",
)
"""An entry of ``state/relationships/<name>.json``."""
KEYS = tuple(key.name for key in RELATIONSHIP.keys)


def relationship_from_record(record: object) -> Relationship:
    """Read an entry: unknown keys are left alone, null counts as absent, trust is brought into its range.

    Raises:
        RecordError: A value cannot be read unambiguously.
    """
    return RELATIONSHIP.read(record)


def render_history(change: RelationshipChange) -> str:
    """Write a line of ``state/relationships/<name>.history.jsonl``."""
    new = {key: value for key, value in change.values.items() if key != COUNT}
    record = {"at": change.at, "with": change.other, "old": dict(change.old), "new": new, "why": change.why}
    return json.dumps(record, ensure_ascii=False)


def advance_relationships(
    known: Mapping[str, Relationship] | None, changes: Iterable[RelationshipChange]
) -> Mapping[str, Relationship] | None:
    """Apply changes to what a character thinks of others."""
    found: dict[str, Relationship] | None = None
    for change in changes:
        found = dict(known or {}) if found is None else found
        before = found.get(change.other, Relationship())
        values: dict[str, Any] = {key: change.values.get(key, getattr(before, key)) for key in KEYS}
        found[change.other] = Relationship(**values)
    return known if found is None else found
