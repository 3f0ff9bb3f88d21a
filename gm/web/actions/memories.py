"""Memories: one is changed, one is added."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gm.errors import UsageError
from gm.model.node import NODE_TYPES, Node
from gm.store.commits.snapshot import snapshot
from gm.texts import is_digits
from gm.tools.memory.add import NewMemory, add_memory
from gm.tools.memory.correct import Correction, StaleError, correct_memory
from gm.tools.memory.kept import find_kept, find_one, line_of, line_print
from gm.web.actions.action import Act, Action, Fields
from gm.web.pages.kind import Params, Query
from gm.web.paths import plain_name
from gm.web.rendering import nearest_page
from gm.web.site import NoPageError, Site


def begin_change(site: Site, params: Params, query: Query) -> Fields:
    """Fill in a memory as it stands, with its line and the name of its line."""
    agent = site.face(params["agent"]).id
    with snapshot(site.layout):
        identifier = _identifier(params)
        if not find_kept(site.layout, identifier):
            raise NoPageError(identifier)
        kept = find_one(site.layout, identifier)
        line = line_of(site.layout, kept)
    if kept.agent != agent:
        raise NoPageError(identifier)
    return {**_shown(kept.node), "print": line_print(line), "was": line}


def plan_change(site: Site, params: Params, fields: Fields) -> Act:
    """Change only what is no longer as the form was filled in at first."""
    identifier = _identifier(params)
    found = find_kept(site.layout, identifier)
    if not found:
        raise StaleError(identifier, "")
    correction = _correction(site, found[0].node, fields)
    return lambda: correct_memory(site.layout, identifier, correction, fields.get("print", "-"))


def show_change(site: Site, params: Params, fields: Fields) -> Mapping[str, Any]:
    """Say which memory it is, and where it stands."""
    kept = next(iter(find_kept(site.layout, _identifier(params))), None)
    is_same = kept is None or fields.get("importance", "") == str(kept.node.importance)
    return {"agent": site.face(params["agent"]).id, "kept_at": kept, "weighs_other": not is_same}


def _correction(site: Site, node: Node, fields: Fields) -> Correction:
    shown = _shown(node)
    changed = {name: text for name, text in fields.items() if name in shown and text != shown[name]}
    return Correction(
        description=changed.get("description"),
        importance=_importance(site, changed["importance"]) if "importance" in changed else None,
        tags=_split(changed["tags"]) if "tags" in changed else None,
    )


def _shown(node: Node) -> dict[str, str]:
    # as a browser gives a text back: it knows one kind of line end
    text = node.description.replace("\r\n", "\n").replace("\r", "\n")
    return {"description": text, "importance": str(node.importance), "tags": ", ".join(node.tags)}


def _identifier(params: Params) -> str:
    try:
        return plain_name(params["node"])
    except ValueError as error:
        raise NoPageError(params["node"]) from error


def _place_change(site: Site, params: Params, done: object) -> str:
    return nearest_page(("memory", {"agent": site.face(params["agent"]).id, "node": _identifier(params)}), *_around(
        site, params
    ))  # fmt: skip


def begin_new(site: Site, params: Params, query: Query) -> Fields:
    """Offer an empty memory of middling importance."""
    site.face(params["agent"])
    return {"description": "", "importance": "5", "tags": "", "type": "observation", "evidence": ""}


def plan_new(site: Site, params: Params, fields: Fields) -> Act:
    """Write it down as it was filled in."""
    wish = NewMemory(
        fields.get("description", ""),
        _importance(site, fields.get("importance", "")),
        fields.get("type", "observation"),
        _split(fields.get("tags", "")),
        _split(fields.get("evidence", "")),
    )
    if wish.type not in NODE_TYPES:
        raise UsageError(f"there is no kind of memory {wish.type!r}", "known: " + ", ".join(NODE_TYPES))
    agent = site.face(params["agent"]).id
    return lambda: add_memory(site.layout, agent, wish)


def show_new(site: Site, params: Params, fields: Fields) -> Mapping[str, Any]:
    """Say whose memory it will be."""
    return {"agent": site.face(params["agent"]).id, "types": NODE_TYPES}


def _place_new(site: Site, params: Params, done: object) -> str:
    written = [("memory", {"agent": site.face(params["agent"]).id, "node": node.id}) for node in _nodes(done)]
    return nearest_page(*written, *_around(site, params))


def _nodes(done: object) -> list[Node]:
    return [item for item in done if isinstance(item, Node)] if isinstance(done, tuple) else []


def _around(site: Site, params: Params) -> list[tuple[str, dict[str, object]]]:
    return [("agent", {"agent": site.face(params["agent"]).id})]


def _split(text: str) -> tuple[str, ...]:
    return tuple(part for part in (piece.strip() for piece in text.split(",")) if part)


def _importance(site: Site, text: str) -> int:
    number = text.strip()
    if not (is_digits(number, 3) and 1 <= int(number) <= 10):
        raise UsageError(site.words("edit.wrong.importance"), site.words("edit.help.importance"))
    return int(number)


CHANGE = Action(
    "memory",
    "edit/{agent}/memory/{node}.html",
    "agents",
    begin_change,
    plan_change,
    _place_change,
    show_change,
    required=("description", "importance"),
)
NEW = Action(
    "new",
    "edit/{agent}/memory.html",
    "agents",
    begin_new,
    plan_new,
    _place_new,
    show_new,
    required=("description", "importance"),
)
