"""A question tells the rehearsal what was said on days that the world no longer holds."""

from __future__ import annotations

import json
from dataclasses import replace

from gm.files.layout import Layout
from gm.llm.rehearsal.facts import Cue
from tests.stories.playing import Counting, play


def test_a_line_of_a_day_that_has_left_the_world_is_not_forgotten(dinner: Layout) -> None:
    counted = Counting()
    play(dinner, days=2, backend=counted)
    first = json.loads(dinner.day_log(1).read_text(encoding="utf-8").splitlines()[0])
    thought = first["thoughts"][0]
    asked = [request.facts for request in counted.asked if isinstance(request.facts, Cue)]
    last = next(cue for cue in reversed(asked) if cue.id == thought["agent"])
    left = replace(last.world, log=tuple(entry for entry in last.world.log if entry.day > 1))
    assert thought["text"].casefold() in replace(last, world=left).said
