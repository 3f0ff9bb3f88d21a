"""The candidates for a model, and the scene of its choice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from gm.model.replies import DirectorReply
from gm.model.scene import Candidate, Scene
from gm.model.world import World
from gm.scene.director import RulesDirector, Step, consider, scene_of
from gm.scene.pacing import ARRIVAL
from gm.scene.schedule import coming_slot

LLM = "llm"
MOST_OPTIONS = 8
EVENT_KEY = "event/"


@dataclass(frozen=True, slots=True)
class Option:
    """A candidate, and the scene that the rules would make of it."""

    candidate: Candidate
    scene: Scene


def is_free(step: Step) -> bool:
    """Return whether a step of the rules is a choice: no calendar event, arrival or reflection."""
    if len(step.scenes) != 1:
        return False
    (scene,) = step.scenes
    due = any(key.startswith(EVENT_KEY) for key in scene.answers)
    return scene.type.name != ARRIVAL and scene.type.reply != "reflection" and not due


def list_options(world: World, rules: RulesDirector) -> tuple[Option, ...]:
    """Return the candidates that the rules admit now, best first, at most ``MOST_OPTIONS``."""
    slot = coming_slot(world, rules.seed, rules.focus)
    if slot is None:
        return ()
    admitted = consider(world, rules.seed, slot.time, scenes_left=slot.left, focus=rules.focus)
    return tuple(Option(item, scene_of(world, item, slot.time, rules.words)) for item in admitted[:MOST_OPTIONS])


def scenes_left(world: World, rules: RulesDirector) -> int:
    """Return how many scenes still fit into the open day."""
    slot = coming_slot(world, rules.seed, rules.focus)
    return slot.left if slot else 0


def chosen_scene(options: Sequence[Option], reply: DirectorReply) -> Scene:
    """Return the chosen scene, with the texts of the model.

    Args:
        options: The list that was shown.
        reply: A choice from it; ``who`` of its premises are ids of the scene's cast.
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
