"""Untrusted JSON of bounded depth, values in it read leniently (an unexpected kind counts as empty), and fit texts."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from math import isfinite

from gm.api.answers.speech import Words
from gm.base.config.kinds import is_number
from gm.base.errors import UsageError
from gm.base.languages import language_of, languages
from gm.base.texts import CONTROLS, clip, one_line, quoted
from gm.base.untyped import items_of
from gm.files.formats.document import DEEPEST, is_too_deep

LONGEST_NUMBER = 400
"""Digits of a whole number; a longer one is read as a text."""
_HALF = re.compile("[\ud800-\udfff]")


class Number(str):
    """A number as it stands in a text: no digit or ``.0`` is lost."""

    __slots__ = ()


def decode_text(data: bytes, shown: str) -> str:
    """Decode UTF-8, dropping the byte order mark.

    Raises:
        UsageError: It is not UTF-8.
    """
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{shown} is neither a picture, an archive, nor a text in UTF-8", "convert it first"
        ) from error


def parse_json(text: str, shown: str) -> object:
    """Read a JSON document; the last of repeated keys counts, NaN and Infinity become null.

    Raises:
        UsageError: It is not JSON, or nested more than ``DEEPEST`` levels deep.
    """
    return _decode_json(text, shown, _PlainDecoder())


def read_json(data: bytes, shown: str) -> object:
    """Read the bytes of a JSON document.

    Raises:
        UsageError: As ``decode_text`` and ``parse_json``.
    """
    return parse_json(decode_text(data, shown), shown)


def parse_exact(text: str, shown: str) -> object:
    """Read as ``parse_json`` does, with numbers as ``Number``."""
    return _decode_json(text, shown, _Exact())


def parse_lines(text: str, shown: str) -> list[object]:
    """Read the documents of a JSONL text; blank lines are skipped.

    Raises:
        UsageError: As ``parse_json``, with the line's number.
    """
    lines = enumerate(text.split("\n"), 1)
    return [parse_json(line, f"{shown}:{number}") for number, line in lines if line.strip()]


def render_exact(value: object) -> str:
    """Return a document read by ``parse_exact`` as JSON on one line."""
    return "".join(_render_pieces(value))


class _PlainDecoder(json.JSONDecoder):
    def __init__(self) -> None:
        super().__init__(parse_int=_parse_integer, parse_constant=_read_constant_as_null)


class _Exact(json.JSONDecoder):
    def __init__(self) -> None:
        super().__init__(parse_int=Number, parse_float=Number, parse_constant=_read_constant_as_null)


def _decode_json(text: str, shown: str, decoder: json.JSONDecoder) -> object:
    try:
        value: object = decoder.decode(text)
    except json.JSONDecodeError as error:
        raise UsageError(
            f"{shown}:{error.lineno}:{error.colno}: not valid JSON: {error.msg}", "export it again"
        ) from error
    except RecursionError:
        value = None
        deep = True
    else:
        deep = is_too_deep(value)
    if deep:
        raise UsageError(f"{shown} is nested more than {DEEPEST} levels deep", "check that it is a file of a character")
    return value


def _parse_integer(digits: str) -> int | str:
    return int(digits) if len(digits) <= LONGEST_NUMBER else digits


def _read_constant_as_null(_name: str) -> None:
    return None


def _render_pieces(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        mark = "{"
        for key, item in value.items():
            yield f"{mark}{_render_string(key)}: "
            yield from _render_pieces(item)
            mark = ", "
        yield "}" if value else "{}"
    elif isinstance(value, list):
        mark = "["
        for item in value:
            yield mark
            yield from _render_pieces(item)
            mark = ", "
        yield "]" if value else "[]"
    elif isinstance(value, Number):
        yield value
    else:
        yield _render_string(value) if isinstance(value, str) else json.dumps(value)


def _render_string(text: str) -> str:
    return json.dumps(text, ensure_ascii=_HALF.search(text) is not None)


LONGEST = 8_000
"""Characters of a text; the rest is cut off."""
LONGEST_LINE = 500
MOST_LISTED = 100
"""Items of a list; the rest is left aside."""
MOST_BITS = 1000
"""Bits of a whole number; a longer one is not a text."""
NAME = 80
"""Characters of a name."""
OLDEST = 150
AGE = 40
"""Characters of an age that is not a number: ``in her forties``."""
_BESIDE = re.compile(r"\b(?:cis|trans)(?:gender)?[ -]|[(/;,].*", re.I)
"""What may stand around the word that counts."""
MOST_ITEMS = 500
"""Maximum number of items of a list or a mapping in front matter, a soul, or relationships."""
LARGEST = 10**15
"""A larger whole number becomes a text, which every reader of YAML takes."""


def clean_scalar(value: object) -> str:
    """Return a text or number without control characters."""
    if not (isinstance(value, str) or is_number(value)):
        return ""
    if isinstance(value, int) and value.bit_length() > MOST_BITS:
        return ""
    if isinstance(value, float) and not isfinite(value):
        return ""
    return clip(clean_text(str(value)[: 2 * LONGEST]), LONGEST)


def line_of(value: object, most: int = LONGEST_LINE) -> str:
    """Return a text as one line of at most ``most`` characters."""
    return clip(clean_line(clean_scalar(value)), most)


def clean_name(value: object) -> str:
    """Return a name as one line."""
    return line_of(value, NAME)


def lines_of(value: object) -> tuple[str, ...]:
    """Return the lines of a text, or of a list; an object in a list becomes its values."""
    items = items_of(value) if isinstance(value, list) else [value]
    found = (_item_line(item) for item in items[:MOST_LISTED])
    return tuple(dict.fromkeys(line for line in found if line))


def object_of(value: object) -> Mapping[str, object]:
    """Return an object's entries whose keys are texts; empty for other values."""
    return {key: item for key, item in value.items() if isinstance(key, str)} if isinstance(value, dict) else {}


