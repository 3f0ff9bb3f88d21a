"""All memory tools (document 000, "MCP Tool Interface"), called in scenes, whose writes land with them, or outside.

``minds.yaml`` says what a model reads of each.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from gm.api.answers.document import as_json
from gm.api.playing.mind import changing, searching
from gm.api.playing.mind.mind import Here, OpenMind, PendingChanges, open_mind
from gm.base.errors import GmError, UsageError
from gm.base.frontmatter import load_safely
from gm.base.texts import clip
from gm.files.layout import Layout
from gm.files.story.now import load_clock
from gm.files.streams.strength import count_recalled
from gm.llm.content import Tool, ToolCall
from gm.model.consulted import Consulted
from gm.model.scene import ASKED, DIARY_TYPE, Scene
from gm.model.world import Agent, World
from gm.play.vector_search import VectorSearch

NOTHING_STAYS = (ASKED, DIARY_TYPE)
LONGEST_SAID = 1_000
"""Characters of an error's message, and of its hint, that a caller reads."""


@dataclass(frozen=True, slots=True)
class MindTool:
    """A memory tool.

    Attributes:
        function: Takes the mind, then the caller's arguments; ``answers`` has what it returns.
        core: One of the six with which a character discovers itself.
        layer: The layer that it needs, or ``CARE``; empty = none.
    """

    function: Callable[..., object]
    writes: bool = False
    core: bool = False
    layer: str = ""

    @property
    def name(self) -> str:
        """The name by which models call it."""
        return self.function.__name__

    @property
    def description(self) -> str:
        """What models are told about it."""
        return _sentences()["tools"][self.name]

    @property
    def parameters(self) -> list[inspect.Parameter]:
        """Its arguments, annotated with their descriptions."""
        signature, described = inspect.signature(self.function, eval_str=True), describe_arguments()
        return [
            item.replace(
                annotation=Annotated[item.annotation, Field(description=described[name])],
                kind=inspect.Parameter.KEYWORD_ONLY,
            )
            for name, item in list(signature.parameters.items())[1:]
        ]


TOOLS = (
    MindTool(searching.query_self, core=True),
    MindTool(searching.query_background, core=True),
    MindTool(searching.query_communication_style, core=True),
    MindTool(searching.query_scene, core=True),
    MindTool(searching.query_character, core=True),
    MindTool(searching.query_memory, core=True),
    MindTool(searching.recall_episodes),
    MindTool(searching.recall_facts),
    MindTool(searching.recall_interactions),
    MindTool(searching.check_similar_situations),
    MindTool(changing.form_memory, writes=True),
    MindTool(changing.reinforce_memory, writes=True),
    MindTool(changing.associate_memories, writes=True),
)
CARE = "selfcare"
LAYER_TOOLS = (
    MindTool(changing.add_to_soul, writes=True, layer="soul"),
    MindTool(changing.remove_from_soul, writes=True, layer="soul"),
    MindTool(changing.self_care, writes=True, layer=CARE),
)
"""Only in worlds with the layer."""
LINK_TOOLS = (
    MindTool(changing.neural_link_request_memory, writes=True),
    MindTool(changing.neural_link_requests),
    MindTool(changing.neural_link_share_memory, writes=True),
)
"""Only in worlds that share memories (``share.enabled``)."""


@cache
def _sentences() -> Mapping[str, Mapping[str, str]]:
    loaded: Mapping[str, Mapping[str, str]] = load_safely(
        (files(__package__) / "minds.yaml").read_text(encoding="utf-8")
    )
    return loaded


def describe_arguments() -> Mapping[str, str]:
    """Return what a model reads of each argument of the tools."""
    return _sentences()["arguments"]


def select_tools(layers: Collection[str]) -> tuple[MindTool, ...]:
    """Return the tools of a world with these layers, except ``LINK_TOOLS``."""
    return (*TOOLS, *(tool for tool in LAYER_TOOLS if tool.layer in layers))


