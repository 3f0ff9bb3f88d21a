"""Kinds of values of settings and records: in words, as a test, and as JSON Schema."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeGuard

from gm.base.plugins import plugin_names

BEYOND = 10**18
"""No whole number of a record is as large as this."""
SWITCHES = ("auto", "on", "off")
TIMES_OF_DAY = ("morning", "noon", "afternoon", "evening")
ABSENCES = ("off", "remote")
PRICE_KEYS = ("input", "output", "cache_write_5m", "cache_write_1h", "cache_read", "batch")
_TERMS = ("relevance", "recency", "importance")
_WHEN = ("weekday", "day", "days")


@dataclass(frozen=True, slots=True)
class Kind:
    """Which values a key may have.

    Attributes:
        expected: In words, after "expected": ``a whole number, at least 0``.
        keep: Converts a fitting value; None = kept as it is.
        write: Converts what is kept for writing; None = as it is, a tuple as a list.
        base: A wider kind: its values have the right type, but the wrong form.
        item: Kind of a list's items, or of a mapping's pairs.
        inner: Yields errors inside a fitting value, with ``keys``.
    """

    expected: str
    fits: Callable[[Any], object]
    schema: Mapping[str, object]
    keep: Callable[[Any], object] | None = None
    write: Callable[[Any], object] | None = None
    base: Kind | None = None
    item: Kind | None = None
    inner: Callable[[Any], Iterable[Any]] | None = None

    def __call__(self, value: object) -> object:
        """Return what is kept of a value.

        Raises:
            ValueError: The value does not fit; says what was expected.
        """
        if not self.fits(value):
            raise ValueError(self.expected)
        return value if self.keep is None else self.keep(value)


text = Kind("a text", lambda value: isinstance(value, str), {"type": "string"})
words = Kind(
    "a text", lambda value: isinstance(value, str) and bool(value.strip()), {"type": "string", "pattern": r"\S"}
)
flag = Kind("true or false", lambda value: isinstance(value, bool), {"type": "boolean"})
mapping = Kind("an object", lambda value: isinstance(value, dict), {"type": "object"}, write=dict)


def text_like(expected: str, fits: Callable[[str], object]) -> Kind:
    """Texts that pass a test."""
    return Kind(expected, lambda value: isinstance(value, str) and fits(value), text.schema, base=text)


def form(expected: str, pattern: str) -> Kind:
    """Texts that match a pattern, from ``^`` to ``$``."""
    kind = text_like(expected, re.compile(pattern).fullmatch)
    return replace(kind, schema={"type": "string", "pattern": pattern})


def word(*choices: str) -> Kind:
    """One of some words."""
    kind = text_like(f"one of {', '.join(choices)}", choices.__contains__)
    return replace(kind, schema={"enum": list(choices)})


def is_number(value: object) -> TypeGuard[float]:
    """Return whether a value is a number and no boolean."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_whole(value: object) -> bool:
    if type(value) is int:
        return -BEYOND < value < BEYOND
    return isinstance(value, float) and -BEYOND < value < BEYOND and value.is_integer()


def _span(noun: str, low: float, high: float | None) -> str:
    return f"{noun}, at least {low}" if high is None else f"{noun} from {low} to {high}"


def _bounds(kind: str, low: float, high: float | None) -> dict[str, object]:
    return {"type": kind, "minimum": low, **({} if high is None else {"maximum": high})}


def whole(low: int, high: int | None = None) -> Kind:
    """Whole numbers between two, both included; None = no end."""
    most = math.inf if high is None else high
    expected, schema = _span("a whole number", low, high), _bounds("integer", low, high)
    return Kind(expected, lambda value: type(value) is int and low <= value <= most, schema)


def counted(low: int, high: int | None = None) -> Kind:
    """Whole numbers, also written ``5.00`` as by some programs."""
    most = BEYOND - 1 if high is None else high
    expected, schema = _span("a whole number", low, high), _bounds("integer", low, high)
    base = Kind(expected, _is_whole, {"type": "integer"})
    return Kind(
        expected,
        lambda value: (type(value) is int or _is_whole(value)) and low <= value <= most,
        schema,
        keep=int,
        base=base,
    )


