"""What is kept of a source: each memory once, the newest ones; copies of files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from gm.api.answers.speech import Words
from gm.api.imports.arrival import Account, Memory
from gm.api.imports.fields import line_of
from gm.base.texts import clip, counted
from gm.memory.recall.words import chunk_text
from gm.scene.pieces.names import slug

MOST_MEMORIES = 400
"""Memories of one character; of more, the newest are kept."""
LONGEST_MEMORY = 600
"""Characters of a memory."""
MOST_PIECES = 8
"""Memories that a long text may become."""
LONGEST_LINE, SHORTEST_LINE = 320, 40
"""Characters of what one person says in a memory of a few lines, and of very many."""


@dataclass(frozen=True, slots=True)
class SaidLine:
    """What a person says, on one line."""

    who: str
    said: str


def keep_copies(copies: Iterable[tuple[str, str, bytes]]) -> dict[str, bytes]:
    """Return copies for ``Arrival.kept``.

    Args:
        copies: What tells a copy from others of its ending (a folder, or empty), its ending, and its bytes. A number
            is added if the name is taken.
    """
    kept: dict[str, bytes] = {}
    for before, ending, raw in copies:
        part = f".{slug(before, 'file')}" if before else ""
        number = 1
        while (name := f"{part}{'' if number == 1 else f'-{number}'}{ending}") in kept:
            number += 1
        kept[name] = raw
    return kept


def sentence_of(value: object) -> str:
    """Return a text as a one-line memory of bounded length."""
    return line_of(value, LONGEST_MEMORY)


def split_memories(value: object) -> list[str]:
    """Split a long text into memories of whole sentences."""
    pieces = chunk_text(line_of(value, MOST_PIECES * LONGEST_MEMORY), LONGEST_MEMORY)
    return [clip(piece, LONGEST_MEMORY) for piece in pieces]


def gather_memories(memories: Sequence[Memory], account: Account) -> tuple[Memory, ...]:
    """Keep the newest ``MOST_MEMORIES``; a repeated text stays at its first place with its highest importance.

    Args:
        memories: Oldest first; ``evidence`` are places in it.

    Returns:
        Memories with ``evidence`` as places among them; dropped evidence is lost.
    """
    first: dict[tuple[str, str], int] = {}
    merged: list[Memory] = []
    place_of: dict[int, int] = {}
    for number, memory in enumerate(memories):
        place = first.setdefault((memory.type, memory.text), len(merged))
        if place == len(merged):
            merged.append(replace(memory, evidence=_move_evidence(memory, place_of, place)))
        elif memory.importance and memory.importance > (merged[place].importance or 0):
            merged[place] = replace(merged[place], importance=memory.importance)
        place_of[number] = place
    if again := len(memories) - len(merged):
        account.leave("memories", f"{counted(again, 'memory')} with a text that was there already")
    older = max(0, len(merged) - MOST_MEMORIES)
    if older:
        account.leave("memories", f"the oldest {older:,}; the newest {MOST_MEMORIES:,} are kept")
    kept = {place: place - older for place in range(older, len(merged))}
    return tuple(replace(one, evidence=_move_evidence(one, kept, len(merged))) for one in merged[older:])


def render_exchange(lines: Sequence[SaidLine], words: Words, before: str = "") -> str:
    """Return lines as one text with their speakers; long lines are shortened so that none is lost."""
    room = (LONGEST_MEMORY - len(before)) // max(1, len(lines))
    most = min(LONGEST_LINE, max(SHORTEST_LINE, room - max((len(line.who) for line in lines), default=0) - 5))
    spoken = " ".join(words("spoken", who=line.who, text=clip(line.said, most)) for line in lines)
    return clip(f"{before.rstrip('.: ')}: {spoken}" if before else spoken, LONGEST_MEMORY)


def _move_evidence(memory: Memory, places: dict[int, int], before: int) -> tuple[int, ...]:
    found = (places[place] for place in memory.evidence if place in places)
    return tuple(sorted({place for place in found if place < before}))
