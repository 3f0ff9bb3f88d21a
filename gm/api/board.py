"""The bulletin board, by hand: briefs, posts and feedback."""

from __future__ import annotations

from dataclasses import dataclass, replace

from gm.api.document import part
from gm.api.editing import choose, editing
from gm.files.gallery import find_artifact
from gm.files.layout import Layout
from gm.files.load import load_world
from gm.model.world import NOTE, Post, World
from gm.play.edits import brief_steps, clean_text, done_steps, feedback_steps, post_steps, usual_author
from gm.scene.waiting import answered


@dataclass(frozen=True, slots=True, kw_only=True)
class Posted:
    """A post on the board.

    Attributes:
        artifact: Path of its subject.
        active: Whether it is an active brief; None = not asked for.
        taken_up: Whether by a scene; None = not asked for.
    """

    post: str
    author: str = part("from")
    day: int
    scene: int
    type: str
    content: str
    artifact: str | None = part(omit=None)
    active: bool | None = part(omit=None)
    taken_up: bool | None = part(omit=None)


@dataclass(frozen=True, slots=True)
class Board:
    """All posts, oldest first, and decisions."""

    posts: tuple[Posted, ...]
    team_decisions: tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Brief:
    """An active brief and its number in the list, from 1."""

    number: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Briefs:
    """The active briefs; ``done`` was just ended."""

    done: str | None = part(omit=None)
    active_briefs: tuple[Brief, ...]


def put_up_brief(layout: Layout, text: str, author: str | None = None) -> tuple[Posted, list[str]]:
    """Add a brief, to the board and to the active ones.

    Args:
        author: None = the usual author.

    Returns:
        The new post, and notes.

    Raises:
        UsageError: Empty text.
        BrokenWorldError: A needed file cannot be read.
    """
    with editing(layout, "gm brief", layout.settings, layout.world, layout.bulletin) as desk:
        author = chosen_author(desk.world, author)
        desk.commit(brief_steps(layout, desk.world, text, author))
    return _new_post(layout), desk.notes


def end_brief(layout: Layout, which: str) -> tuple[Briefs, list[str]]:
    """End a brief, given by its number in the list or its beginning."""
    with editing(layout, "gm brief", layout.settings, layout.world) as desk:
        briefs = desk.world.clock.active_briefs
        number = choose(which, list(enumerate(briefs, 1)), lambda brief: brief, "brief")
        desk.commit(done_steps(layout, desk.world, briefs[number - 1]))
    return replace(describe_briefs(load_world(layout).world), done=briefs[number - 1]), desk.notes


def put_up_post(layout: Layout, text: str, author: str | None = None, kind: str = NOTE) -> tuple[Posted, list[str]]:
    """Put a post on the board; as ``put_up_brief``."""
    with editing(layout, "gm post", layout.settings, layout.world, layout.bulletin) as desk:
        desk.commit(post_steps(layout, desk.world, text, chosen_author(desk.world, author), kind))
    return _new_post(layout), desk.notes


def put_up_feedback(layout: Layout, piece: str, text: str, author: str | None = None) -> tuple[Posted, list[str]]:
    """Post feedback on an artifact; as ``put_up_brief``.

    Args:
        piece: Path relative to the world, the gallery or the working directory.
    """
    with editing(layout, "gm feedback", layout.settings, layout.world, layout.bulletin) as desk:
        path = find_artifact(layout, piece)
        desk.commit(feedback_steps(layout, desk.world, text, chosen_author(desk.world, author), path))
    return _new_post(layout), desk.notes


def describe_briefs(world: World) -> Briefs:
    """Return the active briefs."""
    return Briefs(active_briefs=tuple(Brief(number, text) for number, text in enumerate(world.clock.active_briefs, 1)))


def describe_board(world: World) -> Board:
    """Return the posts, oldest first, and the decisions."""
    taken = answered(world)
    posts = (_posted(post, post.content in world.clock.active_briefs, post.key in taken) for post in world.posts)
    return Board(tuple(posts), tuple(world.decisions))


def _posted(post: Post, active: bool | None = None, taken_up: bool | None = None) -> Posted:
    return Posted(
        post=post.key,
        author=post.author,
        day=post.day,
        scene=post.scene,
        type=post.type,
        content=post.content,
        artifact=post.artifact or None,
        active=active,
        taken_up=taken_up,
    )


def _new_post(layout: Layout) -> Posted:
    return _posted(load_world(layout).world.posts[-1])


def chosen_author(world: World, name: str | None) -> str:
    """Return the named author, or the usual one."""
    return usual_author(world) if name is None else " ".join(clean_text(name).split())
