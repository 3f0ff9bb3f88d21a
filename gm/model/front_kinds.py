"""The kinds of values in the front matter of a persona, each with its problems and its schema."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from gm.base.config import RagSettings, kinds, read_rag
from gm.base.config.manual import settings_schema
from gm.base.errors import say
from gm.base.texts import quoted
from gm.base.untyped import as_list, items_of
from gm.model.record import RecordError

VALUE, UNKNOWN = "persona-value", "persona-key"
"""Problem codes: of a value that does not fit, and of a key that does not exist."""


def _inside(
    pairs: Callable[[object], Iterator[tuple[str | int, object]]], expected: str, kind: Any = str
) -> Callable[[object], Iterator[RecordError]]:
    def problems(value: object) -> Iterator[RecordError]:
        for place, item in pairs(value):
            if not isinstance(item, kind):
                yield RecordError(
                    (place,), VALUE, say("found {value}, expected {part}", quoted(item), expected), "put it in quotes"
                )

    return problems


def _number_items(value: object) -> Iterator[tuple[str | int, object]]:
    yield from enumerate(items_of(value))


def _name_items(value: object) -> Iterator[tuple[str | int, object]]:
    yield from ((str(name), item) for name, item in value.items()) if isinstance(value, dict) else ()


def _texts(value: object) -> tuple[str, ...]:
    return tuple(item for item in as_list(value) if isinstance(item, str))


TEXTS = kinds.Kind(
    "a list of texts",
    lambda value: isinstance(value, list),
    kinds.texts.schema,
    keep=_texts,
    inner=_inside(_number_items, "a text"),
)
"""Texts; items of other kinds are reported and left out."""
ONE_OR_MORE = replace(
    TEXTS,
    expected="a list of texts, or one text",
    fits=lambda value: isinstance(value, str | list),
    schema={"anyOf": [kinds.text.schema, kinds.texts.schema]},
)
BY_NAME = kinds.Kind(
    "texts by name",
    lambda value: isinstance(value, dict),
    {"type": "object", "additionalProperties": kinds.text.schema},
    keep=lambda value: {str(name): text for name, text in value.items() if isinstance(text, str)},
    inner=_inside(_name_items, "a text"),
)
VOICE = kinds.Kind(
    "a text, or texts by name",
    lambda value: isinstance(value, str | dict),
    {"anyOf": [kinds.text.schema, BY_NAME.schema]},
    keep=lambda value: _texts([*value.values()] if isinstance(value, dict) else value),
    inner=BY_NAME.inner,
)


def _bonds_problems(value: object) -> Iterator[RecordError]:
    yield from _inside(_number_items, "the id of a character")(value)
    yield from _inside(_name_items, "a text", str | None)(value)


BONDS = kinds.Kind(
    "a mapping of characters to texts, or a list of characters",
    lambda value: isinstance(value, dict | list),
    {"anyOf": [{"type": "object", "additionalProperties": {"type": ["string", "null"]}}, kinds.texts.schema]},
    keep=lambda value: (
        {str(name): text if isinstance(text, str) else "" for name, text in value.items()}
        if isinstance(value, dict)
        else dict.fromkeys(_texts(value), "")
    ),
    inner=_bonds_problems,
)


def _rag_problems(value: object) -> Iterator[RecordError]:
    for problem in read_rag(value, RagSettings())[1]:
        unknown = problem.code == "setting-unknown"
        code = UNKNOWN if unknown else VALUE
        yield RecordError(problem.keys[1:], code, problem.message, problem.hint, unknown=unknown)


RAG = kinds.Kind(
    "false, or settings as under rag in gm.yaml",
    lambda value: value is False or isinstance(value, dict),
    {"anyOf": [{"const": False}, settings_schema(RagSettings)]},
    inner=_rag_problems,
)
AGE = kinds.Kind(
    "a whole number, or a text",
    lambda value: isinstance(value, int | str) and not isinstance(value, bool),
    {"type": ["integer", "string"]},
)
DAYS = kinds.Kind(
    "a list of story days",
    lambda value: isinstance(value, list) and all(type(day) is int and day >= 0 for day in value),
    {"type": "array", "items": {"type": "integer", "minimum": 0}},
    keep=tuple,
)
LENSES = kinds.Kind("a list of lenses", lambda _: True, {"type": "array"})
"""``memory.lens`` reads the items, with their problems."""
STRIPPED_WORDS = replace(kinds.words, keep=str.strip)
STRIPPED_TEXT = replace(kinds.text, keep=str.strip)
FILLED_TEXTS = replace(kinds.texts, keep=lambda value: tuple(filter(None, value)))
