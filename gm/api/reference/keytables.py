"""Tables of keys in Markdown, from a JSON Schema."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

Schema = dict[str, Any]
_WORDS = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
    "null": "null",
    "array": "list",
    "object": "object",
}
_DEEPEST = 6


def render_keys(schema: Schema, *, defaults: bool = False) -> str:
    """Return a table of all keys of an object, those of inner objects below their own.

    ``a.b`` is a key in an object, ``a[].b`` one in each object of a list, ``a.*`` each key that is a name.

    Args:
        defaults: Whether there is a column of what an absent key means.
    """
    rows = list(_walk_rows(schema, "", True))
    if not rows:
        return "No key is declared.\n"
    head = "| key | type | default | |\n|---|---|---|---|" if defaults else "| key | type | |\n|---|---|---|"
    lines = (
        f"| `{key}` | {_cell(type_in_words(one))} |{f' {_default(one, needed)} |' if defaults else ''}"
        f" {_sentence(one, needed or defaults)} |"
        for key, one, needed in rows
    )
    return "\n".join((head, *lines)) + "\n"


def type_in_words(schema: Schema) -> str:
    """Say which values a schema allows: ``whole number 1–10``, ``list of text``, ``text or null``."""
    if "enum" in schema:
        return "one of " + ", ".join(f"`{value}`" for value in schema["enum"])
    if "const" in schema:
        return f"`{schema['const']}`"
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(map(type_in_words, schema["anyOf"])))
    kind = schema.get("type")
    if isinstance(kind, list):
        return " or ".join(_WORDS.get(str(one), "any value") for one in kind)
    if kind == "array":
        return f"list of {type_in_words(schema['items'])}" if schema.get("items") else "list"
    if kind == "object":
        each = schema.get("additionalProperties")
        named = isinstance(each, dict) and each and not schema.get("properties")
        return f"object by name: {type_in_words(each)}" if named and isinstance(each, dict) else "object"
    return _WORDS.get(str(kind), "any value") + _range(schema)


def _range(schema: Schema) -> str:
    least, most = schema.get("minimum"), schema.get("maximum")
    if least is not None and most is not None:
        return f" {least}–{most}"
    return f", at least {least}" if least is not None else f", at most {most}" if most is not None else ""


def _walk_rows(schema: Schema, before: str, needed: bool) -> Iterator[tuple[str, Schema, bool]]:
    for name, one in schema.get("properties", {}).items():
        if one is False:
            continue
        key = before + name
        is_needed = needed and name in schema.get("required", ())
        yield key, one, name in schema.get("required", ())
        if key.count(".") < _DEEPEST:
            yield from _inner(one, key, is_needed)


def _inner(schema: Schema, key: str, needed: bool) -> Iterator[tuple[str, Schema, bool]]:
    for one in schema.get("anyOf", (schema,)):
        if one.get("type") == "array":
            yield from _inner(one.get("items", {}), f"{key}[]", needed)
        elif one.get("properties"):
            yield from _walk_rows(one, f"{key}.", needed)
        elif isinstance(one.get("additionalProperties"), dict):
            yield from _inner(one["additionalProperties"], f"{key}.*", needed)


def _default(schema: Schema, needed: bool) -> str:
    if "default" in schema:
        return f"`{_cell(json.dumps(schema['default'], ensure_ascii=False))}`"
    return "required" if needed else ""


def _sentence(schema: Schema, needed: bool) -> str:
    said = str(schema.get("description") or "").replace("``", "`")
    said = re.sub(r"\bNone\b", "null", said)
    examples = "".join(f" Example: `{json.dumps(one, ensure_ascii=False)}`" for one in schema.get("examples", ()))
    text = (said[:1].upper() + said[1:]).rstrip(".") + "." if said else ""
    return _cell(f"{text}{examples}{'' if needed else ' May be absent.'}".strip())


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())
