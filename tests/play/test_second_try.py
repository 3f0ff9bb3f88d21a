"""A reply that lacks what its scene requires is asked for once more, by a schema that requires it."""

from __future__ import annotations

import json
from dataclasses import replace

from gm.files.layout import Layout
from gm.llm.base import Answer, Request
from gm.llm.choose import Choice
from gm.llm.rehearsal.backend import Rehearsal
from gm.model.calendar import SceneRef
from gm.model.scene import ARRIVAL
from gm.play.master import game_master
from gm.play.report import Report

FIRST = SceneRef(1, 1)


class Planless(Rehearsal):
    """Writes no key that the schema does not require, as a model that is bound by a grammar may do."""

    def __init__(self) -> None:
        super().__init__()
        self.required: dict[str, list[str]] = {}

    def ask(self, request: Request) -> Answer:
        answer = super().ask(request)
        assert request.schema is not None
        if request.place == str(FIRST):
            self.required[request.label] = request.schema["required"]
        reply = json.loads(answer.text)
        kept = {key: value for key, value in reply.items() if key in request.schema["required"]}
        return replace(answer, text=json.dumps(kept))


def test_the_second_try_requires_the_plan_that_the_first_one_may_leave_out(dinner: Layout) -> None:
    backend = Planless()
    with game_master(dinner, Choice(backend, "a test"), Report(), command="test") as master:
        master.play_day()
        assert master.world.scenes_of(1)[0].type == ARRIVAL
        plans = [agent.state.today_plan for agent in master.world.agents.values()]
    assert all(plans)
    again = {label for label in backend.required if label.endswith("-again")}
    assert len(again) == len(plans)
    assert all(("plan" in required) == (label in again) for label, required in backend.required.items())
