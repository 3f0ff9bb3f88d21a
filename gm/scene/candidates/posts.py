"""Messages on the board that nobody has taken up: briefs, questions from outside."""

from __future__ import annotations

from collections.abc import Iterator

from gm.model.character import find_agent
from gm.model.scene import Candidate
from gm.model.world import Post, World
from gm.scene.attendance import days_passed_over
from gm.scene.board import answered, was_put_up_in_scene
from gm.scene.candidates.people import clip, everyone, type_for
from gm.scene.places import gathering_place
from gm.scene.score import reason

FRESH_DAYS = 2


def from_posts(world: World, time: str) -> Iterator[Candidate]:  # noqa: ARG001
    """Propose a meeting about what hangs on the board and waits: one for everything that does."""
    waiting = waiting_posts(world)
    cast = everyone(world)
    if not waiting or not cast:
        return
    authors = " / ".join(dict.fromkeys(post.author for post in waiting))
    yield Candidate(
        type=type_for(world, ("MEETING", "ENCOUNTER"), len(cast)),
        cast=cast,
        place=gathering_place(world),
        reasons=tuple(reason(world, "brief", 1.0, author=post.author, text=clip(post.content)) for post in waiting[:1]),
        premise=("premise_brief", {"author": authors}),
        topic="\n\n".join(post.content for post in waiting),
        answers=tuple(post.key for post in waiting),
    )


def waiting_posts(world: World) -> list[Post]:
    """List the posts from outside that are fresh and that no scene has taken up."""
    taken = answered(world)
    today = world.clock.day
    since = today - FRESH_DAYS - len(days_passed_over(world, today))
    return [
        post
        for post in world.posts
        if post.day >= since
        and post.waits
        and not post.artifact  # ``feedback`` is about one piece, for those who know it
        and post.key not in taken
        and not find_agent(world.agents, post.author)
        and not was_put_up_in_scene(world, post)
    ]
