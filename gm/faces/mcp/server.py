"""MCP server for the memory tools.

Standard output carries only the protocol. Errors that the caller can fix are the text of a failed call; others are
masked by the SDK, with a traceback on standard error.
"""

from __future__ import annotations

import inspect
import json
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from threading import Lock
from typing import Annotated, Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult, TextContent, ToolAnnotations
from pydantic import Field

from gm import __version__
from gm.api.playing.mind import minds
from gm.api.playing.mind.mind import open_mind
from gm.base.config import Settings
from gm.base.errors import GmError, LockedError
from gm.files.layout import Layout
from gm.files.story.now import load_settings
from gm.layers import LAYERS
from gm.model.mind import is_on
from gm.play.prompts import open_prompts

PATIENCE_S = 3.0
"""Seconds that a call waits for another writer: two tools at once take milliseconds, a day takes longer."""
PAUSE_S = 0.05
SHOWN_PROBLEMS = 5
NOTICES = "gm/notices"
"""Key in the ``_meta`` of a result: degradations, one sentence each."""


def make_server(layout: Layout, agent: str | None = None, patience_s: float = PATIENCE_S) -> MCPServer[Any]:
    """Make the server.

    Args:
        agent: The only character served; None = each call names one.
        patience_s: Seconds that a call waits while another process writes.

    Raises:
        UsageError: No such character.
        PromptError: No sentences in the language of the world.
    """
    own = open_mind(layout, agent).agent if agent is not None else None
    settings = load_settings(layout)[0]
    words = open_prompts(layout, settings).words
    server: MCPServer[Any] = MCPServer(
        "gm",
        instructions=words("mcp_instructions", name=own.name if own else ""),
        version=__version__,
        log_level="WARNING",
    )
    writing = Lock()
    for tool in (*minds.select_tools(_layers(layout, settings)), *(minds.LINK_TOOLS if settings.share.enabled else ())):
        server.add_tool(
            _callable(tool, layout, own.id if own else None, writing if tool.writes else nullcontext(), patience_s),
            name=tool.name,
            description=tool.description,
            annotations=ToolAnnotations(read_only_hint=not tool.writes, destructive_hint=False, open_world_hint=False),
        )
    return server


def _layers(layout: Layout, settings: Settings) -> set[str]:
    with_tools = {tool.layer for tool in minds.LAYER_TOOLS}
    on = {
        layer.name
        for layer in LAYERS
        if layer.name in with_tools
        if is_on(
            settings.switches[layer.name], any(layout.layer(layer, name).is_file() for name in layout.agent_names())
        )
    }
    return on | ({minds.CARE} if settings.selfcare.enabled else set())


def _callable(
    tool: minds.MindTool, layout: Layout, agent: str | None, turn: AbstractContextManager[object], patience_s: float
) -> Callable[..., CallToolResult]:
    """The SDK calls each on its own thread; ``turn`` makes writing tools take turns."""
    whose = inspect.Parameter(
        "agent",
        inspect.Parameter.KEYWORD_ONLY,
        annotation=Annotated[str, Field(description=minds.describe_arguments()["agent"])],
    )
    parameters = [*([] if agent else [whose]), *tool.parameters]

    def call(**arguments: Any) -> CallToolResult:
        given = dict(arguments)
        name = agent or given.pop("agent")
        notices: dict[str, None] = {}
        with turn:
            tell = notices.setdefault
            document = _call_when_unlocked(partial(minds.answer_call, layout, name, tool, given, tell), patience_s)
        return _result(document, tuple(notices))

    call.__name__ = tool.name
    returns = Annotated[CallToolResult, dict[str, Any]]
    signature = inspect.Signature(parameters, return_annotation=returns)
    call.__signature__ = signature  # type: ignore[attr-defined]  # read by ``inspect`` from any function
    return call


def _result(document: dict[str, Any], notices: tuple[str, ...]) -> CallToolResult:
    """Notices go to ``_meta``: clients expect the document's form."""
    text = TextContent(type="text", text=json.dumps(document, ensure_ascii=False, indent=2))
    result = CallToolResult(content=[text], structured_content=document)
    if notices:
        result.meta = {NOTICES: list(notices)}
    return result


def _call_when_unlocked(call: Callable[[], dict[str, Any]], patience_s: float) -> dict[str, Any]:
    deadline = time.monotonic() + patience_s
    while True:
        try:
            return call()
        except LockedError as error:
            if time.monotonic() >= deadline:
                what = f"{error.message}. Nothing was written; call again when it is done"
                raise ToolError(what) from error
            time.sleep(PAUSE_S)
        except GmError as error:
            raise ToolError(_quote_refusal(error)) from error


def _quote_refusal(error: GmError) -> str:
    places = "".join(f"\n{problem}" for problem in error.problems[:SHOWN_PROBLEMS])
    return f"{minds.quote_for_caller(error)}{places}"
