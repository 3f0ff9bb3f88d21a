"""Unanswered posts, artifacts without a reaction, last questions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gm.model.character import find_agent
from gm.model.scene import LogEntry
from gm.model.world import Post, World


def waiting_posts(world: World, since: int) -> Iterator[Post]:
    """Yield the posts from outside the cast, since a day, that no scene has taken up."""
    taken = answered(world)
    for post in world.posts:
        is_new = post.waits and post.day >= since and post.key not in taken
        if is_new and not find_agent(world.agents, post.author) and not was_put_up_in_scene(world, post):
            yield post


def waiting_artifacts(world: World, entries: Sequence[LogEntry]) -> Iterator[tuple[LogEntry, str]]:
    """Yield the artifacts of scenes that no scene has taken up, each with its scene."""
    taken = answered(world)
    for entry in entries:
        for path in entry.artifacts:
            if path not in taken:
                yield entry, path


def last_question(entry: LogEntry) -> tuple[str, str] | None:
    """Return who asked, and what, when a scene ends with a question."""
    last = entry.dialogue[-1:]
    return last[0] if last and last[0][1].rstrip(' "»«“”').endswith("?") else None


def was_put_up_in_scene(world: World, post: Post) -> bool:
    """Return whether a post names a played scene: its participants heard it there."""
    return any(
        entry.day == post.day and entry.number == post.scene and not entry.is_summary
        for entry in world.log
        if post.scene
    )


def answered(world: World) -> frozenset[str]:
    """Return the keys of all that recent scenes have taken up."""
    return frozenset(key for entry in world.log for key in entry.answers)
