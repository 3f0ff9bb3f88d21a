"""The layers of a mind in prompts: shown to its owner, and to no other character."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gm.ask.prompt.values import View
from gm.layers import LAYERS
from gm.layers.declare import Shown
from gm.layers.working import shown_prefixes
from gm.model.character import Agent
from gm.model.replies import SceneReply
from gm.model.scene import Scene
from gm.model.world import World


def layer_views(
    world: World, agent: Agent, scene: Scene, own: Sequence[SceneReply] = (), *, injected: bool = True
) -> dict[str, Any]:
    """Return the variables of a question that show the layers.

    ``own`` are the agent's replies in the scene so far; if not ``injected``, all layers count as off.
    """
    shown = Shown(world, agent, scene, own)
    return {
        layer.view.variable: _view(layer.view.show(shown, agent.mind[layer]))
        if injected and layer.name in world.layers
        else layer.view.empty
        for layer in LAYERS
        if not layer.view.template
    }


def layer_parts(world: World, agent: Agent) -> dict[str, dict[str, Any]]:
    """Return the variables of the layers that follow the persona, by template."""
    return {
        layer.view.template: {layer.view.variable: _view(value)}
        for layer in LAYERS
        if layer.view.template and layer.name in world.layers
        if (value := layer.view.show(Shown(world, agent), agent.mind[layer]))
    }


def page_rules(world: World) -> dict[str, Any]:
    """Return the length of a page, and the prefixes of lines that are to become memories."""
    settings = world.settings
    return {
        "page_lines": settings.working.lines,
        "prefixes": shown_prefixes(settings.working.migrate_prefixes, settings.language),
    }


def _view(value: Any) -> Any:
    """Convert mappings to views at any depth."""
    if isinstance(value, Mapping):
        return View(**{key: _view(item) for key, item in value.items()})
    return [_view(item) for item in value] if isinstance(value, list) else value
