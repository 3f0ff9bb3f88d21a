"""Why a scene was chosen, and what would come next, in lines for whoever sits at the table."""

from __future__ import annotations

from collections.abc import Iterator

from gm.model.scene import Candidate, Scene
from gm.model.world import World
from gm.scene.director import Step, consider
from gm.scene.schedule import scenes_planned


def tell_why(world: World, scene: Scene, seed: int) -> Iterator[str]:
    """Say who chose a scene and why, and what each reason counted.

    Args:
        world: The world before the scene.
        scene: What was played.
        seed: Dice of the Game Master.
    """
    yield f"chosen by: {scene.director}"
    yield f"why: {scene.why}"
    if scene.answers:
        yield "takes up: " + ", ".join(scene.answers)
    if scene.note:
        yield "played again, with the note: " + scene.note.replace("\n", " / ")
    candidate = _candidate_of(world, scene, seed)
    if candidate:
        parts = ", ".join(f"{reason.part} {reason.points:+.1f}" for reason in candidate.reasons)
        yield f"score: {candidate.score:.1f} ({parts})"


def tell_plan(world: World, step: Step) -> Iterator[str]:
    """Say what would come next.

    Args:
        world: The world before the step.
        step: What the Director decided; empty when the day is over.
    """
    if not step.scenes:
        yield "next: the close of the day"
    for scene in step.scenes:
        names = ", ".join(world.agents[name].call_name for name in scene.cast)
        place = f" · {scene.place}" if scene.place else ""
        yield f"next: {scene.type.name} · {scene.time_of_day}{place} · {names}"
        yield f"  why: {scene.why}"


def _candidate_of(world: World, scene: Scene, seed: int) -> Candidate | None:
    """Find the candidate that a scene was made from; None for one that was not chosen among candidates."""
    played = len(world.scenes_of(world.clock.day))
    left = max(0, scenes_planned(world, world.clock.day, seed) - played)
    wanted = (scene.type.name, scene.topic, scene.intent, scene.answers)
    for item in consider(world, seed, scene.time_of_day, scenes_left=left):
        same = (item.type, item.topic, item.intent, item.answers) == wanted
        if same and item.cast[: len(scene.cast)] == scene.cast and scene.director != "asked":
            return item
    return None
