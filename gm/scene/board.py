"""What hangs on the bulletin board, and what has become of it."""

from __future__ import annotations

from gm.model.world import Post, World


def was_put_up_in_scene(world: World, post: Post) -> bool:
    """Tell whether a post names a scene that was played: then those who were there have heard it there."""
    return any(
        entry.day == post.day and entry.record.get("scene") == post.scene and not entry.is_summary
        for entry in world.log
        if post.scene
    )


def answered(world: World) -> frozenset[str]:
    """Name everything that a scene of the last days has taken up: briefs, feedback, events, artifacts, threads."""
    return frozenset(key for entry in world.log for key in entry.answers)
