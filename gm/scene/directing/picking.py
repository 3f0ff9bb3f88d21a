"""A scene picked from the listed candidates."""

from __future__ import annotations

from dataclasses import dataclass, replace

from gm.base.errors import UsageError
from gm.model.scene import Candidate, Scene
from gm.model.world import World
from gm.scene.directing.director import RulesDirector, survey_next
from gm.scene.directing.scenes import explain, scene_of


@dataclass(frozen=True, slots=True)
class Pick:
    """A candidate as listed: another type, cast, time … is another scene.

    Attributes:
        why: As listed; the scene may have further reasons meanwhile.
    """

    type: str
    cast: tuple[str, ...]
    place: str
    time_of_day: str
    topic: str
    intent: str
    answers: tuple[str, ...]
    why: str


@dataclass(frozen=True, slots=True)
class Listed:
    """A candidate of a list; ``bar`` says why it cannot be played, empty if it can."""

    pick: Pick
    bar: str


def list_picks(world: World, rules: RulesDirector) -> tuple[Listed, ...]:
    """Return the coming scene's candidates, in the order of ``gm plan``."""
    slot, options = survey_next(world, rules.seed, rules.focus)
    return tuple(
        Listed(
            _pick(world, option.candidate, slot.time, rules),
            rules.words(option.bar.phrase, **option.bar.values) if option.bar else "",
        )
        for option in options
        if slot
    )


def picked_scene(world: World, rules: RulesDirector, pick: Pick) -> Scene:
    """Return a listed candidate's scene, with the listed reason.

    Raises:
        UsageError: The world has changed, and it is not a candidate any more.
    """
    slot, options = survey_next(world, rules.seed, rules.focus)
    for option in options:
        if slot and option.bar is None and _is_same_pick(_pick(world, option.candidate, slot.time, rules), pick):
            scene = scene_of(world, option.candidate, slot.time, rules.words)
            return replace(scene, why=pick.why, director="asked")
    raise UsageError(
        f"{pick.type} {pick.time_of_day} with {', '.join(pick.cast)} cannot be played any more: the world has changed",
        "list the candidates again",
    )


def _pick(world: World, item: Candidate, time: str, rules: RulesDirector) -> Pick:
    cast = tuple(item.cast[: world.scene_types[item.type].cast[1]])
    return Pick(item.type, cast, item.place, time, item.topic, item.intent, item.answers, explain(item, rules.words))


def _is_same_pick(one: Pick, other: Pick) -> bool:
    return replace(one, why="") == replace(other, why="")
