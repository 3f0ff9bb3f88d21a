"""What somebody outside has written about a piece of work, and nobody has taken up."""

from __future__ import annotations

from collections.abc import Iterator

from gm.model.character import Agent
from gm.model.scene import Candidate
from gm.model.world import Post, World
from gm.scene.attendance import attending, days_passed_over
from gm.scene.candidates.people import clip
from gm.scene.candidates.posts import FRESH_DAYS
from gm.scene.pieces import KnownPiece, find_piece
from gm.scene.score import reason
from gm.scene.waiting import waiting_posts


def from_feedback(world: World, time: str) -> Iterator[Candidate]:  # noqa: ARG001
    """Propose that whoever made a piece of work talks about what was written about it, with somebody who knows it."""
    here = attending(world)
    today = world.clock.day
    since = today - FRESH_DAYS - len(days_passed_over(world, today))
    for post in waiting_posts(world, since):
        if post.artifact and here:
            yield _talk_about(world, post, here)


def _talk_about(world: World, post: Post, here: tuple[str, ...]) -> Candidate:
    piece = find_piece(world, post.artifact)
    knowing = [name for name in (piece.maker, *piece.seen_by) if name in here]
    first = world.agents[next(iter((*knowing, *here)))]
    other = _company(world, first, piece, here)
    values = {"author": post.author, "title": piece.title, "maker": first.call_name if piece.maker == first.id else ""}
    text = " ".join(post.content.split())
    people = {"one": first.call_name, "two": other.call_name if other else ""}
    return Candidate(
        type="ENCOUNTER" if other else "WORK",
        cast=(first.id, other.id) if other else (first.id,),
        place=first.home,
        reasons=(reason(world, "brief", 1.0, "why_feedback", **values, text=clip(text)),),
        premise=("premise_feedback", {**values, **people, "text": text}),
        topic=piece.title,
        answers=(post.artifact, post.key),
    )


def _company(world: World, first: Agent, piece: KnownPiece, here: tuple[str, ...]) -> Agent | None:
    """Whoever has seen the piece last; else somebody in the same room, else somebody. Nobody when there is no other."""
    others = [world.agents[name] for name in here if name != first.id]
    knowing = [world.agents[name] for name in piece.seen_by if name != first.id and name in here]
    near = [agent for agent in others if agent.state.position and agent.state.position == first.state.position]
    return next(iter((*knowing, *near, *others)), None)
