"""A reply's schema as servers enforce it in different ways. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gm.base.config import ReplySettings
from gm.model.importance_source import Schema

TEXT_CHARACTERS, BODY_CHARACTERS, LIST_ITEMS = 2_000, 20_000, 12
"""Bounds of a text, of the text of a piece, and of a list, where the schema has none: a small model that follows a
grammar does not end a text by itself."""
BODY = "body"
NOT_STRICT = frozenset(("default", "title", "pattern", "format", "exclusiveMinimum", "exclusiveMaximum")) | frozenset(
    ("minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum")
)
"""What strict rules do not allow everywhere. The descriptions say it, and the reader of the reply checks it."""


def strict_form(schema: Mapping[str, Any]) -> Schema:
    """Return a schema by OpenAI's strict rules: closed objects, all keys required, nothing bounded."""

    def close(part: Schema, _name: str) -> Schema:
        made = {key: value for key, value in part.items() if key not in NOT_STRICT}
        if "properties" in made:
            made |= {"required": list(made["properties"]), "additionalProperties": False}
        if "$ref" in made and len(made) > 1:
            made["anyOf"] = [{"$ref": made.pop("$ref")}]
        return made

    return _rebuilt(schema, close)


def grammar_form(schema: Mapping[str, Any], limits: ReplySettings) -> Schema:
    """Return a schema for a grammar: texts and lists are bounded by ``limits``."""
    texts = min(TEXT_CHARACTERS, limits.most_characters)
    bodies = min(BODY_CHARACTERS, limits.most_body_characters)
    items = min(LIST_ITEMS, limits.most_items)

    def bound(part: Schema, name: str) -> Schema:
        made = {key: value for key, value in part.items() if key not in ("default", "title")}
        if made.get("type") == "string" and "enum" not in made:
            most = bodies if name == BODY else texts
            made["maxLength"] = min(made.get("maxLength", most), most)
        if made.get("type") == "array":
            made["maxItems"] = min(made.get("maxItems", items), items)
        return made

    return _rebuilt(schema, bound)


def _rebuilt(schema: Mapping[str, Any], change: Callable[[Schema, str], Schema], name: str = "") -> Schema:
    made: Schema = {}
    for key, value in schema.items():
        if key in ("properties", "$defs"):
            made[key] = {inner: _rebuilt(part, change, inner) for inner, part in value.items()}
        elif key == "anyOf":
            made[key] = [_rebuilt(part, change, name) for part in value]
        elif key == "items":
            made[key] = _rebuilt(value, change, name)
        else:
            made[key] = value
    return change(made, name)
