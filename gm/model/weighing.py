"""Where importance comes from, in the form of a reply: a number, three facets, or nothing at all.

All scenes of a world ask in the same form: a provider that caches the beginning of a question forgets it when another
schema comes. Facets are required keys: providers limit how many may be optional.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from gm.model.replies import Facets

REPLY, FACETS, HEURISTIC = "reply", "facets", "heuristic"
IMPORTANCE, PARTS = "importance", "facets"
WEIGHED = ("memories", "conversation", "artifact", "plan", "insights")
"""Keys of replies below which something has an importance."""


def weighed_schema(schema: Mapping[str, Any], source: str) -> dict[str, Any]:
    """Change the schema of a reply so that it asks for importance as the world wants it.

    Args:
        schema: The schema with importance as a number that may be left out.
        source: ``reply``, ``facets`` or ``heuristic``.
    """
    changed = deepcopy(dict(schema))
    if source == REPLY:
        return changed
    definitions = changed.get("$defs", {})
    weighed = [item for item in definitions.values() if _is_weighed(item)]
    for item in weighed:
        item["properties"] = dict(_property(name, value, source) for name, value in _kept(item, source))
        required = [name for name in item.get("required", ()) if name != IMPORTANCE]
        item["required"] = [*required, PARTS] if source == FACETS else required
    if weighed and source == FACETS:
        definitions[Facets.__name__] = Facets.model_json_schema()
    return changed


def weigh_keys(data: Mapping[str, Any], source: str) -> dict[str, Any]:
    """Remove what says how important something is and was not asked for from the data of a reply.

    Importance that stands where facets were asked for is kept: it counts when there are none.
    """
    unasked = {REPLY: (PARTS,), FACETS: (), HEURISTIC: (PARTS, IMPORTANCE)}[source]
    if not unasked:
        return dict(data)
    return {key: _without(value, unasked) if key in WEIGHED else value for key, value in data.items()}


def _is_weighed(definition: Mapping[str, Any]) -> bool:
    return IMPORTANCE in definition.get("properties", ())


def _kept(definition: Mapping[str, Any], source: str) -> list[tuple[str, Any]]:
    return [item for item in definition["properties"].items() if item[0] != IMPORTANCE or source == FACETS]


def _property(name: str, value: Any, source: str) -> tuple[str, Any]:
    if name == IMPORTANCE and source == FACETS:
        return PARTS, {"$ref": f"#/$defs/{Facets.__name__}"}
    return name, value


def _without(value: Any, keys: tuple[str, ...]) -> Any:
    if isinstance(value, list):
        return [_without(item, keys) for item in value]
    if isinstance(value, dict):
        return {key: item for key, item in value.items() if key not in keys}
    return value
