"""Weigh the candidates against the day so far and pick one. Seeded: the same world and seed pick the same scene."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from gm.model.scene import Candidate, Reason
from gm.model.world import World
from gm.scene.schedule import dice

MOST_IN_A_ROW = 2
DICE_POINTS = 1.5
NEEDED_EVERY_DAY = ("WORK", "ENCOUNTER")


def weigh(candidates: list[Candidate], world: World, seed: int, *, scenes_left: int) -> list[Candidate]:
    """Add to each candidate what the day so far says about it, and sort: best first.

    Args:
        candidates: What could be played, with the reasons of its source.
        world: The world with its day open.
        seed: Dice of the Game Master.
        scenes_left: Scenes that still fit into the day, the coming one included.
    """
    today = world.scenes_of(world.clock.day)
    types = [entry.type for entry in today]
    seen = Counter(name for entry in today if entry.type != "ARRIVAL" for name in entry.participants)
    weighed = [
        replace(
            item, reasons=(*item.reasons, *_pacing(item, world, types, seen, scenes_left), _roll(item, world, seed))
        )
        for item in candidates
    ]
    return sorted(weighed, key=lambda item: -item.score)


def pick(weighed: list[Candidate], world: World) -> Candidate | None:
    """Take the best candidate that does not make three scenes of one type in a row; a calendar event may."""
    recent = [entry.type for entry in world.scenes_of(world.clock.day)][-MOST_IN_A_ROW:]
    tired = recent[0] if len(recent) == MOST_IN_A_ROW and len(set(recent)) == 1 else None
    fresh = [item for item in weighed if item.type != tired or item.reasons[0].part == "event"]
    return next(iter(fresh or weighed), None)


def _pacing(item: Candidate, world: World, types: Sequence[str], seen: Counter[str], scenes_left: int) -> list[Reason]:
    """What the scenes of the day so far say about a candidate: their types in order, and how often each was seen."""
    reasons = []
    if types and types[-1] == item.type:
        reasons.append(Reason("pacing", -3.0))
    missing = [kind for kind in NEEDED_EVERY_DAY if kind not in types and kind in world.scene_types]
    if item.type in missing and scenes_left <= len(missing) + 1:
        reasons.append(Reason("needed", 30.0, "why_needed", {"type": item.type}))
    if len(item.cast) < len(world.agents):
        waiting = sum(1 for name in item.cast if not seen[name])
        reasons.append(Reason("stage", 1.0 * waiting / len(item.cast) - 0.5 * max(seen[n] for n in item.cast)))
    return reasons


def _roll(item: Candidate, world: World, seed: int) -> Reason:
    clock = world.clock
    rolled = dice(seed, "pick", clock.day, clock.scenes_today, item.type, *item.cast, *item.answers, item.intent)
    return Reason("dice", round(rolled.random() * DICE_POINTS, 3))
