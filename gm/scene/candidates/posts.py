"""Messages on the board that nobody has taken up: briefs, questions from outside."""

from __future__ import annotations

from collections.abc import Iterator

from gm.model.scene import Candidate
from gm.model.world import Post, World
from gm.scene.attendance import days_passed_over
from gm.scene.candidates.people import clip, everyone, type_for
from gm.scene.places import gathering_place
from gm.scene.score import reason
from gm.scene.waiting import waiting_posts

FRESH_DAYS = 2


def from_posts(world: World, time: str) -> Iterator[Candidate]:  # noqa: ARG001
    """Propose a meeting about what hangs on the board and waits: one for everything that does."""
    waiting = unanswered_posts(world)
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


def unanswered_posts(world: World) -> list[Post]:
    """List the fresh posts that no scene has taken up; ``feedback`` has those about a piece."""
    today = world.clock.day
    since = today - FRESH_DAYS - len(days_passed_over(world, today))
    return [post for post in waiting_posts(world, since) if not post.artifact]
