"""Reasons that encounters and work scenes of all sources share: bonds between two, and a neglected goal.

A stated trust level replaces a persona's friends and quarrels: above 0 it is friendship, below 0 a quarrel, by its
absolute value.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import combinations

from gm.layers.goals import GOALS
from gm.layers.relationships import RELATIONSHIPS
from gm.model.derived import derived
from gm.model.scene import ENCOUNTER, WORK, Candidate, Reason
from gm.model.world import Agent, World
from gm.scene.grounding.attendance import in_house
from gm.scene.grounding.mentions import clip_words
from gm.scene.score import reason

SMALL_CIRCLE = 3
"""Most people of a scene in which each meets each."""


UNMET_FULL_DAYS = 7
"""Days without a meeting at which the measure of two is 1."""


UNMET_MOST = 2.0
"""Largest measure of two who have not met; it grows with the square of the days, so that all pairs meet in the end."""


TENSION_FULL_DAYS = 5
"""Days without a meeting at which a quarrel counts in full."""


ONE_SIDED = 0.7
"""Weight of a one-sided friendship or quarrel; of trust, the weight of the stronger side."""


NEGLECTED_DAYS, GOAL_FULL_DAYS = 3, 7
"""Days without a report on a goal after which it is neglected, and at which it counts in full."""


class DayBonds:
    """Bonds and last meetings on the open day."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._last: dict[frozenset[str], int] = {}
        for entry in world.log:
            if 2 <= len(entry.participants) <= SMALL_CIRCLE:
                for pair in combinations(entry.participants, 2):
                    self._last[frozenset(pair)] = entry.day
        self._first = min((entry.day for entry in world.log), default=world.clock.day)
        self._friends = {name: _find_named(world, agent, "friends") for name, agent in world.agents.items()}
        self._quarrels = {name: _find_named(world, agent, "quarrels") for name, agent in world.agents.items()}
        self._here = frozenset(in_house(world))
        self._layer = RELATIONSHIPS.name in world.layers

    def apart(self, one: str, two: str) -> int:
        """Return the story days since two met in a small circle, or since the first logbook line."""
        return self._world.clock.day - self._last.get(frozenset((one, two)), self._first - 1)

    def reasons(self, cast: tuple[str, ...]) -> Iterator[Reason]:
        """Yield the reasons for a talk; of three, half the sum over their pairs."""
        pairs = list(combinations(cast, 2))
        found: dict[str, list[tuple[float, str, str]]] = {}
        for one, two in pairs:
            for part, measure in self._measures(one, two).items():
                found.setdefault(part, []).append((measure, one, two))
        for part, all_measures in found.items():
            total = sum(measure for measure, _, _ in all_measures) / (len(cast) - 1)
            _, one, two = max(all_measures)
            yield reason(self._world, part, total, **self._values(one, two))

    def _measures(self, one: str, two: str) -> dict[str, float]:
        apart = self.apart(one, two)
        found = {"unmet": min(UNMET_MOST, (apart / UNMET_FULL_DAYS) ** 2)}
        quarrel, friendship = _weigh_both(self._quarrels, one, two), _weigh_both(self._friends, one, two)
        if self._layer:
            quarrel, friendship = map(_weigh, self._sides(one, two), self._sides(two, one))
        found["tension"] = quarrel * min(1.0, apart / TENSION_FULL_DAYS)
        found["closeness"] = friendship
        agents = self._world.agents
        at = agents[one].state.position
        found["near"] = float({one, two} <= self._here and bool(at) and at == agents[two].state.position)
        return {part: measure for part, measure in found.items() if measure > 0 or part == "unmet"}

    def _sides(self, one: str, two: str) -> tuple[float, float]:
        known = self._world.agents[one].mind[RELATIONSHIPS].get(two)
        if known is not None and known.is_stated:
            return max(0.0, -known.trust_level), max(0.0, known.trust_level)
        return float(two in self._quarrels[one]), float(two in self._friends[one])

    def _values(self, one: str, two: str) -> dict[str, str]:
        never = frozenset((one, two)) not in self._last and self._first <= 1
        return {
            "one": self._world.agents[one].call_name,
            "two": self._world.agents[two].call_name,
            "days": str(self.apart(one, two)),
            "never": "1" if never else "",
        }


@derived
def bonds_of(world: World) -> DayBonds:
    """Return the bonds of a world."""
    return DayBonds(world)


def add_bonds(world: World, candidates: list[Candidate]) -> list[Candidate]:
    """Return the candidates, with bonds as reasons for small encounters."""
    bonds = bonds_of(world)
    return [
        replace(item, reasons=(*item.reasons, *bonds.reasons(item.cast)))
        if item.type == ENCOUNTER and 2 <= len(item.cast) <= SMALL_CIRCLE
        else item
        for item in candidates
    ]


def _find_named(world: World, agent: Agent, key: str) -> frozenset[str]:
    names: Mapping[str, str] = getattr(agent.front_values, key)
    return frozenset(filter(None, (world.find_agent(name) for name in names)))


def _weigh_both(named: dict[str, frozenset[str]], one: str, two: str) -> float:
    sides = (two in named[one]) + (one in named[two])
    return (0.0, ONE_SIDED, 1.0)[sides]


def _weigh(one: float, two: float) -> float:
    more, less = max(one, two), min(one, two)
    return ONE_SIDED * more + (1 - ONE_SIDED) * less


def add_goals(world: World, candidates: list[Candidate]) -> list[Candidate]:
    """Return the candidates, with a neglected goal of its first character for each work scene."""
    if GOALS.name not in world.layers:
        return candidates
    return [_with_goal(world, item) if item.type == WORK else item for item in candidates]


def _with_goal(world: World, item: Candidate) -> Candidate:
    agent = world.agents[item.cast[0]]
    still_open = (goal for goal in agent.mind[GOALS] if goal.is_open)
    goal = min(still_open, key=lambda goal: goal.touched_day, default=None)
    days = world.clock.day - goal.touched_day if goal else 0
    if goal is None or days < NEGLECTED_DAYS:
        return item
    measure = min(1.0, days / GOAL_FULL_DAYS)
    why = reason(world, "goal", measure, who=agent.call_name, days=str(days), goal=clip_words(goal.text))
    return replace(item, reasons=(*item.reasons, why))
