"""Validation of a reply against its form and size limits."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cache, reduce
from itertools import islice
from typing import Any, Generic, TypeVar, cast

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from gm.ask.reply.extract import extract_object
from gm.base.config import ReplySettings
from gm.base.config.kinds import is_number
from gm.base.languages import all_languages, either
from gm.base.texts import CONTROLS
from gm.memory.importance import weigh_facets
from gm.model.importance_source import IMPORTANCE, REPLY, WEIGHED, weigh_keys
from gm.model.reply_faults import Fault

LEAST, MOST = 1, 10
MOST_CHARACTERS = 200
MOST_PROBLEMS = 12
MOST_KEYS = 100
"""Most keys of an object in a reply; no setting may cut an object's own keys."""
THEMES, BODY = "themes", "body"
LIMITS = ReplySettings()

Form = TypeVar("Form", bound=BaseModel)
Data = TypeVar("Data")


def read_importance(value: object) -> int | None:
    """Return an importance; None when the value is not plainly a number from 1 to 10.

    Plain are 7; 7.5, which is rounded half up; "7", "7/10", "8 (important)".
    """
    if isinstance(value, str):
        numbers = numbers_in(value) if len(value) <= MOST_CHARACTERS else []
        value = numbers[0] if len(numbers) == 1 else None
    if not is_number(value) or not LEAST <= value <= MOST:
        return None
    return math.floor(value + 0.5)


@dataclass(frozen=True, slots=True)
class Settled:
    """A reply's data, with every importance an integer from 1 to 10 or None.

    Attributes:
        read: A sentence for each one read as another value.
        unusable: By place, a sentence for each that counts as missing.
    """

    data: dict[str, object]
    read: tuple[str, ...]
    unusable: Mapping[str, Fault]


def settle_importance(data: Mapping[str, object]) -> Settled:
    """Normalise all importances in a reply; unreadable ones count as missing."""
    settled, read, unusable = dict(data), list[str](), dict[str, Fault]()

    def settle(item: object, where: str) -> object:
        if not isinstance(item, dict) or item.get(IMPORTANCE) is None:
            return item
        given, place = item[IMPORTANCE], f"{where}.{IMPORTANCE}"
        found = read_importance(given)
        if found is None:
            unusable[place] = Fault("no_importance", place=place, shown=_describe_value(given))
        elif found != given:
            read.append(f"{place}: {_describe_value(given)} read as {found}")
        return {**item, IMPORTANCE: found}

    for key in (*WEIGHED, THEMES):
        value = data.get(key)
        if isinstance(value, list):
            settled[key] = [settle(item, f"{key}.{number}") for number, item in enumerate(value)]
        elif isinstance(value, dict):
            settled[key] = settle(value, key)
    return Settled(settled, tuple(read), unusable)


def _describe_value(value: object) -> str:
    return repr(value)[:80] if isinstance(value, str | int | float) else type(value).__name__


# repetitions with overlapping alternatives are bounded: a looping model writes a million asterisks
VALUE = r"[*_`]{0,4}(?P<value>-?\d+(?:[.,]\d+)?)[*_`]{0,4}(?:\s*/\s*10)?"
# not a part of a word, of an id (vera-012) or of a longer number
_NUMBER = re.compile(r"(?<![\w.,/-])-?\d+(?:[.,]\d+)?(?![\w/]|[.,]\d|-\w)")
_ALONE = re.compile(rf"\W{{0,40}}?{VALUE}\s*\.?")


def numbers_in(text: str) -> list[int | float]:
    """Return distinct numbers that may be a rating: those alone on a line, else all."""
    alone = [match["value"] for line in text.splitlines() if (match := _ALONE.fullmatch(line.strip()))]
    numbers = alone or _NUMBER.findall(_scale().sub(" ", text))
    return list(dict.fromkeys(number_of(item) for item in numbers))


@cache
def _scale() -> re.Pattern[str]:
    # the scale itself, which a rating may mention: "1 to 10", "/10", "out of 10"
    to, of = either(one.to for one in all_languages()), either(one.out_of for one in all_languages())
    return re.compile(rf"\b1\s*(?:{to}|–|—|-|…|\.\.\.?)\s*10\b|(?:/|\b(?:{of}))\s*10\b", re.IGNORECASE)


def number_of(text: str) -> int | float:
    """Parse a number with a decimal point or comma."""
    value = float(text.replace(",", "."))
    return int(value) if value.is_integer() else value


