"""How replies state importance: as a number, as three facets, or not at all.

All scenes share one form: another schema would invalidate provider caches. Facets are required keys, because providers
limit the number of optional ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from gm.model.reply_form import Facets

REPLY, FACETS, HEURISTIC = "reply", "facets", "heuristic"
Schema = dict[str, Any]
"""A JSON Schema."""
IMPORTANCE, PARTS = "importance", "facets"
WEIGHED = ("memories", "conversation", "artifact", "plan", "insights")
"""Keys of replies whose items have an importance."""


def weighed_schema(schema: Schema, source: str) -> Schema:
    """Return a schema with importance as ``source`` wants it: ``reply``, ``facets`` or ``heuristic``."""
    changed = deepcopy(schema)
    if source == REPLY:
        return changed
    definitions = changed.get("$defs", {})
    weighed = [item for item in definitions.values() if IMPORTANCE in item.get("properties", ())]
    for item in weighed:
        item["properties"] = dict(_property(name, value, source) for name, value in _kept(item, source))
        required = [name for name in item.get("required", ()) if name != IMPORTANCE]
        item["required"] = [*required, PARTS] if source == FACETS else required
    if weighed and source == FACETS:
        definitions[Facets.__name__] = Facets.model_json_schema()
    return changed


def weigh_keys(data: Mapping[str, object], source: str) -> dict[str, object]:
    """Return the data of a reply without importance keys that were not asked for.

    With ``facets``, a plain importance is kept as a fallback.
    """
    unasked = {REPLY: (PARTS,), FACETS: (), HEURISTIC: (PARTS, IMPORTANCE)}[source]
    if not unasked:
        return dict(data)
    return {key: _without(value, unasked) if key in WEIGHED else value for key, value in data.items()}


def _kept(definition: Schema, source: str) -> list[tuple[str, object]]:
    return [item for item in definition["properties"].items() if item[0] != IMPORTANCE or source == FACETS]


def _property(name: str, value: object, source: str) -> tuple[str, object]:
    if name == IMPORTANCE and source == FACETS:
        return PARTS, {"$ref": f"#/$defs/{Facets.__name__}"}
    return name, value


def _without(value: object, keys: tuple[str, ...]) -> object:
    if isinstance(value, list):
        return [_without(item, keys) for item in value]
    if isinstance(value, dict):
        return {key: item for key, item in value.items() if key not in keys}
    return value
