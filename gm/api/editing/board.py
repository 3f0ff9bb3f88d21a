"""The bulletin board by hand: briefs, posts, feedback."""

from __future__ import annotations

from dataclasses import dataclass, replace

from gm.api.answers.document import part
from gm.api.editing.desk import choose_item, editing
from gm.base.errors import UsageError
from gm.files.layout import Layout
from gm.files.load import load_world
from gm.files.media.pieces import find_artifact
from gm.model.clock import NOTE, Post
from gm.model.world import World
from gm.play import edits
from gm.scene.pieces.waiting import find_answered, undelivered


@dataclass(frozen=True, slots=True, kw_only=True)
class PostOnBoard:
    """A post on the board.

    Attributes:
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
class BoardReport:
    """All posts, oldest first, and decisions."""

    posts: tuple[PostOnBoard, ...]
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


def put_up_brief(layout: Layout, text: str, author: str | None = None) -> tuple[PostOnBoard, list[str]]:
    """Add a brief, to the board and to the active ones; also returns notes.

    Args:
        author: None = the usual author.

    Raises:
        UsageError: Empty text.
        BrokenWorldError: A needed file cannot be read.
    """
    with editing(layout, "gm brief", layout.settings, layout.world, layout.bulletin) as desk:
        author = chosen_author(desk.world, author)
        desk.commit(edits.brief_steps(layout, desk.world, text, author))
    return _new_post(layout), desk.notes


def end_brief(layout: Layout, which: str) -> tuple[Briefs, list[str]]:
    """End a brief, given by its number in the list, its beginning or a part; a note says if it will still be read."""
    with editing(layout, "gm brief", layout.settings, layout.world) as desk:
        briefs = desk.world.clock.active_briefs
        number = choose_item(which, list(enumerate(briefs, 1)), lambda brief: brief, "brief")
        desk.commit(edits.plan_end_of_brief(layout, desk.world, briefs[number - 1]))
    world = load_world(layout).world
    unread = next((post.key for post in undelivered(world) if post.content == briefs[number - 1]), "")
    if unread:
        way = "to take it back while it is the last one: gm post --withdraw"
        desk.notes.append(f"every character will still read it, since {unread} stays on the board; {way}")
    return replace(describe_briefs(world), done=briefs[number - 1]), desk.notes


def put_up_post(
    layout: Layout, text: str, author: str | None = None, kind: str = NOTE
) -> tuple[PostOnBoard, list[str]]:
    """Put a post on the board; as ``put_up_brief``."""
    with editing(layout, "gm post", layout.settings, layout.world, layout.bulletin) as desk:
        desk.commit(edits.post_steps(layout, desk.world, text, chosen_author(desk.world, author), kind))
    return _new_post(layout), desk.notes


def withdraw_post(layout: Layout) -> tuple[PostOnBoard, list[str]]:
    """Take back the last post: a note, or a brief or feedback that no scene has told of yet; also returns notes.

    Raises:
        UsageError: There is none; the posts before the last keep their places, by which logbooks name them.
    """
    with editing(layout, "gm post", layout.settings, layout.world, layout.bulletin) as desk:
        last = desk.world.posts[-1:]
        if not last or not _is_withdrawable(desk.world, last[0]):
            way = f"a brief ends by gm brief --done; then delete its post in {layout.shown(layout.bulletin)}"
            raise UsageError(
                "the last post is no note from outside, and no brief or feedback that still waits to be read",
                f"{way}, if nothing names it",
            )
        desk.commit(edits.withdrawal_steps(layout, desk.world, last[0]))
    return _view_post(last[0]), desk.notes


def _is_withdrawable(world: World, post: Post) -> bool:
    return post in undelivered(world) or not (post.waits or post.scene or world.find_agent(post.author))


def put_up_feedback(layout: Layout, piece: str, text: str, author: str | None = None) -> tuple[PostOnBoard, list[str]]:
    """Post feedback on an artifact; as ``put_up_brief``."""
    with editing(layout, "gm feedback", layout.settings, layout.world, layout.bulletin) as desk:
        path = find_artifact(layout, piece)
        desk.commit(edits.feedback_steps(layout, desk.world, text, chosen_author(desk.world, author), path))
    return _new_post(layout), desk.notes


def describe_briefs(world: World) -> Briefs:
    """Return the active briefs."""
    return Briefs(active_briefs=tuple(Brief(number, text) for number, text in enumerate(world.clock.active_briefs, 1)))


def describe_board(world: World) -> BoardReport:
    """Return the posts, oldest first, and the decisions."""
    taken = find_answered(world)
    posts = (_view_post(post, post.content in world.clock.active_briefs, post.key in taken) for post in world.posts)
    return BoardReport(tuple(posts), tuple(world.decisions))


def _view_post(post: Post, active: bool | None = None, taken_up: bool | None = None) -> PostOnBoard:
    return PostOnBoard(
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


def _new_post(layout: Layout) -> PostOnBoard:
    return _view_post(load_world(layout).world.posts[-1])


def chosen_author(world: World, name: str | None) -> str:
    """Return the named author, or the usual one."""
    return edits.usual_author(world) if name is None else " ".join(edits.require_text(name).split())
