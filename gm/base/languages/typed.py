"""Make a frozen value of what a YAML file declares, by the types of its fields."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from types import UnionType
from typing import TYPE_CHECKING, Any, TypeVar, get_args, get_origin, get_type_hints

from gm.base.casefold import casefold

if TYPE_CHECKING:  # only the checker knows this name
    from _typeshed import DataclassInstance

Made = TypeVar("Made", bound="DataclassInstance")


def make_typed(kind: type[Made], values: object, place: str) -> Made:
    """Make a dataclass of a mapping.

    A set is declared as words with spaces between, which are case folded; a pattern ignores case; a tuple is a list.

    Args:
        place: The file and keys, for messages.

    Raises:
        ValueError: A key is unknown or missing, or a value has another kind.
    """
    if not isinstance(values, Mapping):
        raise ValueError(f"{place}: found {values!r}, expected keys with values")
    known, hints = {one.name for one in fields(kind)}, get_type_hints(kind)
    if unknown := values.keys() - known:
        raise ValueError(f"{place}: unknown: {', '.join(map(str, sorted(unknown, key=str)))}")
    try:
        return kind(**{key: _read_typed(hints[key], value, f"{place}: {key}") for key, value in values.items()})
    except TypeError as error:
        raise ValueError(f"{place}: {error}") from None


def _read_typed(hint: object, value: object, place: str) -> Any:
    if isinstance(hint, UnionType):
        hint = get_args(hint)[0]
    if isinstance(hint, type) and is_dataclass(hint):
        return make_typed(hint, value, place)
    origin, inner = get_origin(hint), get_args(hint)
    if origin is frozenset and isinstance(value, str):
        return frozenset(map(casefold, value.split()))
    if origin is tuple and isinstance(value, list) and (inner[-1] is ... or len(value) == len(inner)):
        return tuple(_read_typed(inner[0], item, f"{place}[{number}]") for number, item in enumerate(value))
    if origin is Mapping and isinstance(value, dict):
        return {
            _read_typed(inner[0], key, place): _read_typed(inner[1], item, f"{place}.{key}")
            for key, item in value.items()
        }
    if origin is re.Pattern and isinstance(value, str):
        return _compile(value, place)
    if isinstance(hint, type) and type(value) is hint:
        return value
    raise ValueError(f"{place}: found {value!r}, expected {hint}")


def _compile(value: str, place: str) -> re.Pattern[str]:
    try:
        return re.compile(value, re.IGNORECASE)
    except re.error as error:
        raise ValueError(f"{place}: no pattern: {error}") from None
