"""What a character is asked whose old memories are put together (S3-09)."""

from __future__ import annotations

from dataclasses import replace

from gm.memory.care import Batch, shorten_to
from gm.memory.spans import began, ended
from gm.model.character import Agent
from gm.model.world import World
from gm.prompt.context import Assembler
from gm.prompt.people import view_self


def render_care(assembler: Assembler, world: World, agent: Agent, batch: Batch, budget: int) -> tuple[str, str]:
    """Render who the character is, and the question.

    Args:
        assembler: Renders persona and memories, as in a scene.
        world: The world.
        agent: The character.
        batch: The memories.
        budget: Most estimated tokens of them; the longest are shortened, and it is said how many.
    """
    lines = assembler.lines
    lines.see_as(world, agent)  # a command that is run again has asked nothing else before
    texts, shortened = shorten_to([node.description for node in batch.nodes], budget)
    nodes = [replace(node, description=text, evidence=()) for node, text in zip(batch.nodes, texts, strict=True)]
    question = assembler.prompts.render(
        "care.j2",
        me=view_self(world, agent),
        cause=batch.cause,
        material=lines.eras(nodes) if batch.cause == "summaries" else lines.lines_of(nodes),
        shortened=shortened,
        first=began(batch.nodes[0]).day,
        last=max(ended(node).day for node in batch.nodes),
    )
    return assembler.persona(world, agent), question
