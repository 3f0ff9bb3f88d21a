"""Scenes that a model chooses, from the listed candidates or of its own, or that the user requests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gm.base.arguments import check_fields
from gm.base.errors import UsageError
from gm.model.calendar import is_time_of_day
from gm.model.clock import WEEKLY_EVENT
from gm.model.scene import ARRIVAL, REFLECTION, Candidate, Scene, SceneType
from gm.model.world import Sentences, World, unknown_agent
from gm.scene.directing.director import NextScenes, RulesDirector, consider, survey_next
from gm.scene.directing.scenes import check_tags, give_reasons, next_ref, reflection_scene, scene_of
from gm.scene.planning.schedule import coming_slot

if TYPE_CHECKING:
    from gm.model.master_replies import DirectorReply

LLM = "llm"
MOST_OPTIONS = 8
EVENT_KEY = "event/"


@dataclass(frozen=True, slots=True)
class OfferedScene:
    """A candidate, and the scene made of it."""

    candidate: Candidate
    scene: Scene


def is_open_choice(step: NextScenes) -> bool:
    """Return whether a step is a choice: no event, appointment, arrival or reflection."""
    if len(step.scenes) != 1:
        return False
    (scene,) = step.scenes
    due = "appointment" in scene.score or any(key.startswith(EVENT_KEY) for key in scene.answers)
    return scene.type.name != ARRIVAL and not scene.type.is_reflection and not due


def list_options(world: World, rules: RulesDirector) -> tuple[OfferedScene, ...]:
    """Return at most ``MOST_OPTIONS`` candidates playable now, best first."""
    slot = coming_slot(world, rules.seed, rules.focus)
    if slot is None:
        return ()
    admitted = consider(world, rules.seed, slot.time, scenes_left=slot.left, focus=rules.focus)
    return tuple(OfferedScene(item, scene_of(world, item, slot.time, rules.words)) for item in admitted[:MOST_OPTIONS])


def scenes_left(world: World, rules: RulesDirector) -> int:
    """Return how many scenes fit into the open day."""
    slot = coming_slot(world, rules.seed, rules.focus)
    return slot.left if slot else 0


def chosen_scene(options: Sequence[OfferedScene], reply: DirectorReply) -> Scene:
    """Return the chosen scene, with the model's texts.

    Args:
        options: The list that was shown.
        reply: Its ``who`` of premises are ids of the cast.
    """
    scene = options[reply.number - 1].scene
    own: dict[str, str] = {}
    for item in reply.premises:
        own[item.who] = " ".join((*own.get(item.who, "").split(), *item.text.split()))
    return replace(
        scene,
        why=" ".join(reply.why.split()),
        premise=" ".join(reply.premise.split()),
        premises={**scene.premises, **own},
        director=LLM,
    )


@dataclass(frozen=True, slots=True)
class SceneRequest:
    """A requested scene; empty means as usual.

    Attributes:
        cast: The first one starts; empty = all.
        place: Empty = where the first one is.
        tags: Memories with one of them replace the window.
    """

    type: str
    cast: tuple[str, ...] = ()
    topic: str = ""
    place: str = ""
    tags: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_fields(self)


def check_request(world: World, request: SceneRequest) -> SceneRequest:
    """Return a playable request, with ids for names.

    Raises:
        UsageError: It cannot be played; says what would work.
    """
    kind = world.scene_types.get(request.type.upper())
    if kind is None:
        known = ", ".join(name.lower() for name in world.scene_types)
        raise UsageError(
            f"there is no scene type {request.type!r}", f"known: {known}; a new one is a file in prompts/scenes/"
        )
    named = []
    for name in request.cast:
        identifier = world.find_agent(name)
        if identifier is None:
            raise unknown_agent(name, world.agents)
        named.append(identifier)
    if wrong := check_tags(request.tags):
        raise UsageError(wrong, "see --tags")
    request = replace(request, cast=tuple(named))
    cast = request.cast or tuple(world.agents)
    fewest, most = kind.cast
    if not fewest <= len(set(cast)) <= most or len(set(cast)) != len(cast):
        span = str(fewest) if fewest == most else f"{fewest} to {most}"
        raise UsageError(f"{kind.name} is played by {span} different characters, {len(cast)} given", "see --with")
    if kind.is_reflection and not world.agents[cast[0]].stream:
        raise UsageError(f"{cast[0]} has no memories to reflect on yet", "play a day first: gm advance-day")
    return request


def check_focus(world: World, name: str) -> str:
    """Return the id of the character in focus, or "" for "".

    Raises:
        UsageError: No character has this name.
    """
    identifier = world.find_agent(name) if name else ""
    if identifier is None:
        raise unknown_agent(name, world.agents)
    return identifier


def requested_scene(world: World, request: SceneRequest, words: Sentences) -> Scene:
    """Return a request's scene in the open day."""
    kind = world.scene_types[request.type.upper()]
    cast = request.cast or _find_leads(world, kind)
    if kind.name == REFLECTION:
        return replace(reflection_scene(world, cast[0], words, asked=True), tags=request.tags)
    time = world.clock.time_of_day
    return Scene(
        ref=next_ref(world),
        type=kind,
        time_of_day=time if is_time_of_day(time) else "morning",
        place=request.place or _usual_place(world, kind, cast[0]),
        cast=cast,
        why=words("why_asked"),
        premise=words("premise_asked", names=[world.agents[name].call_name for name in cast]),
        topic=request.topic,
        director="asked",
        tags=request.tags,
    )


def _find_leads(world: World, kind: SceneType) -> tuple[str, ...]:
    weekly = map(WEEKLY_EVENT.read, world.settings.calendar.weekly)
    leads = (event.lead for _, event in weekly if event.type == kind.name)
    lead = next((name for name in leads if name in world.agents), None)
    return (*((lead,) if lead else ()), *(name for name in world.agents if name != lead))


def _usual_place(world: World, kind: SceneType, starter: str) -> str:
    agent = world.agents[starter]
    if kind.library:
        return world.settings.day.library or agent.home
    return agent.state.position


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
    return Pick(
        item.type, cast, item.place, time, item.topic, item.intent, item.answers, give_reasons(item, rules.words)
    )


def _is_same_pick(one: Pick, other: Pick) -> bool:
    return replace(one, why="") == replace(other, why="")
