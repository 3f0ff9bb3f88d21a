"""What several sources need to know of the people and of the day so far."""

from __future__ import annotations

from collections.abc import Iterable

from gm.model.world import World
from gm.scene.attendance import attending
from gm.scene.mentions import common_words, content_words

MOST_CHARACTERS = 90


def everyone(world: World) -> tuple[str, ...]:
    """All who attend; who has waited longest to open a round comes first."""
    opened = {entry.participants[0]: entry.day for entry in world.log if len(entry.participants) > 2}
    return tuple(sorted(attending(world), key=lambda name: (opened.get(name, 0), name)))


def type_for(world: World, wanted: Iterable[str], size: int) -> str:
    """Find the first scene type that so many people are enough for; work, when there is none."""
    for name in wanted:
        kind = world.scene_types.get(name)
        if kind and size >= kind.cast[0]:
            return name
    return "WORK"


def starts_today(world: World, kind: str, agent: str) -> int:
    """Count how often somebody has started a scene of a type today."""
    entries = world.scenes_of(world.clock.day)
    return sum(1 for entry in entries if entry.type == kind and entry.participants[:1] == (agent,))


def nearest_in_mind(world: World, text: str, names: Iterable[str]) -> list[tuple[int, str]]:
    """Order people by how many words a text shares with their plans; words that most plans have do not count.

    Returns:
        How many words, and who; most first, else in the order given.
    """
    plans = {name: " ".join(agent.state.today_plan) for name, agent in world.agents.items()}
    words = content_words(text) - common_words(plans.values())
    return sorted(((len(words & content_words(plans[name])), name) for name in names), key=lambda item: -item[0])


def clip(text: str, most: int = MOST_CHARACTERS) -> str:
    """Cut a text to one line of so many characters, at a space."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1].rsplit(" ", 1)[0] + " …"
