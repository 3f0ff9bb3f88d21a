"""The logbook line of a played scene, and the clock after it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from gm.model.clock import Clock
from gm.model.node import Node
from gm.model.scene import Scene
from gm.scene.ledger import memory_list

Said = Iterable[tuple[str, str]]
"""Agents with a text of each, in order."""


@dataclass(frozen=True, slots=True)
class Course:
    """What was said, thought and visibly done in a scene; empty texts are not logged.

    Attributes:
        artifacts: Paths of the finished pieces.
        answers: Keys of what the scene takes up.
    """

    dialogue: Said = ()
    thoughts: Said = ()
    actions: Said = ()
    artifacts: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()


def log_line(scene: Scene, summary: str, nodes: Mapping[str, Sequence[Node]], course: Course) -> dict[str, object]:
    """Return the logbook line of a scene, with its keys in the order of the logbook."""
    return {
        "scene": scene.ref.scene,
        "type": scene.type.name,
        "time_of_day": scene.time_of_day,
        "location": scene.place,
        "participants": list(scene.cast),
        "why": scene.why,
        "premise": scene.premise,
        "summary": summary,
        "dialogue": [{"agent": agent, "text": text} for agent, text in course.dialogue],
        "thoughts": _texts(course.thoughts),
        "artifacts": list(course.artifacts),
        "memories": memory_list(nodes),
        "cd_feedback": "",
        "actions": _texts(course.actions),
        "answers": list(course.answers),
        "director": scene.director,
        **({"tags": list(scene.tags)} if scene.tags else {}),
    }


def clock_after(clock: Clock, scene: Scene) -> dict[str, object]:
    """Return the values of the clock that a played scene changes."""
    return {
        "time_of_day": scene.time_of_day,
        "scenes_today": clock.scenes_today + 1,
        "scenes_total": clock.scenes_total + 1,
    }


def _texts(said: Said) -> list[dict[str, str]]:
    return [{"agent": agent, "text": text} for agent, text in said if text.strip()]
