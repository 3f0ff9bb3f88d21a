"""Story time: days, scenes, times of day. No wall-clock time."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from gm.base.arguments import check_fields
from gm.base.casefold import casefold
from gm.base.config import TIMES_OF_DAY
from gm.base.config.kinds import form
from gm.base.errors import UsageError

_REF = re.compile(r"day-(?P<day>[0-9]{3,18})(?:/scene-(?P<scene>[0-9]{2,18})(?P<suffix>[a-z]?))?\Z")
_DAY = r"(?:day-)?([0-9]{1,18})"
_DAY_ALONE = re.compile(_DAY)
_DAYS = re.compile(rf"{_DAY}(?:\s*(?:-|\.\.)\s*{_DAY})?")


@dataclass(frozen=True, slots=True, order=True)
class SceneRef:
    """A point in story time: ``day-003/scene-04``, with a letter for an inserted scene (``scene-04b``).

    A whole day (``day-003``, the older node shape) has scene 0 and sorts before the day's scenes.
    """

    day: int
    scene: int = 0
    suffix: str = ""

    def __post_init__(self) -> None:
        if not (type(self.day) is type(self.scene) is int and type(self.suffix) is str):  # many are made
            check_fields(self)

    def __str__(self) -> str:
        text = render_day(self.day)
        return f"{text}/scene-{self.scene:02d}{self.suffix}" if self.scene else text


@lru_cache(maxsize=4096)
def parse_ref(text: str) -> SceneRef | None:
    """Parse ``day-003`` or ``day-003/scene-04b``; None for any other form."""
    match = _REF.match(text)
    if match is None:
        return None
    return SceneRef(int(match["day"]), int(match["scene"] or 0), match["suffix"] or "")


def parse_day(text: str) -> SceneRef | None:
    """Parse a whole day as a person writes it (``3``, ``day-003``); None for any other form."""
    match = _DAY_ALONE.fullmatch(text.strip())
    return SceneRef(int(match[1])) if match else None


def parse_days(text: str, also: str = "") -> tuple[int, int]:
    """Parse a day (``3``, ``day-003``) or a range of days (``3-5``, ``day-003..day-005``).

    Args:
        also: What the caller takes besides, for the hint.

    Raises:
        UsageError: Malformed, or it ends before it begins.
    """
    match = _DAYS.fullmatch(text.strip())
    if match is None:
        raise UsageError(f"{text!r} is not a range of story days", f"write 3, day-003, 3-5 or day-003..day-005{also}")
    first, last = int(match[1]), int(match[2] or match[1])
    if last < first:
        raise UsageError(f"{text!r} ends before it begins", f"write {last}-{first}")
    return first, last


@lru_cache(maxsize=4096)
def moment_of(text: str) -> SceneRef:
    """Return what ``parse_ref`` returns; before the story, ``SceneRef(0)``, for any other form."""
    return parse_ref(text) or SceneRef(0)


def by_end(text: str) -> tuple[int, bool, SceneRef, str]:
    """Return a key that sorts moments by when they are over: a whole day after its scenes, any other form first."""
    ref = moment_of(text)
    return ref.day, not ref.scene, ref, text


MOMENT = form("a text like day-003/scene-04", "^day-[0-9]{3,18}(/scene-[0-9]{2,18}[a-z]?)?$")
"""A scene or a whole day: ``created`` of a memory, ``at`` of an event."""


def render_day(day: int) -> str:
    """Return ``day-003``."""
    return f"day-{day:03d}"


def weekday(day: int, names: Sequence[str]) -> str:
    """Return the weekday of a story day; day 1 has the first name. Empty without names or day."""
    return names[(day - 1) % len(names)] if names and day > 0 else ""


def is_known_weekday(name: str) -> bool:
    """Return whether a word is a weekday of a declared language, abbreviated or not (``Do.``, ``thurs``)."""
    return isinstance(_weekday_key(name), int)


def same_weekday(one: str, other: str) -> bool:
    """Return whether two words mean the same weekday; names in other languages are compared case folded."""
    return _weekday_key(one) == _weekday_key(other)


@lru_cache(maxsize=256)
def _weekday_key(name: str) -> int | str:
    from gm.base.languages import all_languages  # most commands need no language

    plain = casefold(name).rstrip(".")
    for known in all_languages():
        for number, (whole, short) in enumerate(zip(known.weekdays, known.short_weekdays, strict=True)):
            if plain in (casefold(whole), *short.split()):
                return number
    return plain


def time_rank(time: str) -> int:
    """Return the rank of a time of day within a day.

    ``late-afternoon`` has the rank of the last known word in it; anything else counts as ``afternoon``.
    """
    found = [rank for rank, known in enumerate(TIMES_OF_DAY) if known in time.lower()]
    return max(found) if found else TIMES_OF_DAY.index("afternoon")


def is_time_of_day(time: str) -> bool:
    """Return whether a word is one of ``TIMES_OF_DAY``."""
    return time in TIMES_OF_DAY
