"""Kinds of values that one setting alone has: absences, prices, weights, words by language."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from gm.base.config.kinds import (
    Kind,
    at_least_one,
    bounds,
    form,
    list_of,
    map_of,
    number,
    records,
    some_of,
    switch_word,
    text,
    text_like,
    texts,
    whole,
    words,
)
from gm.base.plugins import plugin_names

TIMES_OF_DAY = ("morning", "noon", "afternoon", "evening")
ABSENCES = ("off", "remote")
PRICE_KEYS = ("input", "output", "cache_write_5m", "cache_write_1h", "cache_read", "batch")
_TERMS = ("relevance", "recency", "importance")
_WHEN = ("weekday", "day", "days")

times_of_day = at_least_one(
    replace(some_of(*TIMES_OF_DAY), keep=lambda value: tuple(time for time in TIMES_OF_DAY if time in value))
)
"""Times of day, in their order."""
folder_names = at_least_one(
    list_of(
        form("a name of a folder", r"^[a-z0-9]+(-[a-z0-9]+)*$"),
        "a list of names in small letters, digits and hyphens: [recipes, letters]",
    )
)
text_map = map_of(text.fits, "a mapping of names to texts: {kitchen: A long table and six chairs.}", text.schema)
name_map = replace(text_map, expected="a mapping of ids to names: {tea-kitchen: the tea kitchen}")
author = text_like(
    "Name <mail>, or an empty text",
    lambda value: value == "" or re.fullmatch(r"[^<>\n\0]*[^<>\s][^<>\n\0]* <[^<>\s\0]+>", value),
)
_LISTS_OF_WORDS = {"type": "array", "items": words.schema}
word_lists = replace(
    map_of(
        lambda item: isinstance(item, list) and all(map(words.fits, item)),  # an empty word occurs in every text
        "a list of words for each language: {en: [important, …]}",
        _LISTS_OF_WORDS,
    ),
    keep=lambda value: {key: tuple(word.strip() for word in item) for key, item in value.items()},
)
"""Lists of words by language."""
synonyms = Kind(
    "words, each with the others that mean the same: {ivory: [bone tower, tower]}",
    lambda value: (
        isinstance(value, dict)
        and all(words.fits(word) and (text.fits(item) or texts.fits(item)) for word, item in value.items())
    ),
    {"type": "object", "additionalProperties": {"anyOf": [text.schema, texts.schema]}},
    keep=lambda value: {word: (item,) if isinstance(item, str) else tuple(item) for word, item in value.items()},
)


def _date(value: object) -> object:
    """YAML reads 2026-03-02 as a date of its own."""
    return value if isinstance(value, str) else getattr(value, "isoformat", str)()


iso_date = Kind(
    "a date: 2026-03-02",
    lambda value: re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", str(_date(value))),
    {"type": "string", "format": "date", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"},
    keep=_date,
)
weights = Kind(
    "a mapping of " + ", ".join(_TERMS) + " to numbers, at least 0: {relevance: 0.5, recency: 0.3}",
    lambda value: isinstance(value, dict) and all(name in _TERMS for name in value),
    {"type": "object", "properties": dict.fromkeys(_TERMS, bounds("number", 0, None)), "additionalProperties": False},
    keep=lambda value: {str(name): number(0)(weight) for name, weight in value.items()},
)
"""Weights of the terms of retrieval."""


def weights_of_added(group: str) -> Kind:
    """Mappings from plugins of a group to numbers, at least 0."""
    expected = f"a mapping of what installed packages add to {group} to numbers, at least 0"

    def keep(value: dict[object, object]) -> object:
        if unknown := [name for name in value if name not in plugin_names(group)]:
            raise ValueError(f"{expected}; no installed package adds {unknown[0]!r}")
        return {str(name): number(0)(weight) for name, weight in value.items()}

    schema = {"type": "object", "additionalProperties": bounds("number", 0, None)}
    return Kind(expected, lambda value: isinstance(value, dict), schema, keep)


days_off = list_of(
    Kind("", lambda item: words.fits(item) or whole(1).fits(item), {"anyOf": [words.schema, whole(1).schema]}),
    "a list of weekday names and story days: [Saturday, Sunday, 14]",
)
"""A weekday is compared by what it means, so that it may be spelled in any known way."""


def _is_span(days: Sequence[object]) -> bool:
    first, last = days if len(days) == 2 else (None, None)
    return type(first) is int and first >= 1 and (last is None or (type(last) is int and first <= last))


def _check_absence(number: int, item: Mapping[str, object]) -> None:
    found = [key for key in _WHEN if key in item]
    unknown = [str(key) for key in item if key not in ("who", "how", *_WHEN)]
    if unknown:
        raise ValueError(f"in entry {number} only who, how and one of weekday, day, days; not {unknown[0]}")
    if not isinstance(item.get("who"), str):
        raise ValueError(f"in entry {number} who: the id of a character")
    if item["how"] not in ABSENCES:
        raise ValueError(f"in entry {number} how: one of {', '.join(ABSENCES)}")
    if len(found) != 1:
        raise ValueError(f"in entry {number} exactly one of weekday, day, days")
    when = item[found[0]]
    fits = {
        "weekday": isinstance(when, str) and bool(when.strip()),
        "day": type(when) is int and when >= 1,
        "days": isinstance(when, list) and _is_span(when),
    }
    if not fits[found[0]]:
        forms = {
            "weekday": "a weekday",
            "day": "a story day, at least 1",
            "days": "two story days [from, to]; [from, null] = for good",
        }
        raise ValueError(f"in entry {number} {found[0]}: {forms[found[0]]}")


def _check_model_name(value: object) -> str:
    if isinstance(value, str) and value:
        return value
    raise ValueError("names of models; write a name that looks like a number in quotes")


def _parse_price(model: str, value: object) -> dict[str, object]:
    if not isinstance(value, dict) or not {"input", "output"} <= set(value):
        raise ValueError(f"{model}: {{input: …, output: …}}, in US dollars for a million tokens")
    unknown = [str(key) for key in value if key not in PRICE_KEYS]
    if unknown:
        raise ValueError(f"of {model} only {', '.join(PRICE_KEYS)}; not {unknown[0]}")
    try:
        return {str(key): number(0)(amount) for key, amount in value.items()}
    except ValueError as error:
        raise ValueError(f"for each price of {model} {error}") from None


def _parse_absences(value: list[dict[str, object]]) -> object:
    found = [item | {"how": switch_word(item.get("how", "off"))} for item in value]
    for at, item in enumerate(found, 1):
        _check_absence(at, item)
    return tuple(found)


absences = replace(records("{who: mina, weekday: Friday, how: remote}"), keep=_parse_absences)
"""Who is away, when, and how."""
_AMOUNTS = {
    "type": "object",
    "properties": dict.fromkeys(PRICE_KEYS, bounds("number", 0, None)),
    "required": ["input", "output"],
}
prices = Kind(
    "a mapping of model names to prices: {model-name: {input: 3, output: 15}}",
    lambda value: isinstance(value, dict),
    {"type": "object", "additionalProperties": _AMOUNTS},
    keep=lambda value: {_check_model_name(model): _parse_price(str(model), price) for model, price in value.items()},
)
"""Prices of models, in US dollars for a million tokens."""
