"""What somebody is asked who says how important memories are that came without importance (S1-10, S1-12)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count

from gm.model.scene import Scene
from gm.model.world import World
from gm.prompt.memory_lines import kind_name
from gm.prompt.people import first_line, view_person
from gm.prompt.render import Prompts, view
from gm.prompt.scenes import view_now, view_scene


def render_rater(prompts: Prompts) -> str:
    """Render what everybody is told who is asked so."""
    return prompts.render("rater.j2")


def render_rating(
    prompts: Prompts, world: World, scene: Scene, memories: Mapping[str, Sequence[tuple[str, str]]], *, many: bool
) -> str:
    """Render the question, for somebody who knows nothing but this and ``render_rater``.

    Args:
        prompts: The templates of the world.
        world: The world before the scene.
        scene: Where the memories come from.
        memories: What each character keeps of it: type and description of each memory.
        many: Whether the answer is a list of numbers, or one number.
    """
    numbers = count(1)
    people = [
        view(
            {
                **vars(view_person(world.agents[name])),
                "line": first_line(world.agents[name]),
                "memories": [
                    view({"number": next(numbers), "kind": kind_name(prompts.words, kind), "text": text})
                    for kind, text in kept
                ],
            }
        )
        for name, kept in memories.items()
    ]
    return prompts.render(
        "rating.j2",
        now=view_now(prompts.words, world, scene),
        scene=view_scene(world, scene, world.agents[scene.cast[0]]),
        present=[view_person(world.agents[name]) for name in scene.cast],
        people=people,
        many=many,
        count=sum(len(kept) for kept in memories.values()),
    )
