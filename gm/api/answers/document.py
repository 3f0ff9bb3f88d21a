"""How answers (frozen dataclasses) become JSON: fields in declared order; ``part`` declares exceptions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass
from os import PathLike, fspath
from typing import Any, NotRequired, get_origin, get_type_hints

from gm.base.arguments import WrongTypeError

_RULE = "json"
_NEVER: Any = object()


@dataclass(frozen=True, slots=True)
class FieldRule:
    """How a field is written; ``part`` declares it."""

    key: str
    omit: Any
    inline: bool
    by: Callable[[Any], Any] | None

    @property
    def may_be_absent(self) -> bool:
        """Whether the key is left out for some values."""
        return self.omit is not _NEVER


_PLAIN = FieldRule("", _NEVER, False, None)


def part(
    key: str = "",
    *,
    omit: Any = _NEVER,
    inline: bool = False,
    by: Callable[[Any], Any] | None = None,
    init: bool = True,
) -> Any:
    """Declare how a field of an answer is written.

    Args:
        omit: Default of the field; omitted from the JSON.
        inline: Put the value's keys in the field's place.
        by: Converts the value, or each item of a tuple; None becomes null.
        init: Whether it is given; False = made of the other fields.
    """
    metadata = {_RULE: FieldRule(key, omit, inline, by)}
    return field(init=init, metadata=metadata) if omit is _NEVER else field(default=omit, metadata=metadata)


def written_as(shape: type) -> Callable[[Any], dict[str, Any]]:
    """Return a function for ``part(by=…)`` that writes the attributes of a value that a typed dictionary names.

    Keys that may be absent are left out where there is nothing: None, or an empty text.
    """
    keys = {key: get_origin(hint) is NotRequired for key, hint in get_type_hints(shape, include_extras=True).items()}

    def write(value: object) -> dict[str, Any]:
        found = {key: getattr(value, key) for key in keys}
        return {key: one for key, one in found.items() if not keys[key] or one not in (None, "")}

    write.__annotations__["return"] = shape
    return write


def rule_of(item: Field[Any]) -> FieldRule:
    """Return how a field is written."""
    rule: FieldRule = item.metadata.get(_RULE, _PLAIN)
    return rule


def as_json(value: object) -> Any:
    """Return an answer as JSON data; paths become texts, sets sorted lists.

    Raises:
        WrongTypeError: A value in it is none that JSON has.

    Examples:
        >>> gm.as_json(gm.describe_stats(opened.world))["all"]["memories"]
        101
    """
    if is_dataclass(value) and not isinstance(value, type):
        record = getattr(value, "record", None)
        return record() if callable(record) else _object_document(value)
    if isinstance(value, Mapping):
        return {key: as_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [as_json(item) for item in value]
    if isinstance(value, frozenset):
        return sorted(map(as_json, value), key=str)
    if isinstance(value, PathLike):
        return fspath(value)
    if value is None or isinstance(value, str | int | float):
        return value
    raise WrongTypeError(f"JSON has no {type(value).__name__}", "take what functions such as gm.describe_status return")


def _object_document(value: Any) -> dict[str, Any]:
    document: dict[str, Any] = {}
    for item in fields(value):
        if not item.init and item.default_factory is not MISSING:
            continue  # what the value keeps of what was computed from it
        rule = rule_of(item)
        held = getattr(value, item.name)
        if rule.may_be_absent and held == rule.omit:
            continue
        plain = as_json(held) if rule.by is None else _by(rule.by, held)
        if rule.inline:
            document |= plain
        else:
            document[rule.key or item.name] = plain
    return document


def _by(by: Callable[[Any], Any], held: object) -> Any:
    if isinstance(held, tuple):
        return [by(item) for item in held]
    return None if held is None else by(held)
