"""How a world stands: its clock, with what is due, and its bulletin board."""

from __future__ import annotations

from dataclasses import dataclass

NOTE = "note"


@dataclass(frozen=True, slots=True)
class ScheduledEvent:
    """A dated event of ``state/world.json``; ``time`` may be any word (``all-day``).

    ``cast`` are those who take part (``with``; empty = everybody), ``lead`` the one who opens it.
    """

    day: int
    event: str
    time: str = ""
    type: str = ""
    place: str = ""
    cast: tuple[str, ...] = ()
    lead: str = ""


@dataclass(frozen=True, slots=True)
class Clock:
    """The world clock, ``state/world.json``. Its defaults are a new world: day 0, closed."""

    day: int = 0
    day_of_week: str = ""
    time_of_day: str = ""
    scenes_today: int = 0
    scenes_total: int = 0
    scheduled_events: tuple[ScheduledEvent, ...] = ()
    active_briefs: tuple[str, ...] = ()
    artifacts_today: tuple[str, ...] = ()
    studio_status: str = ""
    day_open: bool = False


@dataclass(frozen=True, slots=True)
class Post:
    """Something on the bulletin board.

    ``day`` is the story day after or on which it was put up; ``index`` its place on the board from 0; ``artifact`` the
    path of the piece of work that it is about, if it is about one.
    """

    index: int
    author: str
    type: str
    content: str
    day: int = 0
    scene: int = 0
    artifact: str = ""

    @property
    def key(self) -> str:
        """Stable name of the post inside its world."""
        return f"bulletin/{self.index}"

    @property
    def waits(self) -> bool:
        """Whether it wants to be taken up: a note is there to be read, and nothing else."""
        return self.type != NOTE
