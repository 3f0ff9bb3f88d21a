"""Describe how two runs differ: what ``gm compare`` says."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gm.config import parse_settings
from gm.layers.soul import SOUL
from gm.store import inside
from gm.store.layout import GALLERY, Layout
from gm.store.traces import TraceReader
from gm.tools.compare.curves import curves_of
from gm.tools.compare.parting import compare_contents, find_parting, scene_differences
from gm.tools.compare.sides import Side, find_side
from gm.tools.cost import describe_cost

_GIVEN = (inside.PROMPTS, inside.PERSONAS, inside.layer_folder(SOUL), inside.GIFTED)
_CURVES = ("importance", "memories", "mood")


def describe_comparison(first: str, second: str, world: Callable[[], Layout]) -> dict[str, Any]:
    """Hold two runs against each other.

    Args:
        first: A folder, or a commit, a branch or a day of the world.
        second: Likewise.
        world: Finds the world whose commits and days are meant.

    Returns:
        The document of ``gm compare --json``: ``a``, ``b``, ``given``, ``parting``, ``memories``, ``days``, ``agents``,
        ``scenes``, ``artifacts``, ``board``, ``costs``, ``unreadable``.

    Raises:
        UsageError: There is no such folder, commit or day.
        GitError: A commit is asked for, and there is no repository.
    """
    a, b = find_side(first, world), find_side(second, world)
    days = sorted({place.day for side in (a, b) for place in side.scenes} | {*a.ended, *b.ended})
    one, other = curves_of(a, days), curves_of(b, days)
    return {
        "a": _named(a),
        "b": _named(b),
        "given": _given(a, b),
        "parting": find_parting(a, b),
        "memories": compare_contents(a, b),
        "days": days,
        "agents": {name: _agent(one.get(name, {}), other.get(name, {}), len(days)) for name in sorted({*one, *other})},
        "scenes": scene_differences(a, b),
        "artifacts": _artifacts(a, b),
        "board": _board(a, b),
        "costs": {"a": _cost(a), "b": _cost(b)},
        "unreadable": [{"side": name, **item} for name, side in (("a", a), ("b", b)) for item in side.unreadable],
    }


def _named(side: Side) -> dict[str, Any]:
    state = side.state
    day = None if state.partial else state.day
    return {
        "name": state.name,
        "kind": state.kind,
        "commit": state.commit or None,
        "day": day[0] if day else (max(side.ended, default=None)),
        "open": day[1] if day else None,
        "partial": state.partial,
    }


def _given(a: Side, b: Side) -> dict[str, Any]:
    """Tell what the runs were given that differs: settings by dotted name, and files that people write."""
    if a.state.partial or b.state.partial:
        return {"settings": {}, "files": []}
    one, other = (_flat(side.document(inside.SETTINGS)) for side in (a, b))
    settings = {
        key: [one.get(key), other.get(key)] for key in dict.fromkeys((*one, *other)) if one.get(key) != other.get(key)
    }
    paths = sorted({path for side in (a, b) for path in side.state.prints if path.startswith(_GIVEN)})
    files = [path for path in paths if a.state.prints.get(path) != b.state.prints.get(path)]
    return {"settings": settings, "files": files}


def _flat(data: Mapping[Any, Any], before: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in data.items():
        name = f"{before}{key}"
        if isinstance(value, dict) and value:
            found |= _flat(value, f"{name}.")
        else:
            found[name] = value
    return found


def _agent(one: Mapping[str, Any], other: Mapping[str, Any], days: int) -> dict[str, Any]:
    nothing: list[None] = [None] * days
    trust = one.get("trust", {}), other.get("trust", {})
    return {
        **{key: {"a": one.get(key, nothing), "b": other.get(key, nothing)} for key in _CURVES},
        "trust": {
            who: {"a": trust[0].get(who, nothing), "b": trust[1].get(who, nothing)}
            for who in sorted({*trust[0], *trust[1]})
        },
    }


def _artifacts(a: Side, b: Side) -> dict[str, list[str]]:
    one, other = (
        {path: mark for path, mark in side.state.prints.items() if path.startswith(f"{GALLERY}/")} for side in (a, b)
    )
    return {
        "only_a": sorted(one.keys() - other.keys()),
        "only_b": sorted(other.keys() - one.keys()),
        "differ": sorted(path for path in one.keys() & other.keys() if one[path] != other[path]),
        "same": sorted(path for path in one.keys() & other.keys() if one[path] == other[path]),
    }


def _board(a: Side, b: Side) -> dict[str, list[Any]]:
    one, other = (side.document(inside.BULLETIN).get("posts") for side in (a, b))
    posts = [items if isinstance(items, list) else [] for items in (one, other)]
    if a.state.partial or b.state.partial:
        posts = [[], []]
    return {
        "only_a": [post for post in posts[0] if post not in posts[1]],
        "only_b": [post for post in posts[1] if post not in posts[0]],
    }


def _cost(side: Side) -> dict[str, Any] | None:
    """Add up the traces of a folder; None for a commit or a past day, which have none."""
    if side.layout is None:
        return None
    settings, _ = parse_settings(side.document(inside.SETTINGS))
    totals: dict[str, Any] = describe_cost(TraceReader(side.layout.traces, side.layout.asks), settings)["totals"]
    return totals
