"""The logbook line of a played scene, and what the clock says after it: one form for all types (DESIGN 1)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from gm.model.clock import Clock
from gm.model.node import Node
from gm.model.scene import Scene
from gm.scene.ledger import memory_list

Said = Iterable[tuple[str, str]]
"""Agents with a text of each, in order."""


def log_line(
    scene: Scene,
    *,
    participants: Sequence[str],
    summary: str,
    nodes: Mapping[str, Sequence[Node]],
    dialogue: Said = (),
    thoughts: Said = (),
    actions: Said = (),
    artifacts: Iterable[str] = (),
    answers: Sequence[str] = (),
) -> dict[str, object]:
    """Write what happened in a scene, with the keys in the order of the logbook.

    Args:
        scene: What was played.
        participants: Ids of those who took part.
        summary: What happened, in a sentence or two.
        nodes: The new memories, by agent.
        dialogue: What was said aloud.
        thoughts: What was thought; who thought nothing is left out.
        actions: What was visibly done; who did nothing is left out.
        artifacts: Paths of the pieces that were finished.
        answers: Keys of what the scene takes up.
    """
    return {
        "scene": scene.ref.scene,
        "type": scene.type.name,
        "time_of_day": scene.time_of_day,
        "location": scene.place,
        "participants": list(participants),
        "why": scene.why,
        "premise": scene.premise,
        "summary": summary,
        "dialogue": [{"agent": agent, "text": text} for agent, text in dialogue],
        "thoughts": _texts(thoughts),
        "artifacts": list(artifacts),
        "memories": memory_list(nodes),
        "cd_feedback": "",
        "actions": _texts(actions),
        "answers": list(answers),
        "director": scene.director,
        **({"tags": list(scene.tags)} if scene.tags else {}),
    }


def clock_after(clock: Clock, scene: Scene) -> dict[str, object]:
    """Tell which values of the clock a played scene changes."""
    return {
        "time_of_day": scene.time_of_day,
        "scenes_today": clock.scenes_today + 1,
        "scenes_total": clock.scenes_total + 1,
    }


def _texts(said: Said) -> list[dict[str, str]]:
    return [{"agent": agent, "text": text} for agent, text in said if text.strip()]
