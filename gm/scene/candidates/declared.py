"""Recurring scene types, as their front matter declares."""

from __future__ import annotations

from collections.abc import Iterator

from gm.model.scene import EVERYONE, MEETING, Candidate, SceneType
from gm.model.world import World
from gm.scene.candidates.board import unanswered_posts
from gm.scene.grounding.attendance import attending, gathering_place, work_place
from gm.scene.grounding.circle import circle_of
from gm.scene.grounding.common_reasons import bonds_of
from gm.scene.grounding.mentions import everyone
from gm.scene.score import reason


def propose(world: World, time: str) -> Iterator[Candidate]:
    """Yield regular scene types at their times; the score grows with the days since."""
    for kind in world.scene_types.values():
        if not kind.regular or time not in kind.times or kind.reply != "scene":
            continue
        if kind.name == MEETING and unanswered_posts(world):
            continue  # the waiting posts cause a meeting anyway
        for cast in _casts(world, kind):
            since = _days_since(world, kind, cast)
            if cast and (since != 0 or kind.share is not None):
                yield _candidate(world, kind, cast, since)


def _casts(world: World, kind: SceneType) -> Iterator[tuple[str, ...]]:
    here = attending(world)
    if kind.who == EVERYONE or (not kind.who and 0 < len(here) <= kind.cast[1]):
        yield everyone(world)
    elif kind.who:
        named = (world.find_agent(name) for name in kind.who)
        yield tuple(dict.fromkeys(name for name in named if name in here))
    else:
        bonds = bonds_of(world)
        found: dict[frozenset[str], tuple[str, ...]] = {}
        for starter in here:
            others = sorted(circle_of(world, starter), key=lambda name: -bonds.apart(starter, name))
            cast = (starter, *others[: kind.cast[1] - 1])
            found.setdefault(frozenset(cast), cast)
        yield from found.values()


def _days_since(world: World, kind: SceneType, cast: tuple[str, ...]) -> int | None:
    days = [
        entry.day
        for entry in world.log
        if entry.type == kind.name and (kind.who == EVERYONE or {*cast} & {*entry.participants})
    ]
    return world.clock.day - max(days) if days else None


def _candidate(world: World, kind: SceneType, cast: tuple[str, ...], since: int | None) -> Candidate:
    names = [world.agents[name].call_name for name in cast]
    days = kind.every if since is None else since
    values = {"type": kind.name, "one": names[0], "days": str(days), "first": "1" if since is None else ""}
    alone = work_place(world, world.agents[cast[0]]) if len(cast) == 1 else gathering_place(world)
    return Candidate(
        type=kind.name,
        cast=cast,
        place=kind.place or alone,
        reasons=(
            reason(
                world, "rhythm", min(1.0, days / kind.every), f"why_{kind.name}" if kind.why else "why_rhythm", **values
            ),
        ),
        premise=(f"premise_{kind.name}" if kind.premise else "premise_asked", {**values, "names": names}),
    )
