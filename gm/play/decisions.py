"""What becomes of the user's commands, and what is told of a scene."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from gm.base.errors import GmError, UsageError, say
from gm.files.commits.steps import Step as FileStep
from gm.files.layout import Layout
from gm.model.clock import ScheduledEvent
from gm.model.scene import ENCOUNTER, MEETING, Scene
from gm.model.world import World
from gm.play.command import Command, split_addressees, split_time
from gm.play.edits import brief_steps, event_steps, post_steps, usual_author
from gm.play.review import Draft
from gm.play.table import GameTable
from gm.scene.directing.choosing import Pick, SceneRequest, check_request, picked_scene, requested_scene
from gm.scene.directing.director import NextScenes

MOST_IN_ENCOUNTER = 2


def called_scene(table: GameTable, called: SceneRequest | Pick) -> Scene:
    """Return the scene called for or picked.

    Raises:
        UsageError: It cannot be played any more.
    """
    if isinstance(called, Pick):
        return picked_scene(table.world, table.make_rules(), called)
    return requested_scene(table.world, check_request(table.world, called), table.live.prompts.words)


def plan_writing(world: World, command: Command) -> Callable[[Layout, World], Sequence[FileStep]]:
    """Return the steps' plan for a brief, a post or an event.

    Raises:
        UsageError: An event lacks its time or text.
    """
    if command.name == "event":
        time, what = split_time(command.text)
        return partial(event_steps, event=ScheduledEvent(world.clock.day, what, time))
    steps = brief_steps if command.name == "brief" else post_steps
    return partial(steps, text=command.text, author=usual_author(world))


def world_after(table: GameTable, draft: Draft | None) -> World:
    """Return the world as a landed draft leaves it."""
    return replace(draft, world=table.world).after if draft else table.world


def parse_scene_call(world: World, text: str) -> SceneRequest:
    """Return the scene that ``call A,B TOPIC`` wants.

    Raises:
        UsageError: It cannot be played.
    """
    names, topic = split_addressees(text)
    if len(names) < MOST_IN_ENCOUNTER:
        raise UsageError("a scene needs somebody to talk to", "name at least two: call vera,tobi TOPIC")
    types = (ENCOUNTER, MEETING) if len(names) <= MOST_IN_ENCOUNTER else (MEETING, ENCOUNTER)
    known = [name for name in types if name in world.scene_types]
    fitting = [
        name for name in known if world.scene_types[name].cast[0] <= len(names) <= world.scene_types[name].cast[1]
    ]
    return check_request(world, SceneRequest((fitting or known or list(types))[0], names, topic))


def note_for(table: GameTable, draft: Draft, text: str) -> str:
    """Return a further take's whole note.

    Raises:
        UsageError: All would be asked the same.
        GmError: A participant has left the world.
    """
    table.live.refresh()
    require_cast(table, draft)
    notes = draft.scene.note.split("\n") if draft.scene.note else []
    if text in notes:
        raise UsageError("this note was given before: everybody would answer the same", "say it in other words")
    scene = draft.scene
    noted = replace(scene, note="\n".join((*notes, text)))
    name = scene.cast[0]
    context = table.make_stage().contexts.first_turn(table.world, scene, name)
    plain, asked = (
        table.live.assembler.question(table.world, table.world.agents[name], item, context) for item in (scene, noted)
    )
    if plain == asked:
        raise UsageError(
            say("prompts/{path} does not show a note", scene.type.template),
            'put {% include "note.j2" %} where it is to stand',
        )
    return noted.note


def require_cast(table: GameTable, draft: Draft) -> None:
    """Check that all who took part are still there.

    Raises:
        GmError: A participant has left the world.
    """
    table.live.refresh()
    gone = [name for name in draft.scene.cast if name not in table.world.agents]
    if gone:
        raise GmError(
            f"{draft.scene.ref}: {', '.join(gone)} took part and is not in the world any more",
            "the scene was not written; put the files back, or run the same command again for another scene",
        )


def tell_why(scene: Scene) -> Iterator[str]:
    """Yield who chose a scene and why, with each reason's score."""
    yield f"chosen by: {scene.director}"
    yield f"why: {scene.why}"
    if scene.answers:
        yield "takes up: " + ", ".join(scene.answers)
    if scene.note:
        yield "played again, with the note: " + scene.note.replace("\n", " / ")
    if scene.score:
        parts = ", ".join(f"{part} {points:+.1f}" for part, points in scene.score.items())
        yield f"score: {sum(scene.score.values()):.1f} ({parts})"


def tell_plan(world: World, step: NextScenes) -> Iterator[str]:
    """Yield what would come next; without scenes, the day's close."""
    if not step.scenes:
        yield "next: the close of the day"
    for scene in step.scenes:
        names = ", ".join(world.agents[name].call_name for name in scene.cast)
        place = f" · {scene.place}" if scene.place else ""
        yield f"next: {scene.type.name} · {scene.time_of_day}{place} · {names}"
        yield f"  why: {scene.why}"
