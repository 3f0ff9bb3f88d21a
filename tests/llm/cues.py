"""Cues of hand-made questions: a dict says what matters to a test, everything else is as in a quiet scene."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any, TypeVar

from gm.llm.facts import ComingDay, Cue, Made, Open, Passage, Person, Said, Self, Setting
from gm.model.node import Node

T = TypeVar("T")
NOBODY = {"id": "kim", "name": "Kim", "call_name": "Kim", "index": 0, "count": 1, "persona": {}, "today_plan": ()}
NOWHERE = {"ref": "day-001/scene-01", "day": 1, "scene": 1, "play": "parallel", "is_game": False, "passages": ()}
NOTHING = {"kind": "scene", "seed": 1, "language": "en", "turn": 1, "turns": 1, "insights": (3, 5)}
PLAIN = {"last_turn": None, "closing": False, "wants_plan": False, "brief": ""}
MANY = ("others", "people", "places", "dialogue", "replan", "threads", "ahead", "artifacts", "memories", "kept")


def cue_of(facts: Mapping[str, Any]) -> Cue:
    """Make a cue of what a dict says, in the keys of ``plain_facts``."""
    known: dict[str, Any] = {**NOTHING, **PLAIN, **dict.fromkeys(MANY, ()), **facts}
    known["agent"] = _value(Self, {**NOBODY, **known.get("agent", {})})
    scene = {**NOWHERE, **known.get("scene", {})}
    known["scene"] = _value(Setting, {**scene, "passages": _values(Passage, scene["passages"])})
    for key, kind in (("others", Person), ("people", Person), ("dialogue", Said), ("ahead", ComingDay)):
        known[key] = _values(kind, known[key])
    for key, other in (("threads", Open), ("artifacts", Made)):
        known[key] = _values(other, known[key])
    known["memories"] = tuple(Node(created="", **{**item, "tags": tuple(item["tags"])}) for item in known["memories"])
    known["insights"] = tuple(known["insights"])
    known["places"], known["replan"] = tuple(known["places"]), tuple(known["replan"])
    return Cue(**known)


def _values(kind: type[T], items: Iterable[Mapping[str, Any]]) -> tuple[T, ...]:
    return tuple(_value(kind, item) for item in items)


def _value(kind: type[T], item: Mapping[str, Any]) -> T:
    found = {one.name: item.get(one.name, "") for one in fields(kind)}  # type: ignore[arg-type]
    return kind(**{key: tuple(value) if isinstance(value, list) else value for key, value in found.items()})
