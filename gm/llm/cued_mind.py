"""The layers of a mind that a question is about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from gm.layers import LAYERS
from gm.layers.declare import ShownMoment
from gm.model.character import Agent
from gm.model.link import LinkRequest
from gm.model.mind import SHARE
from gm.model.scene import Scene
from gm.model.scene_reply import SceneReply
from gm.model.world import World
from gm.scene.folding.exchange import wanted_of


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

    def plain(self) -> dict[str, Any]:
        """Return JSON data."""
        facts = dict(self.facts)
        exchange: dict[str, Any] = {key: True for key in ("decisions", "kinds") if self.has(key)}
        if self.wanted is not None:
            asks = [{"id": item.asker, "about": item.about} for item in self.wanted]
            exchange["share"] = {"wanted": asks, "asked": self.links}
        if "goals" in facts:
            exchange["goals"] = facts.pop("goals")
        return {**facts, "exchange": exchange or None}
