"""Why a scene was chosen, and what would come next, in lines for whoever sits at the table."""

from __future__ import annotations

from collections.abc import Iterator

from gm.model.scene import Scene
from gm.model.world import World
from gm.scene.director import Step


def tell_why(scene: Scene) -> Iterator[str]:
    """Say who chose a scene and why, and what each reason counted."""
    yield f"chosen by: {scene.director}"
    yield f"why: {scene.why}"
    if scene.answers:
        yield "takes up: " + ", ".join(scene.answers)
    if scene.note:
        yield "played again, with the note: " + scene.note.replace("\n", " / ")
    if scene.score:
        parts = ", ".join(f"{part} {points:+.1f}" for part, points in scene.score.items())
        yield f"score: {sum(scene.score.values()):.1f} ({parts})"


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
