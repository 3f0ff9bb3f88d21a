"""What is decided by the language of a world, declared once: one file for each language beside this module."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache
from pathlib import Path
from types import UnionType
from typing import TYPE_CHECKING, Any, TypeVar, get_args, get_origin, get_type_hints

from gm.base.casefold import casefold
from gm.base.frontmatter import load_safely

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from _typeshed import DataclassInstance

ENGLISH = "en"
"""The language that speaks where another has no words."""
FOLDER = Path(__file__).parent
NEVER = re.compile("(?!)")
_SAID = ("weekdays", "signals", "marks", "date", "place", "memory_head")
_CODE = re.compile(r"[a-z]{2,8}\Z")


@dataclass(frozen=True, slots=True)
class DayWords:
    """How sentences name days ahead (``gm.scene.grounding.hours``).

    Attributes:
        pattern: Finds one, with the groups ``before``, ``day``, ``part``, ``after``.
        until: Words before the day until which something holds.
        ahead: Days from today, by the word for them.
        parts: What is said for a part of the day behind a weekday, and behind a number.
        preposition: Before a weekday, and before a number.
        by_weekday: What may stand between the word and its weekday where the word then goes; empty = it never does.
    """

    pattern: str
    until: str
    ahead: Mapping[str, int]
    parts: Mapping[str, tuple[str, str]]
    preposition: tuple[str, str]
    number: str
    by_weekday: str = ""


@dataclass(frozen=True, slots=True)
class HourWords:
    """How sentences name hours (``gm.scene.grounding.hours``); patterns of case-folded texts.

    Attributes:
        before: Words before a clock time.
        clocks: Patterns with the groups ``rel``, ``hour``, ``minute``, ``beside``, ``half_day``, in which ``{by}``,
            ``{hour}`` and ``{end}`` stand for the words before, the hour, and what may follow.
        ends: Words that may follow a clock time given by its number alone.
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
class DateWords:
    """How questions and memories name dates, spans of time and numbers (``gm.memory.recall.dates``).

    All are patterns of case-folded texts.

    Attributes:
        months: January first.
        also_words: Months that are other words too: they count beside a number, or after ``at``.
        at: Words before a month.
        of: Words between a day and its month.
        ordinals: Endings of a day's number, beside a full stop.
        past: Days before today, by the word for them.
        ago: Days counted back from today, with the group ``count``.
        counts: Numbers from one on, as ``ago`` counts.
        last_week: The week before this one.
        last: Words before a weekday that is past.
        times: Words that tell a time, beside months, weekdays and units.
        units: Units of time.
        numbers: Words that tell a number.
        asks_time: A question for a time.
        asks_number: A question for a number.
    """

    months: tuple[str, ...]
    at: str
    of: str
    past: Mapping[str, int]
    ago: str
    counts: tuple[str, ...]
    last_week: str
    last: str
    times: str
    units: str
    numbers: str
    asks_time: str
    asks_number: str
    also_words: frozenset[str] = frozenset()
    ordinals: str = ""


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
        memory_head: What stands before a memory in a prompt, for example: its tokens are estimated by it.
        capital_nouns: Whether nouns are capitalised.
        stemmer: Name of the Snowball stemmer.
        stop_words: Case folded.
        everyday: Words that are no matter of a talk, case folded.
        small_words: Words by which the language of a text is recognised.
        links: What may stand between the parts of a compound; empty = there are no compounds.
        turned: Vowels that change in other forms of a word (``Turm``, ``Türme``), as they are searched.
        lessons: Words for the prefixes of lessons.
        not_knowing: Phrases that mark an answer of not knowing.
        shows: Words that say that a piece is shown or read aloud.
        not_read: Words that say that something is not to be read.
        forms: Words of titles for the form of a text or its place among others; they name none.
        clause_end: What stands between two clauses.
        conjunction: Between the last two of a list.
        story_day: Words before the number of a story day.
        to: Words between the ends of a range.
        out_of: Words before the highest mark.
        everyone: Words for an audience of all.
        agreeing: Words and letters by which a person agrees.
        myself: Words by which those who ask name themselves.
        negations: Words that deny.
        negated: Other forms that deny.
        speaking: Verbs between a speaker and what it says.
        looking_up: Words of every visit to the library.
        titles: Words before a person's name, without a full stop.
        epithets: Words before a name that belong to it, each in all its forms.
        articles: Words before a name all of which is said.
        abbreviated_titles: Those after which a full stop ends no sentence.
        before_names: Words after which a capitalised noun is a name.
        determiners: Pattern of words before a noun and rarely before a name, where nouns are capitalised.
        kin: Names that many call their own family by.
        genders: Words for genders, by the pronoun that they imply.
        no_place: Words in a place's name by which it is not a single place.
        workspaces: What other tools call the key of an agent's place, the surest first.
        reply_format: Words by which a prompt of other tools says how to answer.
        voice_headings: Headings of a persona above how the character talks.
        private_headings: What in a heading of a persona says that the text is to be kept private.
    """

    code: str
    weekdays: tuple[str, ...]
    signals: tuple[str, ...]
    marks: str
    date: str
    place: str
    memory_head: str
    short_weekdays: tuple[str, ...] = ("",) * 7
    capital_nouns: bool = False
    stemmer: str = ""
    stop_words: frozenset[str] = frozenset()
    everyday: frozenset[str] = frozenset()
    small_words: frozenset[str] = frozenset()
    links: tuple[str, ...] = ()
    turned: Mapping[str, str] = field(default_factory=dict)
    lessons: Mapping[str, str] = field(default_factory=dict)
    not_knowing: tuple[str, ...] = ()
    shows: re.Pattern[str] = NEVER
    not_read: re.Pattern[str] = NEVER
    forms: frozenset[str] = frozenset()
    clause_end: re.Pattern[str] = NEVER
    conjunction: str = ""
    story_day: str = ""
    to: str = ""
    out_of: str = ""
    everyone: frozenset[str] = frozenset()
    agreeing: frozenset[str] = frozenset()
    myself: frozenset[str] = frozenset()
    negations: frozenset[str] = frozenset()
    negated: re.Pattern[str] = NEVER
    speaking: frozenset[str] = frozenset()
    looking_up: frozenset[str] = frozenset()
    titles: frozenset[str] = frozenset()
    epithets: frozenset[str] = frozenset()
    articles: frozenset[str] = frozenset()
    abbreviated_titles: frozenset[str] = frozenset()
    before_names: tuple[str, ...] = ()
    determiners: str = ""
    kin: frozenset[str] = frozenset()
    genders: Mapping[str, frozenset[str]] = field(default_factory=dict)
    no_place: frozenset[str] = frozenset()
    workspaces: tuple[str, ...] = ()
    reply_format: str = ""
    voice_headings: frozenset[str] = frozenset()
    private_headings: re.Pattern[str] = NEVER
    days: DayWords | None = None
    hours: HourWords | None = None
    dates: DateWords | None = None


@cache
def languages() -> tuple[str, ...]:
    """Return the codes of the declared languages."""
    return tuple(sorted(file.name.removesuffix(".yaml") for file in FOLDER.iterdir() if file.name.endswith(".yaml")))


@cache
def language_of(code: str) -> Language:
    """Return the language of a setting; ``de-AT`` is German, one that is not declared says the words of English."""
    plain = plain_code(code)
    own = _load_declared(plain) if plain in languages() else {"code": code}
    return make_typed(Language, {**{key: _load_declared(ENGLISH)[key] for key in _SAID}, **own}, f"{plain}.yaml")


def all_languages() -> tuple[Language, ...]:
    """Return the declared languages, for texts whose language is not known."""
    return tuple(map(language_of, languages()))


def either(patterns: Iterable[str]) -> str:
    """Return a pattern of alternatives; it matches nothing if there are none."""
    return "|".join(filter(None, patterns)) or NEVER.pattern


def in_any_language(pick: Callable[[Language], Iterable[str]]) -> frozenset[str]:
    """Return the words that ``pick`` takes from all declared languages."""
    return frozenset(word for one in all_languages() for word in pick(one))


def choose_code(folder: Traversable, code: str, ending: str = ".yaml") -> str:
    """Return the code of a language if a folder has its words, else that of English."""
    plain = plain_code(code)
    path = folder / f"{plain}{ending}"
    return plain if _CODE.match(plain) and (path.is_file() or path.is_dir()) else ENGLISH


def plain_code(code: str) -> str:
    """Return a language's code without its region."""
    return code.strip().replace("_", "-").partition("-")[0].lower()


