"""All memory tools and their descriptions (document 000, "MCP Tool Interface")."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field

from gm.api.mind.changing import (
    add_to_soul,
    associate_memories,
    form_memory,
    neural_link_request_memory,
    neural_link_requests,
    neural_link_share_memory,
    reinforce_memory,
    remove_from_soul,
    self_care,
)
from gm.api.mind.searching import (
    check_similar_situations,
    query_background,
    query_character,
    query_communication_style,
    query_memory,
    query_scene,
    query_self,
    recall_episodes,
    recall_facts,
    recall_interactions,
)


@dataclass(frozen=True, slots=True)
class MindTool:
    """A memory tool.

    Attributes:
        function: Takes the mind, then the caller's arguments.
        description: Addressed to the character.
        writes: Whether it changes files.
        core: One of the six with which a character discovers itself.
        layer: The layer that it needs, or ``CARE``; empty = none.
    """

    function: Callable[..., dict[str, Any]]
    description: str
    writes: bool = False
    core: bool = False
    layer: str = ""

    @property
    def name(self) -> str:
        """The function's name."""
        return self.function.__name__

    @property
    def parameters(self) -> list[inspect.Parameter]:
        """The caller's parameters, with types and descriptions."""
        signature = inspect.signature(self.function, eval_str=True)
        return [
            item.replace(
                annotation=Annotated[item.annotation, Field(description=PARAMETERS[name])],
                kind=inspect.Parameter.KEYWORD_ONLY,
            )
            for name, item in list(signature.parameters.items())[1:]
        ]


TOOLS = (
    MindTool(query_self, "Retrieve your core identity - who you are, your personality, background", core=True),
    MindTool(query_background, "Retrieve your personal history and background", core=True),
    MindTool(query_communication_style, "Learn how you communicate and interact with others", core=True),
    MindTool(query_scene, "Understand where you are and the current atmosphere", core=True),
    MindTool(query_character, "Learn about another agent in the simulation", core=True),
    MindTool(query_memory, "Search your memories of what has happened during the simulation", core=True),
    MindTool(recall_episodes, "Recall events in the order in which they happened"),
    MindTool(recall_facts, "Recall what you know about a topic, and how sure you can be of it"),
    MindTool(recall_interactions, "Recall your history with another character"),
    MindTool(check_similar_situations, "Find past experiences that are like a situation"),
    MindTool(form_memory, "Explicitly create a memory", writes=True),
    MindTool(reinforce_memory, "Strengthen an important memory", writes=True),
    MindTool(associate_memories, "Create an explicit link between two memories", writes=True),
)
CARE = "selfcare"
LAYER_TOOLS = (
    MindTool(add_to_soul, "Add a sentence to your soul: what you are and will be", writes=True, layer="soul"),
    MindTool(remove_from_soul, "Take a sentence out of your soul that holds no longer", writes=True, layer="soul"),
    MindTool(self_care, "Put your oldest memories together in summaries, this evening", writes=True, layer=CARE),
)
"""Only in worlds with the layer."""
LINK_TOOLS = (
    MindTool(
        neural_link_request_memory, "Ask another character for all of their memories; they may refuse", writes=True
    ),
    MindTool(neural_link_requests, "See who is waiting for your memories"),
    MindTool(
        neural_link_share_memory,
        "Give a character who has asked you a copy of all your memories; you cannot take it back",
        writes=True,
    ),
)
"""Only in worlds that share memories (``share.enabled``)."""
PARAMETERS: Mapping[str, str] = {
    "agent": "Whose mind: the id or the name of a character",
    "name": "The other character, by id or name",
    "character": "The other character, by id or name",
    "query": "What to look for, as a question or a few words; names and days count",
    "topic": "What the facts are about",
    "context": "The situation, in a sentence or two",
    "time_range": "Story days: 3-7, or 5 for a single day",
    "importance_threshold": "Only memories at least as important, from 1 (routine) to 10 (pivotal)",
    "content": "What to remember, in your own words",
    "importance": "From 1 (routine) to 10 (pivotal)",
    "type": "observation, reflection, plan, artifact, conversation, emotional, procedural or semantic",
    "text": "One sentence, first person; to take one out, word for word as it stands there",
    "kind": "belief, value, fear or conviction",
    "category": "Only memories of this category: dialogue; of facts identity, background, relationship, location …",
    "memory_id": "The id of one of your memories, like vera-042; the recall tools give it",
    "id1": "The id of one of your memories",
    "id2": "The id of another one",
}
"""Descriptions of the arguments."""


def offered_with(layers: Collection[str]) -> tuple[MindTool, ...]:
    """Return the tools of a world with these layers, except ``LINK_TOOLS``."""
    return (*TOOLS, *(tool for tool in LAYER_TOOLS if tool.layer in layers))