def number(low: float) -> Kind:
    """Finite numbers of at least ``low``."""
    expected, schema = _span("a number", low, None), _bounds("number", low, None)
    return Kind(expected, lambda value: is_number(value) and low <= value < math.inf, schema, keep=float)


def between(low: float, high: float) -> Kind:
    """Numbers between two, both included."""
    expected, schema = _span("a number", low, high), _bounds("number", low, high)
    return Kind(expected, lambda value: is_number(value) and low <= value <= high, schema, keep=float)


def switch_word(value: object) -> object:
    """Read ``off`` and ``on`` as words; YAML makes booleans of them."""
    return {False: "off", True: "on"}[value] if isinstance(value, bool) else value


def one_of(*choices: str, former: Mapping[str, str] | None = None) -> Kind:
    """One of some words, as YAML reads them; ``former`` names the choice that an earlier word stands for."""
    renamed = former or {}
    known = (*choices, *renamed)
    schema = {"enum": [*known, *(value for value in (False, True) if switch_word(value) in known)]}

    def keep(value: object) -> object:
        word = switch_word(value)
        return renamed.get(str(word), word)

    return Kind(f"one of {', '.join(choices)}", lambda value: switch_word(value) in known, schema, keep)


def one_of_or_added(group: str, *choices: str) -> Kind:
    """One of some words, or the name of a plugin of a group."""
    return Kind(
        f"one of {', '.join(choices)}, or what an installed package adds to {group}",
        lambda value: switch_word(value) in choices or (isinstance(value, str) and value in plugin_names(group)),
        {"anyOf": [{"enum": list(choices)}, text.schema]},
        switch_word,
    )


switch = one_of(*SWITCHES)


def or_none(kind: Kind) -> Kind:
    """A kind, or null."""
    return Kind(
        f"{kind.expected}, or null",
        lambda value: value is None or kind.fits(value),
        {"anyOf": [kind.schema, {"type": "null"}]},
        keep=lambda value: None if value is None else kind(value),
    )


def or_auto(kind: Kind) -> Kind:
    """A kind, or the word auto."""
    return Kind(
        f"{kind.expected}, or auto",
        lambda value: value == "auto" or kind.fits(value),
        {"anyOf": [kind.schema, {"const": "auto"}]},
        keep=lambda value: value if value == "auto" else kind(value),
    )


def list_of(item: Kind, expected: str) -> Kind:
    """Lists of one kind of values."""
    return Kind(
        expected,
        lambda value: isinstance(value, list) and all(map(item.fits, value)),
        {"type": "array", "items": item.schema},
        keep=tuple if item.keep is None else lambda value: tuple(map(item, value)),
        item=item,
    )


texts = list_of(text, "a list of texts")


text_or_texts = Kind(
    "a text, or a list of texts",
    lambda value: text.fits(value) or texts.fits(value),
    {"anyOf": [text.schema, texts.schema]},
    keep=lambda value: (value,) if isinstance(value, str) else tuple(value),
    item=text,
)


loose_texts = Kind(
    "a list",
    lambda value: isinstance(value, list),
    texts.schema,
    keep=lambda value: tuple(item for item in value if isinstance(item, str)),
)
"""Lists of texts; items of other kinds are left out."""
loose_text = Kind("a text", lambda _: True, text.schema, keep=lambda value: str(value or ""))
"""Texts; any other value is read as it is written, and null as nothing."""


def span(low: int) -> Kind:
    """Two whole numbers, from and to, of at least ``low``."""

    def fits(value: object) -> bool:
        return isinstance(value, list) and [*map(type, value)] == [int, int] and low <= value[0] <= value[1]

    expected = f"two whole numbers [from, to], at least {low}, in this order"
    schema = {"type": "array", "items": _bounds("integer", low, None), "minItems": 2, "maxItems": 2}
    return Kind(expected, fits, schema, keep=tuple)


def map_of(item: Callable[[Any], object], expected: str, schema: Mapping[str, object]) -> Kind:
    """Mappings from names to one kind of values."""
    return Kind(
        expected,
        lambda value: isinstance(value, dict) and all(isinstance(key, str) and item(one) for key, one in value.items()),
        {"type": "object", "additionalProperties": schema},
        keep=dict,
    )


