"""``gm context``: the memories that a scene puts into a prompt."""

from __future__ import annotations

import re

from gm.api.playing.context import ContextOptions, describe_context
from gm.api.reports.opened import open_world
from gm.files.layout import Layout
from gm.model.calendar import SceneRef


def test_each_memory_stands_in_the_prompt_or_is_named_as_said_by_the_plan(two_days: Layout) -> None:
    world = open_world(two_days.root).world
    left_out = set[str]()
    for name in world.agents:
        options = ContextOptions(moment=SceneRef(2, 1))
        found = describe_context(two_days, world, name, options)
        assert found.prompt is not None
        lines = set(re.findall(r"^- `([\w-]+)`", found.prompt, re.MULTILINE))
        assert {node.id for node in found.memories} - lines == {*found.in_plan}, name
        left_out |= {*found.in_plan}
    assert left_out
