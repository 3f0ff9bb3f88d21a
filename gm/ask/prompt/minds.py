"""The layers of a mind in prompts, shown to their owner alone; ``persona.mode: discover``."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from gm.ask.prompt.render import Prompts, View
from gm.base.config.layers import DISCOVER, PERSONA_MODES
from gm.layers import LAYERS
from gm.layers.declare import ShownMoment
from gm.layers.working import shown_prefixes
from gm.model.consulted import Consulted
from gm.model.scene import Scene
from gm.model.scene_reply import SceneReply
from gm.model.world import Agent, World
from gm.scene.grounding.attendance import present_with


def layer_views(
    world: World, agent: Agent, scene: Scene, own: Sequence[SceneReply] = (), *, injected: bool = True
) -> dict[str, object]:
    """Return a question's variables for the layers.

    ``own`` are the agent's replies in the scene so far; if not ``injected``, all layers are off.
    """
    shown = ShownMoment(world, agent, scene, own, present_with(world, scene, agent.id))
    return {
        layer.view.variable: _view(layer.view.show(shown, agent.mind[layer]))
        if injected and layer.name in world.layers
        else layer.view.empty
        for layer in LAYERS
        if not layer.view.template
    }


def layer_parts(world: World, agent: Agent) -> dict[str, dict[str, object]]:
    """Return the variables of the layers after the persona, by template."""
    return {
        layer.view.template: {layer.view.variable: _view(value)}
        for layer in LAYERS
        if layer.view.template and layer.name in world.layers
        if (value := layer.view.show(ShownMoment(world, agent), agent.mind[layer]))
    }


def page_rules(world: World) -> dict[str, object]:
    """Return the length of a page, and the prefixes of lines that become memories."""
    settings = world.settings
    return {
        "page_lines": settings.working.lines,
        "prefixes": shown_prefixes(settings.working.migrate_prefixes, settings.language),
    }


def _view(value: object) -> object:
    if isinstance(value, Mapping):
        return View(**{key: _view(item) for key, item in value.items()})
    return [_view(item) for item in value] if isinstance(value, list) else value


def is_discovering(world: World, agent: Agent) -> bool:
    """Return whether a character asks who it is; its persona overrides the world's setting."""
    own = agent.front_values.mode
    return (own if own in PERSONA_MODES else world.settings.persona.mode) == DISCOVER


def render_discovery(
    prompts: Prompts, world: World, tools: Sequence[str], earlier: Sequence[Consulted], *, form: bool = True
) -> tuple[str, ...]:
    """Render what replaces persona and memories: a common part, then the character's own.

    Args:
        earlier: Tool calls before this turn of the scene.
        form: With the reply form of scenes.
    """
    settings = world.settings.persona
    first = prompts.render(
        "discover.j2",
        tools=list(tools),
        consult=settings.consult,
        reason=settings.reason,
        form=form,
        **reply_rules(world),
    )
    found = [_view_call(item) for item in earlier if not item.is_error]
    return (first, prompts.render("discovered.j2", found=found)) if found else (first,)


def reply_rules(world: World) -> dict[str, object]:
    """Return the variables for a reply's form, the same for all."""
    settings = world.settings
    return {
        "layers": sorted(world.layers),
        "metacognitive": settings.metacognitive,
        **page_rules(world),
        "importance_from": settings.importance.from_,
        "kinds": settings.world.kinds,
        "library": world.has_library,
        "plans": settings.plans.enabled,
        "reflects": settings.reflection.enabled,
        "outside": settings.world.outside,
    }


def _view_call(item: Consulted) -> View:
    called = ", ".join(json.dumps(value, ensure_ascii=False) for value in item.arguments.values())
    return View(tool=item.tool, called=called, lines=list_consulted(item))


def list_consulted(item: Consulted) -> list[str]:
    """Return the memories in a call's result, one line each."""
    try:
        data = json.loads(item.text)
    except ValueError:
        return []
    memories = data.get("memories") if isinstance(data, dict) else None
    found = memories if isinstance(memories, list) else [data.get("memory")] if isinstance(data, dict) else []
    return [_line(memory) for memory in found if isinstance(memory, dict) and memory.get("content")]


def _line(memory: Mapping[str, object]) -> str:
    text = " ".join(str(memory["content"]).split())
    return f"`{memory['id']}` {text}" if memory.get("id") else text
