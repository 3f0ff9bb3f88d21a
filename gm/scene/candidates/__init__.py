"""Candidates for the next scene: one module for each source, with ``propose(world, time)``.

``WeightsSettings`` registers a source by the weight of its reason; ``weights.added`` names those of installed packages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, replace
from importlib import import_module

from gm.base import plugins
from gm.base.config import WeightsSettings
from gm.model.scene import ENCOUNTER, Candidate
from gm.model.world import World
from gm.scene.grounding.common_reasons import add_bonds, add_goals

EVENING = "evening"
Source = Callable[[World, str], Iterator[Candidate]]

SOURCES: tuple[Source, ...] = tuple(
    import_module(f"{__name__}.{item.metadata['source']}").propose
    for item in fields(WeightsSettings)
    if item.metadata.get("source")
)
"""In the order of the weights, which decides between equal scores."""


def list_candidates(world: World, time: str) -> list[Candidate]:
    """Return all scenes playable now, with bonds and goals."""
    found = [item for source in (*SOURCES, *_load_added(world)) for item in source(world, time)]
    fitting = [item for item in found if is_fixed(item) or _fits(world, item, time)]
    return add_goals(world, add_bonds(world, merge_same_people(fitting)))


def _load_added(world: World) -> Iterator[Source]:
    for name in world.settings.weights.added:
        if source := plugins.load_plugin(plugins.SOURCES, name):
            yield source


def is_event(item: Candidate) -> bool:
    """Return whether a candidate is an event of the calendar."""
    return any(reason.part == "event" for reason in item.reasons)


def is_appointment(item: Candidate) -> bool:
    """Return whether a candidate is a due appointment."""
    return any(reason.part == "appointment" for reason in item.reasons)


def is_fixed(item: Candidate) -> bool:
    """Return whether a candidate has its time: an event or an appointment."""
    return is_event(item) or is_appointment(item)


def is_asked_for(item: Candidate) -> bool:
    """Return whether the calendar or a message asks for it."""
    return any(reason.part in ("event", "brief") for reason in item.reasons)


def _fits(world: World, item: Candidate, time: str) -> bool:
    kind = world.scene_types.get(item.type)
    if kind is None or time not in kind.times or len(item.cast) < kind.cast[0]:
        return False
    # the evening is for types that come back, unless the day has scenes of its own then
    return kind.regular or time != EVENING or EVENING in world.settings.day.times


def merge_same_people(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Merge the encounters of the same people; other scenes stay.

    The best candidate decides who starts, where and how. The others add their strongest reasons, what they take up, and
    private premises; their intent only if the same character starts.
    """
    merged: dict[object, Candidate] = {}
    for number, item in enumerate(sorted(candidates, key=lambda item: -item.score)):
        key: object = frozenset(item.cast) if item.type == ENCOUNTER and not is_asked_for(item) else number
        merged[key] = _merge(merged[key], item) if key in merged else item
    return list(merged.values())


def _merge(first: Candidate, other: Candidate) -> Candidate:
    parts = {reason.part for reason in first.reasons}
    fresh = tuple(reason for reason in other.reasons if reason.part not in parts)
    if not fresh:
        return first
    # what is arranged says when
    clock = first.clock if is_fixed(first) else other.clock if is_fixed(other) else first.clock or other.clock
    intent = first.intent or (other.intent if other.cast[0] == first.cast[0] else "")
    return replace(
        first,
        reasons=(*first.reasons, *fresh),
        topic=first.topic or other.topic,
        intent=intent,
        answers=tuple(dict.fromkeys((*first.answers, *other.answers))),
        premises={**other.premises, **first.premises},
        clock=clock,
    )
