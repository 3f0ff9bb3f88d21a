"""Which model plays which character, and for what purpose."""

from __future__ import annotations

from gm.files.layout import Layout
from gm.files.questions.traces import TraceReader
from gm.llm.base import Answer, Request
from gm.llm.choose import Choice
from gm.llm.rehearsal.backend import Rehearsal
from gm.play.master import game_master
from gm.play.report import Report
from tests.stories.playing import edit


class Noting(Rehearsal):
    """A rehearsal that notes which model it was asked to be."""

    def __init__(self) -> None:
        self.asked: set[tuple[str, str, str]] = set()

    def ask(self, request: Request) -> Answer:
        self.asked.add((request.purpose, request.who, request.model))
        return super().ask(request)


def test_a_persona_has_its_own_model_and_a_purpose_has_one_for_all_others(studio: Layout) -> None:
    persona = studio.persona("vera")
    persona.write_text(persona.read_text(encoding="utf-8").replace("---\n", "---\nmodel: tall\n", 1), encoding="utf-8")
    for name in ("vera", "emre"):
        edit(studio.agent(name), {"importance_accumulator": 300})
    backend = Noting()
    choice = Choice(backend, "a test", {"reflection": "deep"}, own_models=True)
    with game_master(studio, choice, Report(), command="test") as master:
        master.play_day()
    assert {model for purpose, who, model in backend.asked if who == "vera"} == {"tall"}
    assert {model for purpose, who, model in backend.asked if who == "emre" and purpose == "reflection"} == {"deep"}
    assert {model for purpose, who, model in backend.asked if who != "vera" and purpose == "scene"} == {"rehearsal"}
    asked = {record["who"]: record["asked"] for record in TraceReader(studio.traces).in_scene("day-001/scene-01")}
    assert asked["vera"] == "tall"
    assert asked["emre"] == "rehearsal"
