"""The board, by hand: briefs, posts and feedback, put up, ended and listed."""

from __future__ import annotations

from typing import Any

from gm.day.edits import brief_steps, clean_text, done_steps, feedback_steps, post_steps, usual_author
from gm.model.world import NOTE, Post, World
from gm.scene.waiting import answered
from gm.store.gallery import find_artifact
from gm.store.layout import Layout
from gm.store.load import load_world
from gm.tools.editing import choose, editing


def put_up_brief(layout: Layout, text: str, author: str | None = None) -> tuple[dict[str, Any], list[str]]:
    """Put up a brief: on the board, and among those that hold.

    Args:
        layout: The world.
        text: What it says.
        author: Who signs it; None = as usual.

    Returns:
        The document of ``gm brief --json``, and notes.

    Raises:
        UsageError: There is nothing to put up.
        BrokenWorldError: A file that is needed cannot be read; nothing was written.
    """
    with editing(layout, "gm brief", board=True) as edit:
        author = chosen_author(edit.world, author)
        edit.commit(brief_steps(layout, edit.world, text, author))
    return _new_post(layout), edit.notes


def end_brief(layout: Layout, which: str) -> tuple[dict[str, Any], list[str]]:
    """Take a brief out of those that hold.

    Args:
        layout: The world.
        which: Its number in the list, or how it begins.
    """
    with editing(layout, "gm brief") as edit:
        briefs = edit.world.clock.active_briefs
        number = choose(which, list(enumerate(briefs, 1)), lambda brief: brief, "brief")
        edit.commit(done_steps(layout, edit.world, briefs[number - 1]))
    return {"done": briefs[number - 1], **describe_briefs(load_world(layout).world)}, edit.notes


def put_up_post(
    layout: Layout, text: str, author: str | None = None, kind: str = NOTE
) -> tuple[dict[str, Any], list[str]]:
    """Put something on the board. As ``put_up_brief``."""
    with editing(layout, "gm post", board=True) as edit:
        edit.commit(post_steps(layout, edit.world, text, chosen_author(edit.world, author), kind))
    return _new_post(layout), edit.notes


def put_up_feedback(
    layout: Layout, piece: str, text: str, author: str | None = None
) -> tuple[dict[str, Any], list[str]]:
    """Put up feedback on a piece of work. As ``put_up_brief``.

    Args:
        layout: The world.
        piece: Its path, from the world's folder, from the gallery or from here.
        text: What is said.
        author: Who says it; None = as usual.
    """
    with editing(layout, "gm feedback", board=True) as edit:
        path = find_artifact(layout, piece)
        edit.commit(feedback_steps(layout, edit.world, text, chosen_author(edit.world, author), path))
    return _new_post(layout), edit.notes


def describe_briefs(world: World) -> dict[str, Any]:
    """Describe the briefs that hold, in the form of ``gm brief --list --json``."""
    return {"active_briefs": [{"number": n, "text": text} for n, text in enumerate(world.clock.active_briefs, 1)]}


def describe_board(world: World) -> dict[str, Any]:
    """Describe the board in the form of ``gm post --list --json``: posts, oldest first, and what was decided."""
    taken = answered(world)
    posts = [
        {**_described(post), "active": post.content in world.clock.active_briefs, "taken_up": post.key in taken}
        for post in world.posts
    ]
    return {"posts": posts, "team_decisions": list(world.decisions)}


def _described(post: Post) -> dict[str, Any]:
    described = {
        "post": post.key,
        "from": post.author,
        "day": post.day,
        "scene": post.scene,
        "type": post.type,
        "content": post.content,
    }
    return {**described, "artifact": post.artifact} if post.artifact else described


def _new_post(layout: Layout) -> dict[str, Any]:
    return _described(load_world(layout).world.posts[-1])


def chosen_author(world: World, name: str | None) -> str:
    """Tell who speaks: who was named, else who usually does."""
    return usual_author(world) if name is None else " ".join(clean_text(name).split())
