"""A talk goes over to another room: its next letters are there, and so are its people afterwards."""

from __future__ import annotations

import re
from typing import Any

from gm.files.layout import Layout
from gm.files.load import load_world
from gm.llm.base import Request
from gm.scene.directing.choosing import SceneRequest
from tests.stories.playing import Heard, Scripted, edit, letter, play, play_with, records

TALK = SceneRequest("encounter", ("vera", "emre"), place="zeichenraum")


def go_over(request: Request, reply: dict[str, Any]) -> dict[str, Any]:
    return reply | {"move_to": "Flur"} if request.label == "vera" and "Begegnung" in letter(request) else reply


def test_after_a_move_the_partners_letter_is_in_the_other_room_and_names_who_is_there(studio: Layout) -> None:
    edit(studio.agent("leo"), {"position": "flur"})
    edit(studio.agent("nami"), {"position": "zeichenraum"})
    backend = Scripted(go_over)
    play_with(studio, backend, Heard(), lambda master: master.play_requested(TALK))
    first, second = (letter(request) for request in backend.asked[:2])
    assert "Ort: zeichenraum" in first
    assert "hinübergegangen" not in first
    assert "Ort: flur" in second
    assert "So fing es an, noch in einem anderen Raum: Vera" in second
    assert "noch in einem anderen Raum" not in first
    assert "– Danach seid ihr hinübergegangen: flur." in second
    around = next(text for text in second.splitlines() if "Außerdem im Raum" in text)
    assert ("Leo" in around, "Nami" in around) == (True, False)
    day = load_world(studio).world.clock.day
    played = records(studio.day_log(day))[-1]
    assert (played["location"], played["moved_to"]) == ("zeichenraum", ["flur"])
    world = load_world(studio).world
    assert [world.agents[name].state.position for name in ("vera", "emre")] == ["flur", "flur"]


def test_a_move_stands_between_what_was_said_before_and_after_it(studio: Layout) -> None:
    def talk(request: Request, reply: dict[str, Any]) -> dict[str, Any]:
        said = {"action": "", "dialogue": [{"to": None, "text": f"Satz von {request.label}."}], "done": False}
        return reply | said | ({"move_to": "Flur"} if request.label == "vera" else {"move_to": ""})

    backend = Scripted(talk)
    play_with(studio, backend, Heard(), lambda master: master.play_requested(TALK))
    asked = {request.label: letter(request) for request in backend.asked}
    moved = r"Vera: Satz von vera\.\n(  \(.*\)\n)?– Danach seid ihr hinübergegangen: flur\.\nEmre: Satz von emre\."
    later = [label for label in asked if label.endswith(("-turn-2", "-turn-3", "-last"))]
    assert any(label.endswith("-last") for label in later)
    for label in later:
        assert re.search(moved, asked[label]), label
        assert asked[label].count("hinübergegangen") == 1, label


def test_what_only_one_saw_when_it_began_is_told_as_that_after_a_move(studio: Layout) -> None:
    edit(studio.agent("vera"), {"today_plan": ["Mit Emre sprechen: die Schwelle (morgens, zeichenraum)"]})
    edit(studio.agent("emre"), {"today_plan": ["Mit Vera sprechen: die Schwelle (morgens, zeichenraum)"]})
    backend = Scripted(go_over)
    play(studio, days=1, backend=backend)
    talks = [text for text in map(letter, backend.asked) if "# Szene: Begegnung" in text]
    went = [text for text in talks if "– Danach seid ihr hinübergegangen: flur." in text]
    assert went
    assert all("Aus deiner Sicht:" not in text for text in went)
    assert any("Aus deiner Sicht, als es anfing:" in text for text in went)
    assert all("als es anfing" not in text for text in talks if text not in went)
