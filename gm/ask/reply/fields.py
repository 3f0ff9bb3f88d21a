"""The fields of a form in which a person writes a reply, made from the reply's schema, and the reply that they make."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from pydantic import BaseModel

from gm.ask.reply.extract import extract_object
from gm.ask.reply.parse import numbers_in
from gm.ask.reply.schema import NO_LAYERS, schema_of
from gm.base.untyped import as_list
from gm.model.importance_source import REPLY, Schema
from gm.model.mind import layer_keys
from gm.model.reply_texts import NO_TEXTS, ReplyTexts

LONG = frozenset({"action", "answer", "body", "description", "text", "thoughts"})
"""Keys of texts that may have several sentences."""
BY_COMMAS = frozenset({"about", "audience", "evidence", "style_tags", "tags"})
"""Keys of lists that are written on one line."""
ROWS, MORE_ROWS = 2, {"dialogue": 3, "memories": 3}
"""How many items of a list can be filled in."""
MOST_DIGITS = 20
FIRST = {"importance": "5"}
"""First content of the field of a key, in every item; such a field alone makes no item."""


@dataclass(frozen=True, slots=True)
class Field:
    """One field.

    Attributes:
        name: Unique in its form: the keys that lead to the value, with dots (``memories.0.tags``).
        kind: ``text``, ``long``, ``lines``, ``words`` (by commas), ``number``, ``tick``, ``choice`` or ``rows``.
        rows: Further fields, for each item of a list, or in one row for an object.
        is_list: Whether the rows are the items of a list.
        required: Whether a reply without it cannot be used.
        help: What is said of the key, in the world's language; may be empty.
    """

    name: str
    key: str
    kind: str
    first: str = ""
    options: tuple[str, ...] = ()
    rows: tuple[tuple[Field, ...], ...] = ()
    is_list: bool = False
    required: bool = False
    help: str = ""


def form_fields(
    form: type[BaseModel],
    keys: Iterable[str] = (),
    texts: ReplyTexts = NO_TEXTS,
    *,
    kinds: bool = False,
    importance_from: str = REPLY,
) -> tuple[Field, ...]:
    """Return the fields of a form of replies.

    Args:
        keys: Those that are asked for; empty = all that are in every world.
        kinds: Whether memories have finer kinds.
    """
    layers = frozenset(layer_keys(form).values()) if keys else NO_LAYERS
    schema = schema_of(form, texts, layers | {"kinds"} if kinds else layers - {"kinds"}, importance_from)
    wanted = tuple(keys) or tuple(schema["properties"])
    needed = {field.alias or name for name, field in form.model_fields.items() if field.is_required()}
    return tuple(
        _field(key, key, part, schema.get("$defs", {}), required=key in needed)
        for key, part in schema["properties"].items()
        if key in wanted
    )


def _field(name: str, key: str, part: Schema, known: Schema, *, required: bool) -> Field:
    field = _plain_field(name, key, _resolve_part(part, known), known)
    return replace(field, required=required, help=part.get("description", ""))


def _plain_field(name: str, key: str, part: Schema, known: Schema) -> Field:
    kind = part.get("type")
    if kind == "object":
        return Field(name, key, "rows", rows=(_row(name, part, known),))
    if kind == "array":
        item = _resolve_part(part["items"], known)
        if item.get("type") == "object":
            rows = tuple(_row(f"{name}.{at}", item, known) for at in range(MORE_ROWS.get(key, ROWS)))
            return Field(name, key, "rows", rows=rows, is_list=True)
        is_short = key in BY_COMMAS or item.get("type") == "integer"
        return Field(name, key, "words" if is_short else "lines")
    if "enum" in part:
        options = tuple(map(str, part["enum"]))
        return Field(name, key, "choice", options[0], options)
    plain = {"boolean": "tick", "integer": "number", "number": "number"}.get(str(kind))
    return Field(name, key, plain or ("long" if key in LONG else "text"), FIRST.get(key, ""))


def _row(name: str, part: Schema, known: Schema) -> tuple[Field, ...]:
    return tuple(
        _field(f"{name}.{key}", key, inner, known, required=key in part.get("required", ()) and "default" not in inner)
        for key, inner in part["properties"].items()
    )


def _resolve_part(part: Schema, known: Schema) -> Schema:
    if "anyOf" in part:
        part = next(item for item in part["anyOf"] if item.get("type") != "null")
    return known[part["$ref"].rpartition("/")[2]] if "$ref" in part else part


def read_fields(fields: Iterable[Field], filled: Mapping[str, str]) -> dict[str, object]:
    """Return a reply as plain data; what is empty is left out. Numbers that are none stay texts, for the check."""
    return {field.key: value for field in fields if (value := _value(field, filled)) is not None}


def fill_fields(fields: Iterable[Field], text: str) -> dict[str, str]:
    """Return what stands in the fields, by their names, when they are filled in from an answer; empty without one."""
    found = extract_object(text) if text else None
    return dict(_list_filled(fields, found.data)) if found else {}


def _list_filled(fields: Iterable[Field], data: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    for field in fields:
        value = data.get(field.key)
        if field.kind == "rows":
            items = as_list(value)
            for row, item in zip(field.rows, items, strict=False):
                yield from _list_filled(row, item) if isinstance(item, Mapping) else ()
        elif isinstance(value, list):
            yield field.name, (", " if field.kind == "words" else "\n").join(map(str, value))
        elif value is not None and value is not False:
            yield field.name, "on" if value is True else str(value)
        elif field.first:
            yield field.name, ""  # it was taken out


def _value(field: Field, filled: Mapping[str, str]) -> object:
    if field.kind == "rows":
        written = [row for row in field.rows if _is_written(row, filled)]
        if field.is_list:
            return [read_fields(row, filled) for row in written] or None
        return read_fields(field.rows[0], filled) if written or field.required else None
    text = filled.get(field.name, field.first).strip()
    if field.kind == "tick":
        return bool(text)
    if not text:
        return None
    if field.kind in ("lines", "words"):
        parts = text.split(",") if field.kind == "words" else text.splitlines()
        return [part.strip() for part in parts if part.strip()]
    return _number(text) if field.kind == "number" else text


def _is_written(row: Iterable[Field], filled: Mapping[str, str]) -> bool:
    return any(
        any(_is_written(inner, filled) for inner in field.rows)
        if field.kind == "rows"
        else field.kind not in ("tick", "choice") and _value(field, filled) not in (None, [], _value(field, {}))
        for field in row
    )


def _number(text: str) -> int | float | str:
    found = numbers_in(text)
    return found[0] if len(found) == 1 and len(text) <= MOST_DIGITS else text
