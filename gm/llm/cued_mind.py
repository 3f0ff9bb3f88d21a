"""The layers of a mind that a question is about; those that are switched off are None."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from gm.layers.goals import GOALS, Goal
from gm.layers.relationships import RELATIONSHIPS, Relationship
from gm.layers.soul import SOUL
from gm.layers.working import WORKING, PageLine, page_lines, page_now, shown_prefixes
from gm.llm.cued_scene import pick_keys
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
    def soul(self) -> list[str] | None:
        return [entry.text for entry in self.agent.mind[SOUL].entries] if self.has(SOUL.name) else None

    @cached_property
    def page(self) -> tuple[PageLine, ...] | None:
        if not self.has(WORKING.name):
            return None
        written = [reply.working for reply in self.replies]
        return page_lines(page_now(self.agent.mind[WORKING], written, self.world.settings.working.lines))

    @property
    def lesson(self) -> str:
        settings = self.world.settings
        return next(iter(shown_prefixes(settings.working.migrate_prefixes, settings.language)), "")

    @cached_property
    def regards(self) -> Mapping[str, Relationship] | None:
        if not self.has(RELATIONSHIPS.name):
            return None
        known = self.agent.mind[RELATIONSHIPS]
        return {name: known[name] for name in self.scene.cast if name in known}

    @cached_property
    def wanted(self) -> Sequence[LinkRequest] | None:
        return wanted_of(self.world, self.agent.id, self.replies) if self.has(SHARE) else None

    @property
    def links(self) -> list[str]:
        return [item.giver for item in self.world.links if item.asker == self.agent.id]

    @cached_property
    def goals(self) -> list[Goal] | None:
        return [goal for goal in self.agent.mind[GOALS] if goal.is_open] if self.has(GOALS.name) else None

    def has(self, layer: str) -> bool:
        return layer in self.world.layers

    def plain(self) -> dict[str, Any]:
        """Return JSON data."""
        exchange: dict[str, Any] = {key: True for key in ("decisions", "kinds") if self.has(key)}
        if self.wanted is not None:
            asks = [{"id": item.asker, "about": item.about} for item in self.wanted]
            exchange["share"] = {"wanted": asks, "asked": self.links}
        if self.goals is not None:
            exchange["goals"] = [pick_keys(goal, ("id", "text", "steps")) for goal in self.goals]
        return {
            "soul": self.soul,
            "page": None if self.page is None else self._plain_page(self.page),
            "regards": self.regards and _plain_regards(self.regards),
            "exchange": exchange or None,
        }

    def _plain_page(self, page: Sequence[PageLine]) -> dict[str, Any]:
        lines = [pick_keys(line, ("key", "text")) for line in page]
        return {"lines": lines, "room": self.world.settings.working.lines, "lesson": self.lesson}


def _plain_regards(known: Mapping[str, Relationship]) -> dict[str, dict[str, object]]:
    return {name: {"type": item.relationship_type, "trust": item.trust_level} for name, item in known.items()}
