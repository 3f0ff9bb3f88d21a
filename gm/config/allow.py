"""What values settings may have: a check takes what YAML says and returns what is kept, or says what it expected."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping

Check = Callable[[object], object]


def text(value: object) -> object:
    """Take a text."""
    if isinstance(value, str):
        return value
    raise ValueError("a text")


def flag(value: object) -> object:
    """Take true or false."""
    if isinstance(value, bool):
        return value
    raise ValueError("true or false")


def whole(low: int, high: int | None = None) -> Check:
    """Take whole numbers from one to another, both included; None = no end."""
    span = f"a whole number from {low} to {high}" if high is not None else f"a whole number, at least {low}"

    def check(value: object) -> object:
        if not isinstance(value, int) or isinstance(value, bool) or value < low or (high is not None and value > high):
            raise ValueError(span)
        return value

    return check


def number(low: float) -> Check:
    """Take numbers from this one on."""

    def check(value: object) -> object:
        if isinstance(value, int | float) and not isinstance(value, bool) and low <= value < math.inf:
            return float(value)
        raise ValueError(f"a number, at least {low:g}")

    return check


def plain(value: object) -> object:
    """Read ``off`` and ``on`` as the words that they are in a name or a choice; in YAML they are false and true."""
    return {False: "off", True: "on"}[value] if isinstance(value, bool) else value


def between(low: float, high: float) -> Check:
    """Take numbers from one to another, both included."""

    def check(value: object) -> object:
        if isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high:
            return float(value)
        raise ValueError(f"a number from {low:g} to {high:g}")

    return check


def one_of(*choices: str) -> Check:
    """Take one of some words."""

    def check(value: object) -> object:
        if plain(value) in choices:
            return plain(value)
        raise ValueError("one of " + ", ".join(choices))

    return check


def switch(value: object) -> object:
    """Read the switch of a layer: on, off, or on as soon as there is a file of it."""
    return one_of("auto", "on", "off")(value)


def span(low: int) -> Check:
    """Take two whole numbers, from and to, at least so high."""

    def check(value: object) -> object:
        if isinstance(value, list) and len(value) == 2:
            first, last = value
            if type(first) is type(last) is int and low <= first <= last:
                return (first, last)
        raise ValueError(f"two whole numbers [from, to], at least {low}, in this order")

    return check


def or_none(check: Check) -> Check:
    """Take null as well."""

    def either(value: object) -> object:
        if value is None:
            return None
        try:
            return check(value)
        except ValueError as error:
            raise ValueError(f"{error}, or null") from None

    return either


def author(value: object) -> object:
    """Take a name with a mail address, as git wants it, or nothing."""
    if value == "" or (isinstance(value, str) and re.fullmatch(r"[^<>\n\0]*[^<>\s][^<>\n\0]* <[^<>\s\0]+>", value)):
        return value
    raise ValueError("Name <mail>, or an empty text")


def texts(value: object) -> object:
    """Take a list of texts."""
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(value)
    raise ValueError("a list of texts")


def text_map(value: object) -> object:
    """Take texts by name."""
    if isinstance(value, dict) and all(isinstance(k, str) and isinstance(v, str) for k, v in value.items()):
        return dict(value)
    raise ValueError("a mapping of names to texts: {kitchen: A long table and six chairs.}")


def word_lists(value: object) -> object:
    """Take lists of words by language."""
    if isinstance(value, dict) and all(isinstance(key, str) and isinstance(item, list) for key, item in value.items()):
        words = [word for item in value.values() for word in item]
        # an empty word occurs in every text
        if all(isinstance(word, str) and word.strip() for word in words):
            return {key: tuple(word.strip() for word in item) for key, item in value.items()}
    raise ValueError("a list of words for each language: {de: [wichtig, …]}")


def synonyms(value: object) -> object:
    """Take words with others that mean the same."""
    if isinstance(value, dict) and all(isinstance(word, str) and word.strip() for word in value):
        lists = {word: [item] if isinstance(item, str) else item for word, item in value.items()}
        if all(isinstance(item, list) and all(isinstance(word, str) for word in item) for item in lists.values()):
            return {word: tuple(item) for word, item in lists.items()}
    raise ValueError("words, each with the others that mean the same: {Elfenbein: [Knochenturm, Turm]}")


def iso_date(value: object) -> object:
    """Take a date."""
    # YAML reads 2026-03-02 as a date of its own
    text = value if isinstance(value, str) else getattr(value, "isoformat", str)()
    if isinstance(text, str) and re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
        return text
    raise ValueError("a date: 2026-03-02")


def counts(low: int) -> Check:
    """Take whole numbers by name, at least so high."""

    def check(value: object) -> object:
        if isinstance(value, dict) and all(
            isinstance(name, str) and type(number) is int and number >= low for name, number in value.items()
        ):
            return dict(value)
        raise ValueError(f"a mapping of names to whole numbers, at least {low}: {{my-model: 6000}}")

    return check


def weights(value: object) -> object:
    """Take weights of the terms of retrieval."""
    names = ("relevance", "recency", "importance")
    if isinstance(value, dict) and all(name in names for name in value):
        return {str(name): number(0)(weight) for name, weight in value.items()}
    raise ValueError("a mapping of " + ", ".join(names) + " to numbers, at least 0: {relevance: 0.5, recency: 0.3}")


def records(example: str) -> Check:
    """Take a list of mappings, of which one is shown to whoever writes something else."""

    def check(value: object) -> object:
        if isinstance(value, list) and all(isinstance(item, dict) for item in value):
            return tuple(value)
        raise ValueError(f"a list of mappings: {example}")

    return check


def days_off(value: object) -> object:
    """Weekday names and story days; a name is compared by what it means, so it may be spelled in any known way."""
    if isinstance(value, list) and all(
        (isinstance(item, str) and item.strip()) or (type(item) is int and item >= 1) for item in value
    ):
        return tuple(value)
    raise ValueError("a list of weekday names and story days: [Saturday, Sunday, 14]")


def some_of(*choices: str) -> Check:
    """Take some of some words."""

    def check(value: object) -> object:
        if isinstance(value, list) and all(item in choices for item in value):
            return tuple(dict.fromkeys(str(item) for item in value))
        raise ValueError("a list of some of " + ", ".join(choices))

    return check


ABSENCES = ("off", "remote")
_WHEN = ("weekday", "day", "days")


def absences(value: object) -> object:
    """Take a list of who is away, when, and how."""
    if isinstance(value, list) and all(isinstance(item, dict) for item in value):
        found = [item | {"how": plain(item.get("how", "off"))} for item in value]
        for number, item in enumerate(found, 1):
            _check_absence(number, item)
        return tuple(found)
    raise ValueError("a list of mappings: {who: mina, weekday: Friday, how: remote}")


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


PRICE_KEYS = ("input", "output", "cache_write_5m", "cache_write_1h", "cache_read", "batch")


def prices(value: object) -> object:
    """Take prices of models, in US dollars for a million tokens."""
    if not isinstance(value, dict):
        raise ValueError("a mapping of model names to prices: {model-name: {input: 3, output: 15}}")
    return {_name(model): _price(str(model), price) for model, price in value.items()}


def _name(value: object) -> str:
    if isinstance(value, str) and value:
        return value
    raise ValueError("names of models; write a name that looks like a number in quotes")


def _price(model: str, value: object) -> dict[str, float]:
    if not isinstance(value, dict) or not {"input", "output"} <= set(value):
        raise ValueError(f"{model}: {{input: …, output: …}}, in US dollars for a million tokens")
    unknown = [str(key) for key in value if key not in PRICE_KEYS]
    if unknown:
        raise ValueError(f"of {model} only {', '.join(PRICE_KEYS)}; not {unknown[0]}")
    try:
        return {str(key): _dollars(amount) for key, amount in value.items()}
    except ValueError as error:
        raise ValueError(f"for each price of {model} {error}") from None


def _dollars(value: object) -> float:
    amount = number(0)(value)
    assert isinstance(amount, float)
    return amount
