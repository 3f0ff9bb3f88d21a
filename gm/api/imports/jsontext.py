"""Untrusted JSON: of bounded depth, with numbers that can be written as they stood."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from gm.base.errors import UsageError
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
