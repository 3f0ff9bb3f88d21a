"""Rehearse a question out of scene in a copy of the world and count its calls."""

from __future__ import annotations

from dataclasses import replace

from gm.api.playing.ask import Ask, ask_character
from gm.api.playing.forecast.make import Forecast, RehearsedScene, count_calls
from gm.files.commits.copying import scratch
from gm.files.layout import Layout
from gm.files.traces import TraceFolder
from gm.llm.choose import Choice
from gm.llm.foresight import Foresight
from gm.model.calendar import parse_ref
from gm.model.scene import ASKED


def forecast_answer(layout: Layout, choice: Choice, asked: Ask) -> Forecast:
    """Rehearse ``gm ask`` in a temporary copy, without asking a model. An answer that is kept costs nothing.

    Raises:
        GmError: The question cannot be asked.
    """
    foresight = Foresight(
        choice.backend, lambda place, label, identity: TraceFolder(layout.asks, place).find(label, identity)
    )
    stand_in = replace(choice, backend=foresight, hand=choice.hand and foresight, why="a forecast")
    with scratch(layout) as copy:
        answered = ask_character(copy, stand_in, asked)
    place = parse_ref(answered.at)
    assert place is not None
    rehearsed = RehearsedScene(place, ASKED, "solo", (answered.agent,))
    return count_calls(layout, choice.backend, {answered.at: rehearsed}, foresight.foreseen)
