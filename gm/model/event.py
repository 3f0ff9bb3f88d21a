"""What files of events have in common: one event a line, of things that are opened once and closed once."""

from __future__ import annotations

from typing import Protocol

OPEN = "open"


class Event(Protocol):
    """An event of something that has an id."""

    @property
    def id(self) -> str:
        """What it is about."""

    @property
    def event(self) -> str:
        """What happened; ``open`` begins it."""


class EventError(ValueError):
    """A value of a line that cannot be read as an event; ``key`` names it."""

    def __init__(self, key: str, message: str) -> None:
        super().__init__(message)
        self.key = key
