"""What each of two people sees when they meet: the one who comes knows why, the other one sees somebody come in."""

from __future__ import annotations

from collections.abc import Mapping

from gm.model.scene import Candidate, Premise
from gm.model.world import World

SIDES = {
    "premise_visit": ("own_visitor", "own_visited"),
    "premise_artifact": ("own_reader", "own_maker"),
    "premise_chance": ("own_chance", "own_chance"),
}
"""Sentences for the one who starts and for the other one, by the sentence that opens the scene for both."""


def premises_of(world: World, chosen: Candidate) -> Mapping[str, Premise]:
    """Give what only one of the cast knows or sees when a scene begins, by agent.

    What the candidate itself says comes first.
    """
    sides = SIDES.get(chosen.premise[0])
    if sides is None or len(chosen.cast) != 2:
        return chosen.premises
    made: dict[str, Premise] = {}
    for name, other, key in zip(chosen.cast, reversed(chosen.cast), sides, strict=True):
        values = {
            "other": world.agents[other].call_name,
            "task": world.agents[name].state.current_task.rstrip("."),
            "plan": chosen.intent if name == chosen.cast[0] else "",
            "title": chosen.premise[1].get("title", ""),
        }
        made[name] = (key, values)
    return {**made, **chosen.premises}
