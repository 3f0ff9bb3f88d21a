"""What is kept of a source: of memories each text once, and the newest; of files copies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gm.api.imports.account import Account
from gm.api.imports.arrival import Memory
from gm.api.imports.fields import counted, line_of
from gm.base.texts import clip
from gm.memory.recall.words import chunk_text
from gm.scene.names import slug

MOST_MEMORIES = 400
"""Memories of one character; of more, the newest are kept."""
LONGEST_MEMORY = 600
"""Characters of a memory."""
MOST_PIECES = 8
"""Memories that a long text may become."""


def keep_copy(kept: dict[str, bytes], before: str, ending: str, raw: bytes) -> None:
    """Add a copy for ``Arrival.kept``.

    Args:
        before: What tells it from others of this ending, such as its folder; a number does if it is there already.
    """
    part = f".{slug(before, 'file')}" if before else ""
    number = 1
    while (name := f"{part}{'' if number == 1 else f'-{number}'}{ending}") in kept:
        number += 1
    kept[name] = raw


def sentence_of(value: object) -> str:
    """Return a text as a memory: one line, at a length that can be read."""
    return line_of(value, LONGEST_MEMORY)


def sentences_of(value: object) -> list[str]:
    """Return a longer text as several memories, each of whole sentences."""
    pieces = chunk_text(line_of(value, MOST_PIECES * LONGEST_MEMORY), LONGEST_MEMORY)
    return [clip(piece, LONGEST_MEMORY) for piece in pieces]


def gather_memories(told: Sequence[Memory], account: Account, most: int = MOST_MEMORIES) -> tuple[Memory, ...]:
    """Return the memories that are kept.

    Args:
        told: Oldest first; ``evidence`` are places in it.

    Returns:
        Memories with ``evidence`` as places among them. A text that comes again is a memory once, at its first place
        and with the highest importance; what rests on a memory that is left aside loses that evidence.
    """
    first: dict[tuple[str, str], int] = {}
    merged: list[Memory] = []
    place_of: dict[int, int] = {}
    for number, memory in enumerate(told):
        place = first.setdefault((memory.type, memory.text), len(merged))
        if place == len(merged):
            merged.append(replace(memory, evidence=_moved(memory, place_of, place)))
        elif memory.importance and memory.importance > (merged[place].importance or 0):
            merged[place] = replace(merged[place], importance=memory.importance)
        place_of[number] = place
    if again := len(told) - len(merged):
        account.leave("memories", f"{counted(again, 'memory', 'memories')} with a text that was there already")
    older = max(0, len(merged) - most)
    if older:
        account.leave("memories", f"the oldest {older:,}; the newest {most:,} are kept")
    kept = {place: place - older for place in range(older, len(merged))}
    return tuple(replace(one, evidence=_moved(one, kept, len(merged))) for one in merged[older:])


def _moved(memory: Memory, places: dict[int, int], before: int) -> tuple[int, ...]:
    found = (places[place] for place in memory.evidence if place in places)
    return tuple(sorted({place for place in found if place < before}))