@dataclass(frozen=True, slots=True)
class Parsed(Generic[Form]):
    """A reply, or its problems.

    Attributes:
        problems: One sentence each, for the reply's author.
        repairs: What was repaired or ignored.
    """

    reply: Form | None
    problems: tuple[Fault, ...] = ()
    repairs: tuple[str, ...] = ()


def parse_reply(
    text: str,
    form: type[Form],
    *,
    importance_required: bool = False,
    hidden: Collection[str] = (),
    importance_from: str = REPLY,
    limits: ReplySettings = LIMITS,
) -> Parsed[Form]:
    """Parse an answer as a reply.

    Args:
        importance_required: Whether a memory without importance is a problem.
        hidden: Keys not asked for, ignored like unknown ones.
        importance_from: ``reply``, ``facets`` or ``heuristic``.
    """
    found = extract_object(text, form.model_fields)
    if found is None:
        fault = Fault("no_object", shown=quote_beginning(text)) if text.strip() else Fault("empty")
        return Parsed(None, (fault,))
    known = {item.alias or name for name, item in form.model_fields.items()} - set(hidden)
    given, over = bound_reply({key: value for key, value in found.data.items() if key in known}, limits)
    cleaned_data, cleaned = clean_texts(weigh_keys(given, importance_from))
    weighed = settle_importance(cleaned_data)
    mended = (*found.repairs, *(("control characters removed",) if cleaned else ()))
    repairs = (*mended, *_keep_few(over), *_keep_few((*weighed.read, *weighed.unusable.values())))
    unknown = _unknown_keys(found.data, form, hidden)
    more = f" and {len(unknown) - MOST_PROBLEMS} more" if len(unknown) > MOST_PROBLEMS else ""
    keys = "unknown key" if len(unknown) == 1 else "unknown keys"
    ignored = (f"{keys} ignored: {', '.join(unknown[:MOST_PROBLEMS])}{more}",) if unknown else ()
    parsed = validate_reply(weighed.data, form, repairs)
    if parsed.reply is not None:
        parsed = replace(parsed, reply=_strip_weights(parsed.reply))
    lacking = tuple(_without_importance(parsed.reply)) if importance_required else ()
    if lacking:
        named = tuple(weighed.unusable.get(place, Fault("missing", place=place)) for place in lacking)
        return Parsed(None, named[:MOST_PROBLEMS], (*mended, *_keep_few(over)))
    return Parsed(parsed.reply, parsed.problems, parsed.repairs + (ignored if parsed.reply else ()))


def _keep_few(sentences: Sequence[str]) -> tuple[str, ...]:
    more = len(sentences) - MOST_PROBLEMS
    return (*sentences[:MOST_PROBLEMS], *((f"and {more} more of this kind",) if more > 0 else ()))


def validate_reply(data: object, form: type[Form], repairs: tuple[str, ...] = ()) -> Parsed[Form]:
    """Validate plain data against a reply's form.

    A measure out of its range, such as a valence of 5, counts as the nearest one, if nothing else is wrong: grammars
    made from the form do not bound such numbers. One item counts as a list of it, and a list of texts as one text:
    small models that no grammar binds write so.
    """
    try:
        return Parsed(form.model_validate(data), (), repairs)
    except ValidationError as error:
        found = error.errors()
    meant = [(item["loc"], item["input"], value) for item in found if (value := _read_as(item)) is not None]
    mended = deepcopy(data)
    with suppress(LookupError, TypeError):  # a form may have read it in another shape
        for (*path, key), _, value in meant:
            reduce(lambda part, step: part[step], path, cast("Any", mended))[key] = value
    if len(meant) < len(found) or mended == data:
        return Parsed(None, tuple(_fault(item) for item in found[:MOST_PROBLEMS]), repairs)
    read = [
        f"{'.'.join(map(str, place))}: {_describe_value(given)} read as "
        f"{f'{value:g}' if isinstance(value, float) else 'a text' if isinstance(value, str) else 'a list of it'}"
        for place, given, value in meant
    ]
    return validate_reply(mended, form, (*repairs, *_keep_few(read)))


def _read_as(item: ErrorDetails) -> float | str | list[object] | None:
    kind, given = item["type"], item["input"]
    if kind == "list_type" and isinstance(given, dict | str) and given:
        return [given]
    if kind == "string_type" and isinstance(given, list) and all(isinstance(one, str) for one in given):
        return " ".join(given)
    return _bound(item)


