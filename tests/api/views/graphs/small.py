"""Small casts and memories for graphs."""

from __future__ import annotations

from gm.api.views.graphs.base import Cast, Met
from gm.files.streams.find import STREAM
from gm.files.streams.rows import MemoryRow

GERMAN = Cast("de", {"ada": "Ada Ähre", "bo": "Bo Bölling", "cem": "Cem Çelik"})
ENGLISH = Cast("en", {"ada": "Ada Ash", "bo": "Bo Burr"})


def memory(
    identifier: str, day: int = 1, scene: int = 1, *, importance: int = 5, tags: tuple[str, ...] = ()
) -> MemoryRow:
    """A memory without a text."""
    return MemoryRow(
        identifier, _serial(identifier), 1, 0, 0, day, scene, "", "observation", 0, importance, tags, (), STREAM
    )


def _serial(identifier: str) -> int:
    return int(identifier.rpartition("-")[2])


def insight(
    identifier: str, *evidence: str, day: int = 1, scene: int = 9, depth: int = 1, importance: int = 5
) -> MemoryRow:
    lived = memory(identifier, day, scene, importance=importance)
    return lived._replace(type="reflection", depth=depth, evidence=evidence)


def met(day: int, *cast: str, scene: int = 1, kind: str = "ENCOUNTER") -> Met:
    return Met(day, scene, kind, cast)