def whole_of(value: object, least: int, most: int) -> int | None:
    """Return a number within its range, rounded; else None."""
    if not is_number(value) or not least <= value <= most:
        return None
    return int(value + 0.5)


def need_object(value: object, place: str) -> Mapping[str, object]:
    """Return an object, or raise ``UsageError`` with its place.

    Args:
        place: The file, and the key in it.

    Raises:
        UsageError: It is something else.
    """
    if not isinstance(value, dict):
        found = "nothing" if value is None else shown_kind(value)
        raise UsageError(f"{place}: found {found}, expected an object {{…}}", "export the file again, or correct it")
    return object_of(value)


def shown_kind(value: object) -> str:
    """Describe a value for a message."""
    if isinstance(value, list | dict):
        return f"{'a list' if isinstance(value, list) else 'an object'} of {len(value)}"
    return quoted(value)


def find_long_lists(values: Iterable[tuple[str, object]]) -> list[tuple[str, str]]:
    """Return names of lists longer than ``MOST_LISTED``, with notes on what is kept."""
    return [
        (name, f"only the first {MOST_LISTED} of {len(value):,}")
        for name, value in values
        if isinstance(value, list) and len(value) > MOST_LISTED
    ]


def age_of(value: object) -> int | str:
    """Return an age as a number, else as told; empty if there is none."""
    return whole_of(value, 0, OLDEST) or line_of(value, AGE)


def take_person(rest: dict[str, object], words: Words, *genders: str) -> Iterator[tuple[str, str, object]]:
    """Move age and pronouns into front matter, for ``prose.front_matter``.

    Args:
        genders: Keys that may hold a gender; the first that stands for pronouns is taken.
    """
    if age := age_of(rest.pop("age", None)):
        yield "age", "age", age
    for key in genders:
        if pronouns := pronouns_of(rest.get(key), words):
            del rest[key]
            yield "pronouns", key, pronouns
            return


def pronouns_of(gender: object, words: Words) -> str:
    """Return the pronouns for a gender; empty unless it plainly implies them."""
    said = _BESIDE.sub("", line_of(gender)).strip().casefold()
    spoken = (language_of(code).genders for code in languages())
    found = next((pronoun for genders in spoken for pronoun, known in genders.items() if said in known), "")
    return words(f"pronouns.{found}") if found else ""


def _item_line(item: object) -> str:
    if isinstance(item, dict):
        return clip(": ".join(filter(None, (line_of(value) for value in [*item.values()][:4]))), LONGEST_LINE)
    return line_of(item)


def clean_text(text: str) -> str:
    """Clean a text of several lines; line ends become ``LF``."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").replace("\u2028", "\n").replace("\u2029", "\n")
    return unicodedata.normalize("NFC", CONTROLS.sub("", lines)).strip()


def clean_line(text: str) -> str:
    """Clean a text and put it on one line."""
    return one_line(unicodedata.normalize("NFC", text))


def clean_value(value: object) -> object:
    """Clean all texts of a front matter value, keeping their lines; of lists, at most ``MOST_ITEMS`` items."""
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, Mapping):
        return {clean_line(str(key)): clean_value(item) for key, item in islice(value.items(), MOST_ITEMS)}
    if isinstance(value, Iterable):
        return [clean_value(item) for item in islice(value, MOST_ITEMS)]
    if isinstance(value, int) and abs(value) > LARGEST:
        return str(value)
    return value
