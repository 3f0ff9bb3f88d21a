"""What somebody outside has written about a piece of work: who made it, and who talks about it with them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gm.model.character import Agent, find_agent
from gm.model.scene import Candidate, Reason
from gm.model.world import Post, World
from gm.scene.board import answered, was_put_up_in_scene
from gm.scene.names import piece_name, shorten

FRESH_DAYS = 2
FEEDBACK_POINTS = 60.0
REASON_CHARACTERS = 90


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of work as the memories of the cast know it.

    Attributes:
        title: Its title; a name made from its file when nobody remembers it.
        maker: Id of who made it; empty when nobody remembers having done so.
        seen_by: Ids of those who have seen it, who saw it last first.
    """

    title: str
    maker: str
    seen_by: tuple[str, ...] = ()


def find_piece(world: World, path: str) -> Piece:
    """Find what the cast knows about a piece of work."""
    title, maker = piece_name(path), ""
    seen = []
    for agent in world.agents.values():
        for node in reversed(agent.stream):
            if node.metadata.get("artifact_path") == path:
                title = str(node.metadata.get("title") or title)
                if node.type == "artifact":
                    maker = agent.id
                else:
                    seen.append((node.when, agent.id))
                break
    newest = sorted(seen, key=lambda item: item[0], reverse=True)
    return Piece(title, maker, tuple(name for _, name in newest))


def from_feedback(world: World, time: str) -> Iterator[Candidate]:  # noqa: ARG001
    """Propose that whoever made a piece of work talks about what was written about it, with somebody who knows it."""
    taken = answered(world)
    for post in world.posts:
        if not post.artifact or not post.waits or find_agent(world.agents, post.author):
            continue
        if post.day < world.clock.day - FRESH_DAYS or post.key in taken or was_put_up_in_scene(world, post):
            continue
        if world.agents:
            yield _talk_about(world, post)


def _talk_about(world: World, post: Post) -> Candidate:
    piece = find_piece(world, post.artifact)
    first = world.agents[piece.maker or next(iter((*piece.seen_by, *world.agents)))]
    other = _company(world, first, piece)
    text = " ".join(post.content.split())
    values = {"author": post.author, "title": piece.title, "maker": piece.maker and first.call_name}
    return Candidate(
        type="ENCOUNTER" if other else "WORK",
        cast=(first.id, other.id) if other else (first.id,),
        place=first.home,
        reasons=(
            Reason("brief", FEEDBACK_POINTS, "why_feedback", {**values, "text": shorten(text, REASON_CHARACTERS)}),
        ),
        premise=(
            "premise_feedback",
            {**values, "text": text, "one": first.call_name, "two": other.call_name if other else ""},
        ),
        topic=piece.title,
        answers=(post.artifact, post.key),
    )


def _company(world: World, first: Agent, piece: Piece) -> Agent | None:
    """Whoever has seen the piece last; else somebody in the same room, else somebody. Nobody when there is no other."""
    others = [agent for agent in world.agents.values() if agent.id != first.id]
    knowing = [world.agents[name] for name in piece.seen_by if name != first.id]
    near = [agent for agent in others if agent.state.position and agent.state.position == first.state.position]
    return next(iter((*knowing, *near, *others)), None)
