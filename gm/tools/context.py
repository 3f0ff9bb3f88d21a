"""What a character has before its eyes, and the very prompt it would be sent next."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from gm.config import DISCOVER
from gm.day.reflecting import first_question
from gm.day.reminders import Reminder
from gm.day.sources import Find, look_up
from gm.day.stage import Stage, Wanted
from gm.day.tool_protocol import Minds
from gm.errors import UsageError
from gm.llm.base import Request
from gm.llm.choose import BACKENDS
from gm.llm.content import plain_tool, text_of
from gm.memory.lens import original_text, read_through
from gm.memory.lens_form import lenses_of
from gm.memory.retrieve import Selection
from gm.model.calendar import SceneRef
from gm.model.character import Agent
from gm.model.node import Node, node_record
from gm.model.scene import Scene
from gm.model.world import World
from gm.prompt.context import Assembler
from gm.prompt.discovery import discovers
from gm.prompt.render import Prompts
from gm.scene.advance import advance
from gm.scene.daybreak import open_day
from gm.scene.director import arrival_scene, consider, next_step, scene_of
from gm.scene.focus import focus
from gm.scene.requested_scene import SceneWish, check_wish, wished_scene
from gm.store.traces import NoTraces
from gm.tokens import estimate_tokens
from gm.tools.past import world_at


@dataclass(frozen=True, slots=True)
class ContextWish:
    """What ``gm context`` was asked for.

    Attributes:
        last: Size of the window; None = as configured.
        tags: Focus on these tags.
        moment: As it was after a day or a scene; None = now.
        strategy: How the window is chosen; empty = as configured.
        scene: The scene that the prompt is for; None = the next one in which the character would be asked.
    """

    last: int | None = None
    tags: tuple[str, ...] = ()
    moment: SceneRef | None = None
    strategy: str = ""
    scene: SceneWish | None = None


def describe_context(
    world: World,
    prompts: Prompts,
    name: str,
    wish: ContextWish,
    seed: int,
    read_piece: Callable[[str], str | None],
    find: Find,
    remind: Callable[[Assembler], Reminder] | None = None,
    read_archive: Callable[[str], Sequence[Node]] = lambda _name: (),
    minds: Minds | None = None,
    notice: Callable[[str], None] = lambda _text: None,
    *,
    tells_schema: bool = False,
) -> dict[str, Any]:
    """Choose an agent's memories as a scene call would, and render the prompt.

    Args:
        world: The world.
        prompts: Its templates.
        name: The agent's id.
        wish: What was asked for.
        seed: Dice of the Game Master.
        read_piece: Reads the text of an artifact by its path; None when there is none.
        find: Finds passages of the library about something.
        remind: Makes what finds further memories; None = there are none.
        read_archive: Reads somebody's archive, to show how it was before something went there.
        minds: What a character can ask that discovers who it is.
        notice: Told when no memory carries the tags that were asked for.
        tells_schema: Whether the form of the reply is told in words, at the end of the prompt.

    Returns:
        The document of ``gm context --json``, with the prompt.
    """
    if wish.moment:
        world = world_at(world, wish.moment, read_archive)
    if wish.strategy:
        retrieval = replace(world.settings.retrieval, strategy=wish.strategy)
        world = replace(world, settings=replace(world.settings, retrieval=retrieval))
    assembler = Assembler(prompts)
    said: set[str] = set()
    stage = Stage(
        assembler,
        lambda _scene: NoTraces(),
        seed,
        partial(_named_model, world),
        tells_schema,
        read_piece,
        remind and remind(assembler),
        minds,
        said.add,
    )
    wanted = Wanted(last=wish.last, tags=wish.tags)
    agent = world.agents[name]
    opened, scene = _next_question(world, prompts, name, seed, find, wish.scene)
    # while a day is opened only in thought, the window is the settled one: the same nodes
    if scene.type.reply == "reflection":
        scene, moment = first_question(stage, opened, scene)
    else:
        moment = stage.first_moment(opened, scene, name)
    stage.embed_ahead(lambda: stage.question(opened, scene, name, moment, wanted))
    if discovers(world, agent):
        chosen, sections = Selection(DISCOVER, (), ()), []
    else:
        fitted = stage.fitted(opened, scene, name, moment, wanted)
        chosen, sections = fitted.selection, stage.describe(opened, scene, name, fitted)
    request = stage.question(opened, scene, name, moment, wanted).request
    for text in sorted(said):
        notice(text)
    prompt = render_request(request) + stage.told(request.schema)
    return _document(world, agent, chosen, sections, prompt)


def _document(
    world: World, agent: Agent, chosen: Selection, sections: list[dict[str, Any]], prompt: str
) -> dict[str, Any]:
    bent = _bent(world, agent, chosen.nodes)
    return {
        "agent": agent.id,
        "strategy": chosen.strategy,
        "memories": [node_record(node) for node in chosen.nodes],
        "reflections": [node.id for node in chosen.nodes if node.depth > 0],
        **({"summaries": [node_record(node) for node in agent.summaries]} if agent.summaries else {}),
        **({"lenses": bent} if bent else {}),
        "dropped": chosen.dropped,
        "tokens": estimate_tokens(prompt),
        "sections": sections,
        "prompt": prompt,
    }


def _bent(world: World, agent: Agent, nodes: Sequence[Node]) -> dict[str, Any]:
    """Tell which memories are seen through a lens: by which, how they read, and how they were before."""
    lenses = lenses_of(world.settings, agent)
    found = {}
    for node in nodes:
        text, names = read_through(node, lenses)
        formed = node.metadata.get("lens", []) if "original" in node.metadata else []
        if names or formed:
            found[node.id] = {
                "formation": formed,
                **({"original": original_text(node)} if formed else {}),
                "retrieval": list(names),
                **({"reads": text} if names else {}),
            }
    return found


def _named_model(world: World, purpose: str, agent: Agent | None) -> str:
    """Tell which model is going to be asked as far as the files say it: the budget of its prompts depends on it.

    What ``auto`` comes to, and what ``--model`` will say, is not in the files.
    """
    settings = world.settings
    if settings.model in BACKENDS:
        return settings.model
    return (agent.own_model if agent else "") or settings.models.by_purpose().get(purpose) or settings.model


def render_request(request: Request) -> str:
    """Write a whole request as one text: the system parts, the question, and the tools if there are any."""
    texts = [*(block.text for block in request.system), *(text_of(content) for _, content in request.messages)]
    if request.tools:
        texts.append(
            "# tools\n" + "\n".join(json.dumps(plain_tool(tool), ensure_ascii=False) for tool in request.tools)
        )
    return "\n".join(texts)


def _next_question(
    world: World, prompts: Prompts, name: str, seed: int, find: Find, wish: SceneWish | None
) -> tuple[World, Scene]:
    """Find the scene in which the character would be asked next, and the world before it.

    The scene that is wished for; else the coming scene if the character is in it; else the best candidate in which it
    is; else the next ARRIVAL.

    Raises:
        UsageError: The wish cannot be played, or the character is not in it.
    """
    opened = world if world.clock.day_open else advance(world, open_day(world))
    if wish is None:
        return opened, focus(opened, look_up(_next_scene(opened, prompts, name, seed), find))
    scene = wished_scene(opened, check_wish(opened, wish), prompts.words)
    if name not in scene.cast:
        raise UsageError(
            f"{name} takes no part in this scene", f"name it as well: --with {name},{','.join(scene.cast)}"
        )
    return opened, focus(opened, look_up(scene, find))


def _next_scene(world: World, prompts: Prompts, name: str, seed: int) -> Scene:
    for scene in next_step(world, seed, prompts.words).scenes:
        if name in scene.cast:
            return scene
    time = world.clock.time_of_day or "morning"
    for candidate in consider(world, seed, time, scenes_left=1):
        if name in candidate.cast:
            return scene_of(world, candidate, time, prompts.words)
    return arrival_scene(world, prompts.words)
