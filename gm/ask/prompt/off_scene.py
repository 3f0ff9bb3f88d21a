"""Questions outside of scenes: diary, self-care, and the rating of memories."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import Any

from gm.ask.prompt.context import Assembler
from gm.ask.prompt.memory_lines import kind_name
from gm.ask.prompt.people import first_line, shown_name, view_person, view_self
from gm.ask.prompt.render import Prompts
from gm.ask.prompt.scenes import view_now, view_scene
from gm.ask.prompt.values import View
from gm.memory.care import Batch, began, ended, shorten_to
from gm.model.calendar import weekday
from gm.model.character import Agent
from gm.model.scene import Scene
from gm.model.world import World
from gm.scene.off_scene import EVENING, Part, parts_of_day


def render_evening(prompts: Prompts, world: World, agent: Agent, remembered: Collection[str] | None) -> str:
    """Render the question for the diary entry of the open day.

    ``remembered`` are the ids of the memories that the prompt shows; None for a character that has to ask for them.
    """
    day = world.clock.day
    return prompts.render(
        EVENING.template,
        now=View(day=day, weekday=weekday(day, world.settings.calendar.weekdays)),
        me=View(
            id=agent.id, name=agent.name, call_name=agent.call_name, mood=agent.state.mood, plan=agent.state.today_plan
        ),
        scenes=[_part(prompts, world, agent, part) for part in parts_of_day(world, agent.id)],
        forgotten=[
            " ".join(node.description.split())
            for node in agent.stream
            if node.when.day == day and node.id not in (remembered or ())
        ],
        has_memories=remembered is not None,
    )


def _part(prompts: Prompts, world: World, agent: Agent, part: Part) -> Any:
    return View(
        time=prompts.words(f"time_{part.time}") if part.time else "",
        place=" ".join(part.place.split()),
        others=[shown_name(world, name) for name in part.others],
        lines=[View(name=shown_name(world, name), mine=name == agent.id, text=text) for name, text in part.lines],
    )


def render_care(assembler: Assembler, world: World, agent: Agent, batch: Batch, budget: int) -> tuple[str, str]:
    """Render the persona, and the question of self-care.

    ``budget`` is in estimated tokens: the longest memories are shortened.
    """
    lines = assembler.lines
    lines.see_as(world, agent)  # a command that is run again has set no perspective before
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


def render_rater(prompts: Prompts) -> str:
    """Render the system part of rating questions."""
    return prompts.render("rater.j2")


def render_rating(
    prompts: Prompts, world: World, scene: Scene, memories: Mapping[str, Sequence[tuple[str, str]]], *, many: bool
) -> str:
    """Render the question, for a model that sees only this and ``render_rater``.

    ``memories`` are types and descriptions by character; with ``many``, the answer is a list.
    """
    numbers = count(1)
    people = [
        View(
            **vars(view_person(world.agents[name])),
            line=first_line(world.agents[name]),
            memories=[
                View(number=next(numbers), kind=kind_name(prompts.words, kind), text=text) for kind, text in kept
            ],
        )
        for name, kept in memories.items()
    ]
    return prompts.render(
        "rating.j2",
        now=view_now(prompts.words, world, scene),
        scene=view_scene(world, scene, world.agents[scene.cast[0]]),
        present=[view_person(world.agents[name]) for name in scene.cast],
        people=people,
        many=many,
        count=sum(len(kept) for kept in memories.values()),
    )
