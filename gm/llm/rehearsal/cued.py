"""The scene and the mind that a question is about, as its rehearsal sees them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from gm.ask.prompt.people import part_of
from gm.layers import LAYERS
from gm.layers.declare import ShownMoment
from gm.model.calendar import weekday
from gm.model.derived import derived
from gm.model.link import LinkRequest
from gm.model.mind import SHARE
from gm.model.scene import Scene
from gm.model.scene_reply import SceneReply
from gm.model.world import Agent, World
from gm.scene.folding.exchange import wanted_of
from gm.scene.grounding.attendance import next_day

GAME = "DND"
DAYS_AHEAD = 3
TOPIC_KINDS = {"bulletin": "brief", "event": "event", "gallery": "artifact"}


@derived
def _with_parts(world: World, kind: str) -> frozenset[str]:
    return frozenset(name for name, agent in world.agents.items() if agent.front_values.roles.get(kind, "").strip())


@dataclass(frozen=True)
class CuedScene:
    """A scene in its world, for ``agent``, the id of the character that is asked."""

    world: World
    scene: Scene
    agent: str

    @property
    def type(self) -> str:
        return self.scene.type.name

    @property
    def day(self) -> int:
        return self.scene.ref.day

    @property
    def part(self) -> str:
        """The character's part in a game; may be empty."""
        return part_of(self.world.agents[self.agent], self.scene)

    @cached_property
    def others(self) -> tuple[Agent, ...]:
        return tuple([self.world.agents[name] for name in self.scene.cast if name != self.agent])

    @property
    def weekday(self) -> str:
        return self.weekday_of(self.day)

    def weekday_of(self, day: int) -> str:
        return weekday(day, self.world.settings.calendar.weekdays)

    @property
    def ahead(self) -> Sequence[int]:
        return range(self.day + 1, self.day + 1 + DAYS_AHEAD)

    @cached_property
    def next_day(self) -> int:
        return next_day(self.world, self.day)

    @property
    def starts(self) -> bool:
        return self.scene.cast[0] == self.agent

    @property
    def leader(self) -> str:
        return self.scene.cast[0] if self.scene.type.chair else ""

    @property
    def intent(self) -> str:
        """The scene's intent, if this character starts it; else empty."""
        return self.scene.intent if self.starts else ""

    @property
    def topic_kind(self) -> str:
        """brief, event, artifact; empty = any other."""
        return TOPIC_KINDS.get(self.scene.answers[0].partition("/")[0], "") if self.scene.answers else ""

    @property
    def is_game(self) -> bool:
        return self.type == GAME or not _with_parts(self.world, self.type.lower()).isdisjoint(self.scene.cast)

    @property
    def turns(self) -> int:
        """Approximate number of turns of the whole scene."""
        kind = self.scene.type
        return len(self.scene.cast) * kind.rounds[1] if kind.is_turn_by_turn else 1

    @property
    def wants_plan(self) -> bool:
        return self.scene.type.plan and self.world.settings.plans.enabled

    def as_data(self) -> dict[str, Any]:
        """Return JSON data."""
        scene = self.scene
        return {
            **pick_keys(scene, ("time_of_day", "place", "topic", "premise")),
            **pick_keys(self, ("day", "type", "topic_kind", "intent", "leader", "is_game")),
            "ref": str(scene.ref),
            "scene": scene.ref.scene,
            "play": scene.type.play,
            "place_text": self.world.settings.places.get(scene.place, ""),
            "starter": scene.cast[0],
            "passages": [{"place": passage.place, "title": passage.title} for passage in scene.passages],
            **({"note": scene.note} if scene.note else {}),
        }


@dataclass(frozen=True)
class CuedMind:
    """The mind of a character after its replies in the scene."""

    world: World
    agent: Agent
    scene: Scene
    replies: Sequence[SceneReply]

    @cached_property
    def facts(self) -> Mapping[str, Any]:
        """The ``facts`` of the layers that are on, by their variables in prompts."""
        shown = ShownMoment(self.world, self.agent, self.scene, self.replies)
        return {
            layer.view.variable: layer.facts(shown, self.agent.mind[layer])
            for layer in LAYERS
            if layer.facts and self.has(layer.name)
        }

    @cached_property
    def wanted(self) -> Sequence[LinkRequest] | None:
        return wanted_of(self.world, self.agent.id, self.replies) if self.has(SHARE) else None

    @property
    def links(self) -> list[str]:
        return [item.giver for item in self.world.links if item.asker == self.agent.id]

    def has(self, layer: str) -> bool:
        return layer in self.world.layers

    def as_data(self) -> dict[str, Any]:
        """Return JSON data."""
        facts = dict(self.facts)
        exchange: dict[str, Any] = {key: True for key in ("decisions", "kinds") if self.has(key)}
        if self.wanted is not None:
            asks = [{"id": item.asker, "about": item.about} for item in self.wanted]
            exchange["share"] = {"wanted": asks, "asked": self.links}
        if "goals" in facts:
            exchange["goals"] = facts.pop("goals")
        return {**facts, "exchange": exchange or None}


def pick_keys(value: object, names: Iterable[str]) -> dict[str, Any]:
    """Return attributes of a value by name."""
    return {name: getattr(value, name) for name in names}
