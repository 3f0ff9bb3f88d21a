"""What the line index keeps about one memory file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from gm.files.formats.look import ABSENT, Look


class DayFacts(NamedTuple):
    """The lived memories of a story day in a file.

    Attributes:
        begin: Start of the first line, in bytes.
        end: End of the last line.
        weight: Summed importance.
        lived: How many.
        most: Highest importance.
    """

    begin: int
    end: int
    weight: int
    lived: int
    most: int


@dataclass(slots=True)
class LineCounts:
    """The numbers of lines of each sort in one memory file. Its size does not grow with the file.

    Attributes:
        settled: Whether any later write would certainly have changed the look.
        digest: Digest of what was read; "" if appended bytes could change its meaning.
        in_order: Whether every line is ended and holds a memory, id numbers rise and story days never fall.
        highest: Highest id number, unreadable lines included; 0 = none.
        reflections: Number of lived memories with a depth above 0.
        named: What precedes the number in the ids of evidence and of copied memories; not kept of an archive.
    """

    look: Look = Look(ABSENT)
    settled: bool = False
    size: int = 0
    digest: str = ""
    broken: bool = False
    in_order: bool = True
    lived: int = 0
    beside: int = 0
    highest: int = 0
    last_day: int = 0
    reflections: int = 0
    named: list[str] = field(default_factory=list)

    @property
    def memories(self) -> int:
        """Number of memories, including those beside the stream."""
        return self.lived + self.beside


@dataclass(slots=True)
class LineFacts(LineCounts):
    """Facts about the lines of one memory file. Offsets are in bytes.

    Each column is decimal numbers with spaces between, parsed on demand.

    Attributes:
        days: Number and ``DayFacts`` of each story day.
        places: Line start and index in the stream, from 0, of each reflection.
        artifacts: Line start of each artifact.
    """

    days: bytes = b""
    places: bytes = b""
    artifacts: bytes = b""

    def by_day(self) -> dict[int, DayFacts]:
        """Return what is known of each story day with lived memories."""
        days, *facts = self.day_columns()
        return dict(zip(days, map(DayFacts, *facts), strict=True))

    def day_columns(self) -> list[list[int]]:
        """Return ``by_day`` as columns, the days first, which takes a third of the time."""
        numbers = list(map(int, self.days.split()))
        return [numbers[at::6] for at in range(6)]

    def reflection_places(self) -> list[tuple[int, int]]:
        """Return start of the line, in bytes, and index in the stream of each reflection."""
        numbers = list(map(int, self.places.split()))
        return list(zip(numbers[::2], numbers[1::2], strict=True))
