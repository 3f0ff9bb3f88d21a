"""The cast and the day so far, for several sources."""

from __future__ import annotations

from collections.abc import Iterable

from gm.model.world import World
from gm.scene.attendance import attending
from gm.scene.mentions import common_words, content_words

MOST_CHARACTERS = 90


def everyone(world: World) -> tuple[str, ...]:
    """Return all who attend; first the one who has waited longest to open a round."""
    opened = {entry.participants[0]: entry.day for entry in world.log if len(entry.participants) > 2}
    return tuple(sorted(attending(world), key=lambda name: (opened.get(name, 0), name)))


def type_for(world: World, wanted: Iterable[str], size: int) -> str:
    """Return the first scene type for which this many people are enough, else WORK."""
    for name in wanted:
        kind = world.scene_types.get(name)
        if kind and size >= kind.cast[0]:
            return name
    return "WORK"


def starts_today(world: World, kind: str, agent: str) -> int:
    """Return how many scenes of a type an agent has started today."""
    entries = world.scenes_of(world.clock.day)
    return sum(1 for entry in entries if entry.type == kind and entry.participants[:1] == (agent,))


def nearest_in_mind(world: World, text: str, names: Iterable[str]) -> list[tuple[int, str]]:
    """Return the number of words a text shares with each character's plan, and the id, highest first.

    Words common to most plans do not count; equal ones stay in the given order.
    """
    plans = {name: " ".join(agent.state.today_plan) for name, agent in world.agents.items()}
    words = content_words(text) - common_words(plans.values())
    return sorted(((len(words & content_words(plans[name])), name) for name in names), key=lambda item: -item[0])


def clip(text: str, most: int = MOST_CHARACTERS) -> str:
    """Return a text on one line, cut at a space to at most ``most`` characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1].rsplit(" ", 1)[0] + " …"
