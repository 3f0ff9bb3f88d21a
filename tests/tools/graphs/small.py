"""Small casts and memories for graphs."""

from __future__ import annotations

from dataclasses import dataclass

from gm.tools.graphs.base import Cast, Met

GERMAN = Cast("de", {"ada": "Ada Ähre", "bo": "Bo Bölling", "cem": "Cem Çelik"})
ENGLISH = Cast("en", {"ada": "Ada Ash", "bo": "Bo Burr"})


@dataclass(frozen=True)
class Memory:
    """A memory without a text."""

    id: str
    day: int = 1
    scene: int = 1
    type: str = "observation"
    depth: int = 0
    importance: int = 5
    tags: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    suffix: str = ""

    @property
    def serial(self) -> int:
        return int(self.id.rpartition("-")[2])


def insight(
    identifier: str, *evidence: str, day: int = 1, scene: int = 9, depth: int = 1, importance: int = 5
) -> Memory:
    return Memory(identifier, day, scene, "reflection", depth, importance, evidence=evidence)


def met(day: int, *cast: str, scene: int = 1, kind: str = "ENCOUNTER") -> Met:
    return Met(day, scene, kind, cast)
