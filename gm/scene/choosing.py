"""What a model chooses from, and the scene that its choice makes: the candidates are those of the rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from gm.model.replies import DirectorReply
from gm.model.scene import Candidate, Scene
from gm.model.world import World
from gm.scene.director import ARRIVAL, REFLECTION, Step, consider, scene_of
from gm.scene.ledger import Words
from gm.scene.schedule import scenes_planned
from gm.scene.select import pick

LLM = "llm"
MOST_OPTIONS = 8
EVENT_KEY = "event/"


@dataclass(frozen=True, slots=True)
class Option:
    """One scene of the list: the candidate with its score, and the scene that the rules would make of it."""

    candidate: Candidate
    scene: Scene


def is_free(step: Step) -> bool:
    """Tell whether a step of the rules is a choice.

    What is in the calendar happens, everybody arrives, reflects and goes home: about that there is nothing to choose.
    """
    if len(step.scenes) != 1:
        return False
    (scene,) = step.scenes
    due = any(key.startswith(EVENT_KEY) for key in scene.answers)
    return scene.type.name != ARRIVAL and scene.type.reply != "reflection" and not due


def list_options(world: World, seed: int, time: str, words: Words) -> tuple[Option, ...]:
    """List what could be played next, best first: what the rules admit now, with their reasons.

    Args:
        world: The world with its day open.
        seed: Dice of the Game Master.
        time: Time of day of the coming scene.
        words: Renders the Game Master's own sentences.
    """
    weighed = consider(world, seed, time, scenes_left=scenes_left(world, seed))
    admitted = [item for item in weighed if _is_admitted(item, weighed, world)]
    return tuple(Option(item, scene_of(world, item, time, words)) for item in admitted[:MOST_OPTIONS])


def scenes_left(world: World, seed: int) -> int:
    """Count the scenes that still fit into the open day, the coming one included."""
    day = world.clock.day
    played = sum(REFLECTION not in entry.type for entry in world.scenes_of(day))
    return scenes_planned(world, day, seed) - played


def chosen_scene(options: Sequence[Option], reply: DirectorReply) -> Scene:
    """Make the scene that was chosen, with the words of the one who chose it.

    Args:
        options: The list that was shown.
        reply: A choice out of it, with ids of the scene's cast.
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


def _is_admitted(item: Candidate, weighed: Sequence[Candidate], world: World) -> bool:
    """Tell whether the rules would take a candidate if it were the best one."""
    return pick([item, *weighed], world) == item
