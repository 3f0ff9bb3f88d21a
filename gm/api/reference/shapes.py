"""The JSON Schema of an answer, from its type alone (``gm.api.answers.document`` makes the answer of a value)."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    Required,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from gm.api.answers.document import rule_of
from gm.api.reference.public import doc_items
from gm.model.record import Record

Schema = dict[str, Any]
Known = Mapping[Any, Schema]
"""Schemas of what declares none itself, by class or function."""
_PLAIN: Mapping[Any, Schema] = {
    str: {"type": "string"},
    Path: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    type(None): {"type": "null"},
    Any: {},
    object: {},
}


def describe_type(kind: object, known: Known) -> Schema:
    """Return the JSON Schema of a type.

    Args:
        kind: A frozen dataclass, a typed dictionary, a schema itself, or what their fields are annotated with; the
            sentence of an ``Annotated`` one is its description. A class with ``record`` and a field with ``by`` are
            described by what these functions return.
        known: Looked up first; also for functions that a field is written by.
    """
    if isinstance(kind, dict):
        return kind
    if isinstance(kind, TypeVar):
        return known.get(kind, {})
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (NotRequired, Required):
        return describe_type(inner[0], known)
    if origin is Annotated:
        return {**describe_type(inner[0], known), "description": inner[1]}
    if origin is Literal:
        return {"enum": list(inner)}
    if origin in (Union, types.UnionType):
        return _any_of([describe_type(one, known) for one in inner])
    kind = origin or kind
    found = known.get(kind) or _PLAIN.get(kind)
    if found is not None:
        return found
    if is_typeddict(kind):
        return _typed_dictionary(kind, known)
    if is_dataclass(kind):
        given = zip(getattr(kind, "__parameters__", ()), inner, strict=False)
        return _dataclass(kind, {**known, **{name: describe_type(one, known) for name, one in given}})
    if not isinstance(kind, type):  # a function, or something else that no document holds
        return {}
    if issubclass(kind, Mapping):
        return {"type": "object", **({"additionalProperties": describe_type(inner[1], known)} if inner else {})}
    items = [describe_type(one, known) for one in inner if one is not ...]
    return {"type": "array", **({"items": _any_of(items)} if items else {})}


def _any_of(schemas: list[Schema]) -> Schema:
    apart = [one for at, one in enumerate(schemas) if one not in schemas[:at]]
    return apart[0] if len(apart) == 1 else {} if {} in apart else {"anyOf": apart}


def _typed_dictionary(kind: object, known: Known) -> Schema:
    hints = get_type_hints(kind, include_extras=True)
    keys = {name: describe_type(hint, known) for name, hint in hints.items()}
    return _object_schema(keys, [name for name, hint in hints.items() if get_origin(hint) is not NotRequired])


def _dataclass(kind: Any, known: Known) -> Schema:
    if callable(record := getattr(kind, "record", None)):
        return describe_type(get_type_hints(record)["return"], known)
    hints = get_type_hints(kind)
    sentences = doc_items(inspect.getdoc(kind) or "", "Attributes")
    schema = _object_schema({}, [])
    for item in fields(kind):
        rule = rule_of(item)
        found = describe_type(hints[item.name], known) if rule.by is None else _by(rule.by, hints[item.name], known)
        if rule.inline:
            schema = _merge_schemas(schema, found, needed=not rule.may_be_absent)
            continue
        key = rule.key or item.name
        schema["properties"][key] = _with_description(found, sentences.get(item.name, ""))
        if not rule.may_be_absent:
            schema["required"].append(key)
    return schema


def _by(by: Callable[[Any], Any], hint: object, known: Known) -> Schema:
    record = getattr(by, "__self__", None)
    written = record.schema() if isinstance(record, Record) else None
    found = known.get(by) or written or describe_type(get_type_hints(by)["return"], known)
    if get_origin(hint) is tuple:
        return {"type": "array", "items": found}
    nullable = type(None) in get_args(hint)
    return _any_of([found, {"type": "null"}]) if nullable else found


def _object_schema(keys: Mapping[str, Schema], required: list[str]) -> Schema:
    return {"type": "object", "properties": dict(keys), "required": required, "additionalProperties": False}


def _merge_schemas(outer: Schema, inner: Schema, *, needed: bool) -> Schema:
    objects = [one for one in inner.get("anyOf", [inner]) if one.get("type") == "object"]
    needed = needed and len(objects) == 1
    for one in objects:
        outer["properties"] |= one.get("properties", {})
        outer["required"] += one.get("required", []) if needed else []
        if one.get("additionalProperties") is not False:
            outer["additionalProperties"] = one.get("additionalProperties", {})
    return outer


def _with_description(schema: Schema, sentence: str) -> Schema:
    return {**schema, "description": sentence} if sentence else schema
