"""What a character has beside its persona and its memory stream, a file for each: the layers of its mind (DESIGN 1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gm.model.diary import DiaryEntry
from gm.model.relationship import Relationship, RelationshipChange


@dataclass(frozen=True, slots=True)
class Mind:
    """The layers of one character; a layer without a file is None.

    Attributes:
        relationships: What it thinks of others, by their ids.
        diary: Its diary, in the order of the file.
    """

    relationships: Mapping[str, Relationship] | None = None
    diary: tuple[DiaryEntry, ...] | None = None


@dataclass(frozen=True, slots=True)
class MindChange:
    """What one step changes in the layers of one character.

    Attributes:
        relationships: What changes in what it thinks of others, one for each of them.
        diary: What it writes into its diary; None = nothing.
    """

    relationships: tuple[RelationshipChange, ...] = ()
    diary: DiaryEntry | None = None


NO_MIND = Mind()
