"""Reactions to fresh artifacts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gm.model.logged import LogEntry
from gm.model.node import Node
from gm.model.scene import ENCOUNTER, Candidate
from gm.model.world import Agent, World
from gm.scene.grounding.attendance import days_passed_over, in_house, talk_place
from gm.scene.grounding.circle import SMALL_CAST, circle_of
from gm.scene.pieces.known_pieces import audience_in, title_of
from gm.scene.pieces.waiting import waiting_artifacts
from gm.scene.score import reason

SEEN = 0.8
"""Measure for a character who was there when the piece was shown."""


def propose(world: World, time: str) -> Iterator[Candidate]:
    """Yield reactions to artifacts since yesterday, not taken up yet; of versions to the last one."""
    here = in_house(world)
    today = world.clock.day
    since = today - 1 - len(days_passed_over(world, today))
    fresh = [entry for entry in world.log if entry.day >= since]
    for entry, path in waiting_artifacts(world, fresh):
        made = _find_made(world, entry, path)
        if made is None or made[0].id not in here:
            continue
        maker, node = made
        # only those who were shown a piece that is not for all know it
        audience = audience_in(node)
        near = {*circle_of(world, maker.id), *(entry.participants if len(entry.participants) <= SMALL_CAST else ())}
        shown = near.intersection(audience, entry.participants) if audience else near
        for name in here:
            if name != maker.id and name in shown:
                share = SEEN if name in entry.participants else 1.0
                reaction = _reaction(world, maker, title_of(node, path), world.agents[name], time, share)
                yield replace(reaction, answers=(path,))


def _reaction(world: World, maker: Agent, title: str, other: Agent, time: str, share: float) -> Candidate:
    values = {"one": other.call_name, "two": maker.call_name, "title": title}
    return Candidate(
        type=ENCOUNTER,
        cast=(other.id, maker.id),
        place=talk_place(world, other, maker, time),
        reasons=(reason(world, "artifact", share, **values),),
        premise=("premise_artifact", values),
        topic=title,
    )


def _find_made(world: World, entry: LogEntry, path: str) -> tuple[Agent, Node] | None:
    # what was finished alone in the evening stands in the line that closes the day, which names no character
    for name in world.agents if entry.is_summary else entry.participants:
        agent = world.agents.get(name)
        for node in reversed(agent.stream if agent else ()):
            if node.when.day < entry.day:
                break
            if agent and node.piece == path and node.type == "artifact":
                return agent, node
    return None
