"""The day as a character looks back on it in the evening."""

from __future__ import annotations

from collections.abc import Collection

from gm.ask.prompt.people import shown_name
from gm.ask.prompt.render import View
from gm.memory.lens import lenses_of
from gm.model.stream import named
from gm.model.world import Agent, Sentences, World
from gm.scene.evening.off_scene import RecalledScene, parts_of_day


def view_day_so_far(words: Sentences, world: World, agent: Agent, remembered: Collection[str]) -> list[View]:
    """Return today's scenes with what was said, without what the question shows anyway.

    ``remembered`` are the ids of the memories shown.
    """
    # where a lens bends memories, they do not show what was said
    shown = () if lenses_of(world.settings, agent) else named(agent.stream, frozenset(remembered))
    known = [node.description for node in shown if node.when.day == world.clock.day]
    known += [thread.text for thread in world.threads if thread.is_open and thread.concerns(agent.id)]
    return [_part(words, world, agent, part) for part in parts_of_day(world, agent.id, known)]


def _part(words: Sentences, world: World, agent: Agent, part: RecalledScene) -> View:
    return View(
        time=words(f"time_{part.time}") if part.time else "",
        place=" ".join(part.place.split()),
        others=[shown_name(world, name) for name in part.others],
        lines=[
            View(
                name=shown_name(world, line.agent),
                mine=line.agent == agent.id,
                to=shown_name(world, line.to) if line.to else "",
                to_me=line.to == agent.id,
                text=line.text,
                after_gap=line.after_gap,
            )
            for line in part.lines
        ],
        goes_on=part.goes_on,
        did=part.did,
    )
