"""What a scene changes in what those who took part think of each other (S3-16, S3-17).

An interaction is a scene that two took part in together, and in which at least one of them spoke to the other by name,
or, where it is played turn by turn, both of them spoke. Those the Game Master counts by itself, and with the first one
it notes where the two met. Everything else comes from replies, about those who were present and nobody else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from gm.model.character import find_agent
from gm.model.relationship import COUNT, LAYER, MET, TRUST, Relationship, RelationshipChange, clip_trust
from gm.model.replies import Regard
from gm.model.scene import Scene
from gm.model.world import World
from gm.scene.turns import Turn
from gm.texts import clip

_TEXTS = (
    ("type", "relationship_type"),
    ("tone", "emotional_tone"),
    ("why", "rationale"),
    ("notes", "relationship_notes"),
)


def fold_relationships(
    world: World, scene: Scene, turns: Sequence[Turn], warnings: list[str]
) -> dict[str, tuple[RelationshipChange, ...]]:
    """Tell what a scene changes in what people think of each other.

    Args:
        world: The world before the scene.
        scene: What was played.
        turns: The replies; of several of one character the last word counts.
        warnings: Takes what was left out, and why.

    Returns:
        By agent, one change for each other one it concerns; nothing while the layer is off.
    """
    if LAYER not in world.layers:
        return {}
    met = interactions(scene, turns)
    found: dict[str, tuple[RelationshipChange, ...]] = {}
    for name in scene.cast:
        if name not in world.agents:
            continue
        said = _stated(world, scene, name, turns, warnings)
        partners = [other for other in scene.cast if frozenset((name, other)) in met or other in said]
        known = world.agents[name].mind.relationships or {}
        changes = [
            _change(
                known.get(other, Relationship()),
                other,
                str(scene.ref),
                said.get(other, {}),
                counts=frozenset((name, other)) in met,
            )
            for other in partners
        ]
        if kept := tuple(change for change in changes if change.values):
            found[name] = kept
    return found


def interactions(scene: Scene, turns: Sequence[Turn]) -> frozenset[frozenset[str]]:
    """Find the pairs who dealt with each other in a scene."""
    found = {
        frozenset((turn.agent, line.to))
        for turn in turns
        for line in turn.reply.dialogue
        if line.to in scene.cast and line.to != turn.agent
    }
    if scene.type.play == "sequential":
        speakers = dict.fromkeys(turn.agent for turn in turns if turn.reply.dialogue)
        found |= {frozenset(pair) for pair in combinations(speakers, 2)}
    return frozenset(found)


def _stated(
    world: World, scene: Scene, name: str, turns: Sequence[Turn], warnings: list[str]
) -> dict[str, dict[str, Any]]:
    """Read what somebody says of others in a scene, by whom it is about."""
    found: dict[str, dict[str, Any]] = {}
    for turn in turns:
        for regard in turn.reply.relationships if turn.agent == name else ():
            other = find_agent(world.agents, regard.other.strip("`» «"))
            if other is None or other == name or other not in scene.cast:
                warnings.append(f"{name}: relationships: {_cut(regard.other)} was not present, left out")
                continue
            found.setdefault(other, {}).update(_values(name, regard, warnings))
    return found


def _values(name: str, regard: Regard, warnings: list[str]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for said, key in _TEXTS:
        text = " ".join(getattr(regard, said).split())
        if text:
            values[key] = text
    if regard.says_trust:
        values[TRUST] = clip_trust(regard.trust)
        if abs(regard.trust) > 1:
            warnings.append(
                f"{name}: relationships: trust in {_cut(regard.other)} is {regard.trust:g}, "
                f"outside -1 … 1; taken as {values[TRUST]:g}"
            )
    return values


def _change(before: Relationship, other: str, at: str, said: dict[str, Any], *, counts: bool) -> RelationshipChange:
    new = {key: value for key, value in said.items() if value != getattr(before, key)}
    old = {key: getattr(before, key) for key in new}
    if counts:
        new[COUNT] = before.interaction_count + 1
        if not before.first_met_at:
            old[MET], new[MET] = "", at
    return RelationshipChange(other, at, new, old, said.get("rationale", "") if said else "")


@dataclass(frozen=True, slots=True)
class EditedRelationship:
    """A value that stays as a person made it while a scene was being played."""

    agent: str
    other: str
    key: str
    ours: Any
    theirs: Any


def yield_relationships(
    before: World, now: World, name: str, changes: Sequence[RelationshipChange]
) -> tuple[tuple[RelationshipChange, ...], list[EditedRelationship]]:
    """Take out of changes what a person has changed since the scene began. What is counted adds to theirs."""
    if name not in before.agents:
        return tuple(changes), []
    was, now_is = (world.agents[name].mind.relationships or {} for world in (before, now))
    left, kept = [], []
    for change in changes:
        then, there = (known.get(change.other, Relationship()) for known in (was, now_is))
        edited = [key for key in change.values if key != COUNT and getattr(then, key) != getattr(there, key)]
        kept += [EditedRelationship(name, change.other, key, change.values[key], getattr(there, key)) for key in edited]
        values = {key: value for key, value in change.values.items() if key not in edited}
        old = {key: value for key, value in change.old.items() if key not in edited}
        left.append(replace(change, values=values, old=old))
    return tuple(change for change in left if change.values), kept


def _cut(text: str) -> str:
    return repr(clip(text))
