"""The regular round in which everybody says where they stand."""

from __future__ import annotations

from collections.abc import Iterator

from gm.model.scene import Candidate
from gm.model.world import World
from gm.scene.candidates.people import everyone
from gm.scene.candidates.posts import unanswered_posts
from gm.scene.places import gathering_place
from gm.scene.score import reason

FULL_AFTER_DAYS = 5


def from_rhythm(world: World, time: str) -> Iterator[Candidate]:  # noqa: ARG001
    """Propose the round; the longer ago the last one is, the more speaks for it."""
    cast = everyone(world)
    days = [entry.day for entry in world.log if entry.type == "MEETING"]
    since = world.clock.day - max(days) if days else FULL_AFTER_DAYS
    if cast and not unanswered_posts(world):  # a message calls everybody together anyway
        yield Candidate(
            type="MEETING",
            cast=cast,
            place=gathering_place(world),
            reasons=(
                reason(
                    world,
                    "rhythm",
                    min(1.0, since / FULL_AFTER_DAYS),
                    "why_rhythm" if days else "why_rhythm_first",
                    days=str(since),
                ),
            ),
            premise=("premise_round", {}),
        )
