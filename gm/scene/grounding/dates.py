"""How sentences name a day; relative days become the days they mean."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from gm.base.casefold import casefold
from gm.base.languages import DayWords, language_of
from gm.model.calendar import weekday
from gm.model.world import World

_QUOTED = re.compile('(»[^«]*«|«[^»]*»|„[^“]*“|“[^”]*”|"[^"]*")')


_Name = Callable[[int], tuple[str, int]]  # of a day so many days ahead: its weekday, which may be empty, and its number


def say_days(world: World, text: str, day: int) -> str:
    """Return a text with relative days as they were meant on a story day.

    Only in languages that say how days are named, and never inside quotation marks.
    """
    known = language_of(world.settings.language).days
    if known is None:
        return text
    pattern, say = re.compile(known.pattern), partial(_render_said, known, partial(_name, world, day))
    parts = _QUOTED.split(text)  # every second one is quoted
    return "".join(part if number % 2 else pattern.sub(say, part) for number, part in enumerate(parts))


def until_day(world: World, text: str, since: int) -> int | None:
    """Return the story day until which a text of day ``since`` holds; None if it names none.

    It names one by a weekday after "until" or "before" in its last such clause.
    """
    known = language_of(world.settings.language).days
    clause = re.split(rf"\b(?:{known.until})\b", text, flags=re.IGNORECASE)[1:][-1:] if known else ()
    named = {casefold(name): ahead for ahead in range(7, -1, -1) if (name := _name(world, since, ahead)[0])}
    words = re.findall(r"\w+", casefold(clause[0])) if clause else ()
    return next((since + named[word] for word in words if word in named), None)


def day_values(world: World, day: int) -> dict[str, object]:
    """Return a story day's number, and its weekday, which may be empty."""
    return {"day": day, "weekday": weekday(day, world.settings.calendar.weekdays)}


def _name(world: World, day: int, ahead: int) -> tuple[str, int]:
    return weekday(day + ahead, world.settings.calendar.weekdays), day + ahead


def _render_said(known: DayWords, name: _Name, found: re.Match[str]) -> str:
    weekday_, day = name(known.ahead[casefold(found["day"])])
    part, before, after = casefold(found["part"] or ""), found["before"], found["after"]
    is_plain = not before and not part and found["day"].islower()
    if known.by_weekday and weekday_ and is_plain:
        if _is_followed(found, known.by_weekday, weekday_):
            return ""
        if _is_followed(found, r"\w+ ", weekday_, r"\b"):
            return found[0]  # "today is Wednesday": the sentence says which day it means
    column = 0 if weekday_ else 1
    when = f"{weekday_ or known.number.format(day)}{known.parts[part][column] if part else ''}{after}"
    if before:
        return f"{before} {when}"
    return when if after.strip() else f"{_as_begun(found, known.preposition[column])} {when}"


def _is_followed(found: re.Match[str], between: str, weekday_: str, end: str = "") -> bool:
    return re.match(rf"(?:{between})\b{re.escape(weekday_)}{end}", found.string[found.end() :]) is not None


def _as_begun(found: re.Match[str], word: str) -> str:
    return word.capitalize() if found["day"][:1].isupper() else word