def counts(low: int) -> Kind:
    """Mappings from names to whole numbers of at least ``low``."""
    one = whole(low)
    return map_of(one.fits, f"a mapping of names to whole numbers, at least {low}: {{my-model: 6000}}", one.schema)


def records(example: str) -> Kind:
    """Lists of mappings; the example stands in the message."""
    return list_of(mapping, f"a list of mappings: {example}")


def some_of(*choices: str) -> Kind:
    """Lists of some words, each counted once."""
    kind = list_of(one_of(*choices), "a list of some of " + ", ".join(choices))
    return replace(kind, keep=lambda value: tuple(dict.fromkeys(map(switch_word, value))))


def at_least_one(kind: Kind) -> Kind:
    """Lists that are not empty."""
    return replace(
        kind,
        expected=f"at least one, in {kind.expected}",
        fits=lambda value: bool(value) and kind.fits(value),
        schema={**kind.schema, "minItems": 1},
    )


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
    {"type": "object", "properties": dict.fromkeys(_TERMS, _bounds("number", 0, None)), "additionalProperties": False},
    keep=lambda value: {str(name): number(0)(weight) for name, weight in value.items()},
)
"""Weights of the terms of retrieval."""


def weights_of_added(group: str) -> Kind:
    """Mappings from plugins of a group to numbers, at least 0."""
    return Kind(
        f"a mapping of what installed packages add to {group} to numbers, at least 0",
        lambda value: isinstance(value, dict) and all(name in plugin_names(group) for name in value),
        {"type": "object", "additionalProperties": _bounds("number", 0, None)},
        keep=lambda value: {str(name): number(0)(weight) for name, weight in value.items()},
    )


days_off = list_of(
    Kind("", lambda item: words.fits(item) or whole(1).fits(item), {"anyOf": [words.schema, whole(1).schema]}),
    "a list of weekday names and story days: [Saturday, Sunday, 14]",
)
"""A weekday is compared by what it means, so that it may be spelled in any known way."""


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
        "days": isinstance(when, list) and [type(day) for day in when] == [int, int] and bool(1 <= when[0] <= when[1]),
    }
    if not fits[found[0]]:
        forms = {"weekday": "a weekday", "day": "a story day, at least 1", "days": "two story days [from, to]"}
        raise ValueError(f"in entry {number} {found[0]}: {forms[found[0]]}")


def _name(value: object) -> str:
    if isinstance(value, str) and value:
        return value
    raise ValueError("names of models; write a name that looks like a number in quotes")


def _price(model: str, value: object) -> dict[str, object]:
    if not isinstance(value, dict) or not {"input", "output"} <= set(value):
        raise ValueError(f"{model}: {{input: …, output: …}}, in US dollars for a million tokens")
    unknown = [str(key) for key in value if key not in PRICE_KEYS]
    if unknown:
        raise ValueError(f"of {model} only {', '.join(PRICE_KEYS)}; not {unknown[0]}")
    try:
        return {str(key): number(0)(amount) for key, amount in value.items()}
    except ValueError as error:
        raise ValueError(f"for each price of {model} {error}") from None


def _absences(value: list[dict[str, object]]) -> object:
    found = [item | {"how": switch_word(item.get("how", "off"))} for item in value]
    for at, item in enumerate(found, 1):
        _check_absence(at, item)
    return tuple(found)


absences = replace(records("{who: mina, weekday: Friday, how: remote}"), keep=_absences)
"""Who is away, when, and how."""
_AMOUNTS = {
    "type": "object",
    "properties": dict.fromkeys(PRICE_KEYS, _bounds("number", 0, None)),
    "required": ["input", "output"],
}
prices = Kind(
    "a mapping of model names to prices: {model-name: {input: 3, output: 15}}",
    lambda value: isinstance(value, dict),
    {"type": "object", "additionalProperties": _AMOUNTS},
    keep=lambda value: {_name(model): _price(str(model), price) for model, price in value.items()},
)
"""Prices of models, in US dollars for a million tokens."""
