"""Posts that no scene has taken up: briefs, questions, feedback on artifacts."""

from __future__ import annotations

from collections.abc import Iterator

from gm.model.clock import Post
from gm.model.scene import ENCOUNTER, MEETING, WORK, Candidate
from gm.model.world import Agent, World
from gm.scene.grounding.attendance import attending, days_passed_over, gathering_place
from gm.scene.grounding.mentions import choose_type, clip_words, everyone
from gm.scene.pieces.known_pieces import KnownPiece, find_piece, is_for
from gm.scene.pieces.waiting import waiting_posts
from gm.scene.score import reason

FRESH_DAYS = 2
"""Days, besides those passed over, in which a post from outside asks for a scene."""


def propose(world: World, time: str) -> Iterator[Candidate]:  # noqa: ARG001
    """Yield a meeting about all waiting posts, and a talk about each feedback."""
    yield from meetings(world)
    yield from _talks_about_pieces(world)


def meetings(world: World) -> Iterator[Candidate]:
    """Yield a meeting about the waiting posts, if any."""
    waiting = unanswered_posts(world)
    cast = everyone(world)
    if not waiting or not cast:
        return
    authors = " / ".join(dict.fromkeys(post.author for post in waiting))
    yield Candidate(
        type=choose_type(world, (MEETING, ENCOUNTER), len(cast)),
        cast=cast,
        place=gathering_place(world),
        reasons=tuple(
            reason(world, "brief", 1.0, author=post.author, text=clip_words(post.content)) for post in waiting[:1]
        ),
        premise=("premise_brief", {"author": authors}),
        topic="\n\n".join(post.content for post in waiting),
        answers=tuple(post.key for post in waiting),
    )


def unanswered_posts(world: World) -> list[Post]:
    """Return fresh posts not taken up, except feedback on artifacts."""
    return [post for post in _fresh_posts(world) if not post.artifact]


def _fresh_posts(world: World) -> Iterator[Post]:
    today = world.clock.day
    return waiting_posts(world, today - FRESH_DAYS - len(days_passed_over(world, today)))


def _talks_about_pieces(world: World) -> Iterator[Candidate]:
    here = attending(world)
    for post in _fresh_posts(world):
        if post.artifact:
            piece = find_piece(world, post.artifact)
            knowing = tuple(name for name in here if is_for(piece.audience, name))
            if knowing:
                yield _talk_about(world, post, piece, knowing)


def _talk_about(world: World, post: Post, piece: KnownPiece, here: tuple[str, ...]) -> Candidate:
    knowing = [name for name in (piece.maker, *piece.seen_by) if name in here]
    first = world.agents[next(iter((*knowing, *here)))]
    other = _partner(world, first, piece, here)
    values = {"author": post.author, "title": piece.title, "maker": first.call_name if piece.maker == first.id else ""}
    text = " ".join(post.content.split())
    people = {"one": first.call_name, "two": other.call_name if other else ""}
    return Candidate(
        type=ENCOUNTER if other else WORK,
        cast=(first.id, other.id) if other else (first.id,),
        place=first.home,
        reasons=(reason(world, "brief", 1.0, "why_feedback", **values, text=clip_words(text)),),
        premise=("premise_feedback", {**values, **people, "text": text}),
        topic=piece.title,
        answers=(post.artifact, post.key),
    )


def _partner(world: World, first: Agent, piece: KnownPiece, here: tuple[str, ...]) -> Agent | None:
    others = [world.agents[name] for name in here if name != first.id]
    knowing = [world.agents[name] for name in piece.seen_by if name != first.id and name in here]
    near = [agent for agent in others if agent.state.position and agent.state.position == first.state.position]
    return next(iter((*knowing, *near, *others)), None)
