"""What is in one file of memories, in figures: ``tally`` counts it, ``counting`` keeps it in ``state/.gm/``."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Census:
    """What is in one file of memories.

    Attributes:
        memories: How many there are, with those that are kept beside the stream.
        reflections: How many of the stream have a depth above 0.
        highest: Highest number of an id, that of a line that is left out as well; 0 without any.
        days: For each story day that the stream has a memory of: where the first begins and the last ends, in bytes.
        size: So many bytes were looked through.
        look: Size, time and place on the disk of the file.
        print: Names those bytes.
    """

    memories: int = 0
    reflections: int = 0
    highest: int = 0
    days: dict[str, list[int]] = field(default_factory=dict)
    size: int = 0
    look: list[int] = field(default_factory=list)
    print: str = ""
