"""The numbers in answers to the question for the importance of memories.

Nothing is guessed: two different numbers for one memory, or a wrong count, is a reported problem.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gm.ask.reply.extract import MOST_CHARACTERS, extract_object
from gm.ask.reply.importance import VALUE, number_of, numbers_in
from gm.ask.reply.parse import Parsed, validate_reply
from gm.model.replies import RatingReply, RatingsReply

KEY = "importance"
FROM_TEXT = "number taken out of the text"

_REASON = r"(?:\s*[(,;]\s*[^\d\s].*|\s+[–—-]\s+[^\d\s].*)?"
_LINE = re.compile(rf"(?:[-*•]\s+)?(?:#?(?P<number>\d+)(?:\.\s|\s*[):]|\s+[–—=-]\s)\s*)?{VALUE}\.?{_REASON}")
_ECHO = re.compile(rf"(?:[-*•]\s+)?#?(?P<number>\d+)\s*[.):]\s.*(?:[:–—=→]|->)\s*{VALUE}\.?")
_LIST = re.compile(r"\[?\s*(-?\d+(?:[\s,;]+-?\d+)*)\s*\]?")
_BRACKETED = re.compile(r"\[\s*(-?\d+(?:[\s,;]+-?\d+)*)\s*\]")


def parse_rating(text: str) -> Parsed[RatingReply]:
    """Read the importance of one memory: ``7``, ``{"importance": 7}``, ``**7**/10, because …``."""
    if len(text) > MOST_CHARACTERS:
        return Parsed(None, ("the answer is much too long: a number from 1 to 10 is expected",))
    found, repairs = _object(text)
    if isinstance(found, list) and len(found) == 1:
        found, repairs = found[0], (*repairs, "taken out of a list of one")
    if found is None or isinstance(found, str):
        plain = text.strip() if found is None else found.strip()
        numbers = numbers_in(plain)
        if len(numbers) != 1:
            return Parsed(None, (_not_one(numbers, text),), repairs)
        found = numbers[0]
        repairs = repairs if plain.isdecimal() else (*repairs, FROM_TEXT)
    return validate_reply({KEY: found}, RatingReply, repairs)


def parse_ratings(text: str, count: int) -> Parsed[RatingsReply]:
    """Read the importance of ``count`` memories; any other number of ratings is a problem, never cut or filled up.

    Args:
        text: One number a line, numbered or not, or ``{"importance": [7, 3]}``.
    """
    if len(text) > MOST_CHARACTERS:
        return Parsed(None, (f"the answer is much too long: {count} numbers from 1 to 10 are expected",))
    found, repairs = _object(text)
    if isinstance(found, dict):
        found = _in_order(found)
    if found is None or isinstance(found, str):
        plain = text if found is None else found
        found, wrong = _lines(plain)
        if wrong:
            return Parsed(None, (wrong,), repairs)
        repairs = repairs if _is_plain(plain) else (*repairs, "numbers taken out of the text")
    if not isinstance(found, list):
        found = [found]
    if len(found) != count:
        wanted = f"{count} expected: one for each memory, in their order"
        return Parsed(None, (f"{len(found)} number{'s' if len(found) != 1 else ''} found, {wanted}",), repairs)
    return validate_reply({KEY: found}, RatingsReply, repairs)


def _object(text: str) -> tuple[object, tuple[str, ...]]:
    found = extract_object(text, (KEY, KEY.capitalize()))
    if found is None:
        return None, ()
    lowered = {key.lower(): value for key, value in found.data.items()}
    # a null is treated as an empty text: a missing number
    return ("" if lowered[KEY] is None else lowered[KEY], found.repairs) if KEY in lowered else (None, ())


def _not_one(numbers: list[int | float], text: str) -> str:
    if numbers:
        shown = ", ".join(f"{number:g}" for number in numbers[:6])
        return f"several numbers found ({shown}): one from 1 to 10 is expected"
    shown = " ".join(text.split())[:80]
    return f"no number found; the answer begins: {shown!r}"


def _lines(text: str) -> tuple[list[int | float], str]:
    plain = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith(("```", "~~~"))).strip()
    whole = _LIST.fullmatch(plain)
    bracketed = _BRACKETED.findall(plain)
    if whole or len(bracketed) == 1:
        return [number_of(item) for item in re.split(r"[\s,;]+", whole[1] if whole else bracketed[0])], ""
    values: list[int | float] = []
    for match in _ratings(plain):
        values.append(number_of(match["value"]))
        if match["number"] and float(match["number"]) != len(values):
            return [], f"rating {len(values)} is numbered {match['number'][:20]}: one for each memory, in their order"
    return values, ""


def _ratings(text: str) -> Iterator[re.Match[str]]:
    for line in text.splitlines():
        match = _LINE.fullmatch(line.strip()) or _ECHO.fullmatch(line.strip())
        if match:
            yield match


def _is_plain(text: str) -> bool:
    return all(line.strip().isdecimal() for line in text.strip().splitlines())


def _in_order(values: dict[str, object]) -> list[object] | dict[str, object]:
    """``{"1": 7, "2": 3}`` as the list it means; other objects unchanged."""
    numbered = [str(number + 1) for number in range(len(values))]
    return [values[key] for key in numbered] if sorted(numbered) == sorted(values) else values
