"""What the library says about the topic of a scene, put before those who take part in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from gm.model.passage import Passage
from gm.model.scene import Scene

Find = Callable[[str], Sequence[Passage]]


def look_up(scene: Scene, find: Find) -> Scene:
    """Give a scene the passages that it is about, if its type looks something up; else the scene as it is.

    Args:
        scene: What is about to be played.
        find: Finds passages of the library about something, best first.
    """
    if not scene.type.library:
        return scene
    return replace(scene, passages=tuple(find(scene.topic or scene.intent)))