@cache
def _load_declared(code: str) -> Mapping[str, Any]:
    return {"code": code, **load_safely((FOLDER / f"{code}.yaml").read_text(encoding="utf-8"))}


Made = TypeVar("Made", bound="DataclassInstance")


def make_typed(kind: type[Made], values: object, place: str) -> Made:
    """Make a dataclass of a mapping.

    A set is declared as words with spaces between, which are case folded; a pattern ignores case; a tuple is a list.

    Args:
        place: The file and keys, for messages.

    Raises:
        ValueError: A key is unknown or missing, or a value has another kind.
    """
    if not isinstance(values, Mapping):
        raise ValueError(f"{place}: found {values!r}, expected keys with values")
    known, hints = {one.name for one in fields(kind)}, get_type_hints(kind)
    if unknown := values.keys() - known:
        raise ValueError(f"{place}: unknown: {', '.join(map(str, sorted(unknown, key=str)))}")
    try:
        return kind(**{key: _read_typed(hints[key], value, f"{place}: {key}") for key, value in values.items()})
    except TypeError as error:
        raise ValueError(f"{place}: {error}") from None


def _read_typed(hint: object, value: object, place: str) -> Any:
    if isinstance(hint, UnionType):
        hint = get_args(hint)[0]
    if isinstance(hint, type) and is_dataclass(hint):
        return make_typed(hint, value, place)
    origin, inner = get_origin(hint), get_args(hint)
    if origin is frozenset and isinstance(value, str):
        return frozenset(map(casefold, value.split()))
    if origin is tuple and isinstance(value, list) and (inner[-1] is ... or len(value) == len(inner)):
        return tuple(_read_typed(inner[0], item, f"{place}[{number}]") for number, item in enumerate(value))
    if origin is Mapping and isinstance(value, dict):
        return {
            _read_typed(inner[0], key, place): _read_typed(inner[1], item, f"{place}.{key}")
            for key, item in value.items()
        }
    if origin is re.Pattern and isinstance(value, str):
        return _compile(value, place)
    if isinstance(hint, type) and type(value) is hint:
        return value
    raise ValueError(f"{place}: found {value!r}, expected {hint}")


def _compile(value: str, place: str) -> re.Pattern[str]:
    try:
        return re.compile(value, re.IGNORECASE)
    except re.error as error:
        raise ValueError(f"{place}: no pattern: {error}") from None