class SceneMinds:
    """Memory tools in scenes. Reads the files as before the scene; writes nothing."""

    def __init__(self, layout: Layout, notice: Callable[[str], None], vectors: VectorSearch | None = None) -> None:
        self._layout = layout
        self._notice = notice
        self._vectors = vectors

    def offered(self, world: World, scene: Scene) -> tuple[Tool, ...]:
        """Return the tools of a scene; out of scene none that write, as nothing is kept."""
        core = world.settings.persona.tools == "core"
        return tuple(
            Tool(tool.name, tool.description, parameters_of(tool))
            for tool in select_tools(_layers(world))
            if (tool.core or not core) and not (tool.writes and scene.type.name in NOTHING_STAYS)
        )

    def call(self, world: World, scene: Scene, agent: Agent, call: ToolCall) -> Consulted:
        """Return what a character finds or notes with a tool during a scene."""
        others = tuple(world.agents[name].call_name for name in scene.cast if name != agent.id)
        here = Here(scene.ref.day, scene.time_of_day, scene.place, others)
        pending, recalled = PendingChanges(), list[str]()
        offered = {tool.name for tool in self.offered(world, scene)}
        try:
            mind = open_mind(self._layout, agent.id, self._notice, self._vectors)
            mind = replace(mind, here=here, pending=pending, recalled=recalled)
            document = _call_tool(mind, _find_tool(call.name, offered), call.arguments)
        except GmError as error:
            return Consulted(call.name, call.arguments, " ".join(quote_for_caller(error).split()), is_error=True)
        return Consulted(
            call.name,
            call.arguments,
            json.dumps(document, ensure_ascii=False),
            formed=tuple(pending.formed),
            reinforced=tuple(pending.reinforced),
            recalled=tuple(dict.fromkeys(recalled)),
            soul=tuple(pending.soul),
            care=pending.care,
        )


def quote_for_caller(error: GmError) -> str:
    """Return what a caller reads of an error; an argument that it quotes may have any length."""
    return ": ".join(clip(part, LONGEST_SAID) for part in (error.message, error.hint) if part)


@cache
def parameters_of(tool: MindTool) -> Mapping[str, Any]:
    """Return the JSON schema of a tool's arguments."""
    schema = _form(tool).model_json_schema()
    for item in schema.get("properties", {}).values():
        item.pop("title", None)
    return {"type": "object", "properties": schema.get("properties", {}), "required": schema.get("required", [])}


def _layers(world: World) -> frozenset[str]:
    return world.layers | ({CARE} if world.settings.selfcare.enabled else frozenset())


def _find_tool(name: str, offered: set[str]) -> MindTool:
    for tool in (*TOOLS, *LAYER_TOOLS):
        if tool.name == name and name in offered:
            return tool
    raise UsageError(f"no tool is called {name[:60]!r}", "there are: " + ", ".join(sorted(offered)))


def _call_tool(mind: OpenMind, tool: MindTool, arguments: Any) -> Any:
    try:
        given = _form(tool).model_validate(dict(arguments))
    except ValidationError as error:
        wrong = (f"{'.'.join(map(str, item['loc']))}: {item['msg']}" for item in error.errors()[:3])
        raise UsageError(f"{tool.name} cannot be called like this", "; ".join(wrong)) from error
    return as_json(tool.function(mind, **given.model_dump()))


@cache
def _form(tool: MindTool) -> type[BaseModel]:
    fields: dict[str, Any] = {
        item.name: (item.annotation, ... if item.default is item.empty else item.default) for item in tool.parameters
    }
    return create_model(tool.name, __config__=ConfigDict(extra="forbid"), **fields)


def answer_call(
    layout: Layout, agent: str, tool: MindTool, arguments: Mapping[str, Any], notice: Callable[[str], None]
) -> dict[str, Any]:
    """Call a tool and return its document.

    Raises:
        GmError: The call cannot be carried out.
    """
    mind = open_mind(layout, agent, notice)
    document: dict[str, Any] = as_json(tool.function(mind, **arguments))
    if mind.settings.decay.enabled and mind.recalled:
        _count_recalled_here(mind)
    return document


def _count_recalled_here(mind: OpenMind) -> None:
    count_recalled(mind.layout, load_clock(mind.layout)[0].day, dict.fromkeys(mind.recalled))
