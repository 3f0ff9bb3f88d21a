"""How sentences name a day; relative days become the days they mean."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial

from gm.base.casefold import casefold
from gm.model.calendar import weekday
from gm.model.world import World

_QUOTED = re.compile('(»[^«]*«|«[^»]*»|„[^“]*“|“[^”]*”|"[^"]*")')

# "Morgen" with a capital is a noun, except where a sentence begins with it
_GERMAN = re.compile(
    r"(?:\b(?P<before>[Bb]is|[Ff]ür|[Aa]b|[Vv]on|[Vv]or|[Nn]ach|[Ss]eit|[Aa]uf|[Zz]u) )?"
    r"(?<!guten )(?<!Guten )(?<!am )(?<!jeden )"
    r"\b(?P<day>[Hh]eute|morgen|(?:^|(?<=[.!?:] ))Morgen|[Üü]bermorgen)\b"
    r"(?: (?P<part>[Mm]orgen|[Vv]ormittag|[Mm]ittag|[Nn]achmittag|[Aa]bend|[Nn]acht)\b)?"
    r"(?P<after> ?)"
)
_ENGLISH = re.compile(
    r"(?:\b(?P<before>[Bb]y|[Uu]ntil|[Tt]ill|[Ff]or|[Ff]rom|[Bb]efore|[Aa]fter|[Ss]ince) )?"
    r"\b(?P<day>[Tt]he day after tomorrow|[Tt]oday|[Tt]onight|[Tt]omorrow)\b(?P<genitive>['’]s)?"
)
_AHEAD = {"heute": 0, "morgen": 1, "übermorgen": 2, "today": 0, "tonight": 0, "tomorrow": 1}
_Name = Callable[[int], tuple[str, int]]  # of a day so many days ahead: its weekday, which may be empty, and its number


def say_days(world: World, text: str, day: int) -> str:
    """Return a text with relative days as they were meant on a story day.

    Only in German and English, and never inside quotation marks.
    """
    found = _LANGUAGES.get(world.settings.language)
    if found is None:
        return text
    pattern, say = found
    name = partial(_name, world, day)
    parts = _QUOTED.split(text)  # every second one is quoted
    return "".join(part if number % 2 else pattern.sub(partial(say, name), part) for number, part in enumerate(parts))


def until_day(world: World, text: str, since: int) -> int | None:
    """Return the story day until which a text of day ``since`` holds; None if it names none.

    It names one by a weekday after "until" or "before" in its last such clause.
    """
    until = _UNTIL.get(world.settings.language)
    clause = until.split(text)[1:][-1:] if until else ()
    named = {casefold(name): ahead for ahead in range(7, -1, -1) if (name := _name(world, since, ahead)[0])}
    words = re.findall(r"\w+", casefold(clause[0])) if clause else ()
    return next((since + named[word] for word in words if word in named), None)


_UNTIL: Mapping[str, re.Pattern[str]] = {
    "de": re.compile(r"\b(?:bis|bevor|ehe)\b", re.IGNORECASE),
    "en": re.compile(r"\b(?:until|till|before)\b", re.IGNORECASE),
}


def day_values(world: World, day: int) -> dict[str, object]:
    """Return a story day's number, and its weekday, which may be empty."""
    return {"day": day, "weekday": weekday(day, world.settings.calendar.weekdays)}


def _name(world: World, day: int, ahead: int) -> tuple[str, int]:
    return weekday(day + ahead, world.settings.calendar.weekdays), day + ahead


def _german(name: _Name, found: re.Match[str]) -> str:
    weekday_, day = name(_AHEAD[casefold(found["day"])])
    part = casefold(found["part"] or "")
    before, after = found["before"], found["after"]
    if weekday_ and not before and not part and found["day"].islower() and _follows(found, weekday_):
        return ""
    if weekday_:
        said = f"{weekday_}{part}{after}"
        return f"{before} {said}" if before else f"{_as_begun(found, 'am')} {said}"
    said = f"Tag {day}{', ' + _PARTS[part] if part else ''}{after}"
    return f"{before} {said}" if before else f"{_as_begun(found, 'an')} {said}"


def _follows(found: re.Match[str], weekday_: str) -> bool:
    rest = re.split(r"[.!?]", found.string[found.end() :], maxsplit=1)[0]
    return re.search(rf"\b{re.escape(weekday_)}", rest) is not None


_PARTS = {
    "morgen": "morgens",
    "vormittag": "vormittags",
    "mittag": "mittags",
    "nachmittag": "nachmittags",
    "abend": "abends",
    "nacht": "nachts",
}


def _english(name: _Name, found: re.Match[str]) -> str:
    said = casefold(found["day"])
    weekday_, day = name(_AHEAD.get(said, 2))
    evening = " evening" if said == "tonight" else ""
    when = f"{weekday_ or f'day {day}'}{evening}{found['genitive'] or ''}"
    if found["before"]:
        return f"{found['before']} {when}"
    return when if found["genitive"] else f"{_as_begun(found, 'on')} {when}"


def _as_begun(found: re.Match[str], word: str) -> str:
    return word.capitalize() if found["day"][:1].isupper() else word


_LANGUAGES: Mapping[str, tuple[re.Pattern[str], Callable[[_Name, re.Match[str]], str]]] = {
    "de": (_GERMAN, _german),
    "en": (_ENGLISH, _english),
}
