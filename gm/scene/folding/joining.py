"""Who joins a scene that is being played."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gm.model.scene import Scene
from gm.model.world import Sentences, World
from gm.scene.dialogue.turns import Turn, go_over
from gm.scene.grounding.attendance import bystanders, known_places
from gm.scene.planning.schedule import most_together


def draw_in(world: World, scene: Scene, turns: Sequence[Turn], words: Sentences) -> Scene:
    """Return a scene with those in its room who have been spoken to, as far as its type has room for them.

    Only a scene played turn by turn, until it moves to another room, and only in a world in which no scenes are played
    side by side: others may need the same character.
    """
    if not scene.type.is_turn_by_turn or most_together(world) > 1:
        return scene
    beside = {agent.id for agent in bystanders(world, scene)}
    speaker_to: dict[str, str] = {}
    for number, turn in enumerate(turns, 1):
        if go_over(scene, turns[:number], known_places(world))[0].place != scene.place:
            break
        for line in turn.reply.dialogue:
            if line.to in beside:
                speaker_to.setdefault(line.to, world.agents[turn.agent].call_name)
    joined = list(speaker_to)[: max(0, scene.type.cast[1] - len(scene.cast))]
    premises = {name: words("premise_joined", other=speaker_to[name]) for name in joined}
    return replace(
        scene, cast=(*scene.cast, *joined), joined=(*scene.joined, *joined), premises={**scene.premises, **premises}
    )