def _bound(item: ErrorDetails) -> float | None:
    bounds = item.get("ctx", {})
    bound = bounds.get("le" if item["type"] == "less_than_equal" else "ge")
    return bound if isinstance(bound, float) and item["type"].endswith("_than_equal") else None


def clean_texts(value: Data) -> tuple[Data, bool]:
    """Return a value without control characters and lone surrogates, and whether it had any."""
    cleaned = _without_unwanted(value)
    return cast("Data", cleaned), cleaned is not value and cleaned != value


def _without_unwanted(value: object) -> object:
    if isinstance(value, str):
        return CONTROLS.sub("", value)
    if isinstance(value, list):
        return [_without_unwanted(item) for item in value]
    if isinstance(value, dict):
        return {key: _without_unwanted(item) for key, item in value.items()}
    return value


def _strip_weights(value: Data) -> Data:
    if isinstance(value, list):
        return cast("Data", [_strip_weights(item) for item in value])
    if not isinstance(value, BaseModel):
        return value
    facets = getattr(value, "facets", None)
    changed: dict[str, object] = {"importance": weigh_facets(facets.model_dump())} if facets else {}
    for name in type(value).model_fields:
        inside = getattr(value, name)
        if isinstance(inside, list | BaseModel) and (weighed := _strip_weights(inside)) != inside:
            changed[name] = weighed
    return value.model_copy(update=changed) if changed else value


def _without_importance(value: object, place: str = "") -> Iterator[str]:
    if isinstance(value, list):
        for number, item in enumerate(value):
            yield from _without_importance(item, f"{place}.{number}")
    elif isinstance(value, BaseModel):
        for name in type(value).model_fields:
            inside = getattr(value, name)
            where = f"{place}.{name}".removeprefix(".")
            if name == "importance" and inside is None:
                yield where
            yield from _without_importance(inside, where)


def _unknown_keys(data: dict[str, object], form: type[BaseModel], hidden: Collection[str]) -> list[str]:
    # JSON can name a lone surrogate ("\\ud800"), which no file can hold
    unknown = (key for key in data if key not in form.model_fields or key in hidden)
    names = (str(key)[:60].encode("utf-8", "replace").decode() for key in unknown)
    return sorted(names)


def quote_beginning(text: str) -> str:
    """Return how an answer begins, quoted."""
    return repr(" ".join(text.split())[:80])


def _fault(item: ErrorDetails) -> Fault:
    place = ".".join(str(part) for part in item["loc"]) or "reply"
    value = item.get("input")
    found = repr(value) if isinstance(value, str | int | float | bool) or value is None else type(value).__name__
    if item["type"] == "missing" or value is None:
        return Fault("missing", place=place)
    bounds = {name: bound for name, bound in item.get("ctx", {}).items() if isinstance(bound, str | int | float)}
    return Fault("kind", place=place, message=item["msg"], shown=found[:80], type=item["type"], bounds=bounds)


def bound_reply(data: Mapping[str, object], limits: ReplySettings) -> tuple[dict[str, object], tuple[str, ...]]:
    """Cut lists and texts beyond the limits; return the data, and a sentence for each cut."""
    over: list[str] = []
    return {key: _bounded(value, key, limits, over) for key, value in data.items()}, tuple(over)


def _bounded(value: object, place: str, limits: ReplySettings, over: list[str]) -> object:
    if isinstance(value, str):
        name = "most_body_characters" if place.rpartition(".")[2] == BODY else "most_characters"
        most = getattr(limits, name)
        if len(value) > most:
            over.append(f"{place}: {len(value)} characters, the first {most} are taken (reply.{name})")
        return value[:most]
    if isinstance(value, list):
        most = limits.most_items
        if len(value) > most:
            over.append(f"{place}: {len(value)} items, the first {most} are taken (reply.most_items)")
        return [_bounded(item, f"{place}.{number}", limits, over) for number, item in enumerate(value[:most])]
    if isinstance(value, dict):
        if len(value) > MOST_KEYS:
            over.append(f"{place}: {len(value)} keys, the first {MOST_KEYS} are taken")
        return {key: _bounded(item, f"{place}.{key}", limits, over) for key, item in islice(value.items(), MOST_KEYS)}
    return value
