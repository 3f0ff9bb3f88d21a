"""What is decided by the language of a world, declared once: one file for each language beside this module."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from gm.base.casefold import casefold
from gm.base.frontmatter import load_safely

ENGLISH = "en"
"""The language that speaks where another has no words."""
FOLDER: Traversable = files(__name__)
NEVER = re.compile("(?!)")
_SAID = ("weekdays", "signals", "marks", "date", "place")
_CODE = re.compile(r"[a-z]{2,8}\Z")


@dataclass(frozen=True, slots=True)
class DayWords:
    """How sentences name days ahead (``gm.scene.dates``).

    Attributes:
        pattern: Finds one, with the groups ``before``, ``day``, ``part``, ``after``.
        until: Words before the day until which something holds.
        ahead: Days from today, by the word for them.
        parts: What is said for a part of the day behind a weekday, and behind a number.
        preposition: Before a weekday, and before a number.
        by_weekday: Whether the word goes where its weekday follows.
    """

    pattern: str
    until: str
    ahead: Mapping[str, int]
    parts: Mapping[str, tuple[str, str]]
    preposition: tuple[str, str]
    number: str
    by_weekday: bool = False


@dataclass(frozen=True, slots=True)
class HourWords:
    """How sentences name hours (``gm.scene.hours``); patterns of case-folded texts.

    Attributes:
        before: Words before a clock time.
        clocks: Patterns with the groups ``rel``, ``hour``, ``minute``, ``beside``, ``half_day``, in which ``{by}``,
            ``{hour}`` and ``{end}`` stand for the words before, the hour, and what may follow.
        ends: Words that may follow a clock time of which only the number is said.
        beside: Minutes from the hour.
        relations: -1 = before, 0 = at, 1 = after.
        meals: Their minute of the day.
        parts: Times of day, by patterns.
    """

    before: str
    clocks: tuple[str, ...]
    end: str
    ends: str
    numbers: str
    beside: Mapping[str, int]
    relations: Mapping[str, int]
    meals: Mapping[str, int]
    parts: Mapping[str, str]
    first: str
    anchor: str


@dataclass(frozen=True, slots=True)
class Language:
    """A language. Without an entry, gm says the words of English, and reads nothing.

    Attributes:
        weekdays: Monday first.
        short_weekdays: Other names of each, case folded, with spaces between.
        signals: Words that make a memory important.
        marks: Those of thousands and of decimals.
        date: Format of a real date.
        place: Format of a place's name in a sentence.
        capital_nouns: Whether nouns are capitalised.
        stemmer: Name of the Snowball stemmer.
        stop_words: Case folded.
        small_words: Words by which the language of a text is recognised.
        links: What may stand between the parts of a compound; empty = there are no compounds.
        turned: Vowels that change in other forms of a word (``Turm``, ``Türme``), as they are searched.
        lessons: Words for the prefixes of lessons.
        not_knowing: Phrases of which one stands in an answer of not knowing.
        shows: Words that say that a piece is shown or read aloud.
        not_read: Words that say that something is not to be read.
    """

    code: str
    weekdays: tuple[str, ...]
    signals: tuple[str, ...]
    marks: str
    date: str
    place: str
    short_weekdays: tuple[str, ...] = ("",) * 7
    capital_nouns: bool = False
    stemmer: str = ""
    stop_words: frozenset[str] = frozenset()
    small_words: frozenset[str] = frozenset()
    links: tuple[str, ...] = ()
    turned: Mapping[str, str] = field(default_factory=dict)
    lessons: Mapping[str, str] = field(default_factory=dict)
    not_knowing: tuple[str, ...] = ()
    shows: re.Pattern[str] = NEVER
    not_read: re.Pattern[str] = NEVER
    days: DayWords | None = None
    hours: HourWords | None = None


@cache
def languages() -> tuple[str, ...]:
    """Return the codes of the declared languages."""
    return tuple(sorted(file.name.removesuffix(".yaml") for file in FOLDER.iterdir() if file.name.endswith(".yaml")))


@cache
def language_of(code: str) -> Language:
    """Return the language of a setting; ``de-AT`` is German, one that is not declared says the words of English."""
    plain = _plain(code)
    own = _declared(plain) if plain in languages() else {"code": code}
    return _made({**{key: _declared(ENGLISH)[key] for key in _SAID}, **own})


def spoken_in(folder: Traversable, code: str, ending: str = ".yaml") -> str:
    """Return the code of a language if a folder has its words, else that of English."""
    plain = _plain(code)
    path = folder / f"{plain}{ending}"
    return plain if _CODE.match(plain) and (path.is_file() or path.is_dir()) else ENGLISH


def _plain(code: str) -> str:
    return code.strip().replace("_", "-").partition("-")[0].lower()


@cache
def _declared(code: str) -> Mapping[str, Any]:
    return {"code": code, **load_safely((FOLDER / f"{code}.yaml").read_text(encoding="utf-8"))}


def _made(values: Mapping[str, Any]) -> Language:
    found: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in values.items()}
    found |= {
        key: frozenset(map(casefold, found[key].split())) for key in ("stop_words", "small_words") if key in found
    }
    found |= {key: re.compile(found[key], re.IGNORECASE) for key in ("shows", "not_read") if key in found}
    found |= {key: kind(**found[key]) for key, kind in (("days", DayWords), ("hours", HourWords)) if key in found}
    return Language(**found)
