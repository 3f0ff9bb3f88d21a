"""Kinds of values of settings and records: in words, as a test, and as JSON Schema."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeGuard

from gm.base.errors import say
from gm.base.plugins import plugin_names

BEYOND = 10**18
"""No whole number of a record is as large as this."""
SWITCHES = ("auto", "on", "off")


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
    kind = text_like(say("one of {choices}", ", ".join(choices)), choices.__contains__)
    return replace(kind, schema={"enum": list(choices)})


def is_number(value: object) -> TypeGuard[float]:
    """Return whether a value is a number and no boolean."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_whole(value: object) -> bool:
    if type(value) is int:
        return -BEYOND < value < BEYOND
    return isinstance(value, float) and -BEYOND < value < BEYOND and value.is_integer()


def _span(noun: str, low: float, high: float | None) -> str:
    if high is None:
        return say("{part}, at least {low}", noun, low)
    return say("{part} from {low} to {high}", noun, low, high)


def bounds(kind: str, low: float, high: float | None) -> dict[str, object]:
    """Return the schema of numbers between two, both included; None = no end."""
    return {"type": kind, "minimum": low, **({} if high is None else {"maximum": high})}


def whole(low: int, high: int | None = None) -> Kind:
    """Whole numbers between two, both included; None = no end."""
    most = math.inf if high is None else high
    expected, schema = _span("a whole number", low, high), bounds("integer", low, high)
    return Kind(expected, lambda value: type(value) is int and low <= value <= most, schema)


def loose_whole(low: int, high: int | None = None) -> Kind:
    """Whole numbers, also written ``5.00`` as by some programs."""
    most = BEYOND - 1 if high is None else high
    expected, schema = _span("a whole number", low, high), bounds("integer", low, high)
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
    expected, schema = _span("a number", low, None), bounds("number", low, None)
    return Kind(expected, lambda value: is_number(value) and low <= value < math.inf, schema, keep=float)


def between(low: float, high: float) -> Kind:
    """Numbers between two, both included."""
    expected, schema = _span("a number", low, high), bounds("number", low, high)
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

    return Kind(say("one of {choices}", ", ".join(choices)), lambda value: switch_word(value) in known, schema, keep)


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
        say("{part}, or null", kind.expected),
        lambda value: value is None or kind.fits(value),
        {"anyOf": [kind.schema, {"type": "null"}]},
        keep=lambda value: None if value is None else kind(value),
    )


def or_auto(kind: Kind) -> Kind:
    """A kind, or the word auto."""
    return Kind(
        say("{part}, or auto", kind.expected),
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

    expected = say("two whole numbers [from, to], at least {low}, in this order", low)
    schema = {"type": "array", "items": bounds("integer", low, None), "minItems": 2, "maxItems": 2}
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
