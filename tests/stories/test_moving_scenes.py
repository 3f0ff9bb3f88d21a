"""A talk goes over to another room: its next letters are there, and so are its people afterwards."""

from __future__ import annotations

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
    assert "– Ihr seid inzwischen hinübergegangen: flur." in second
    around = next(text for text in second.splitlines() if "Außerdem im Raum" in text)
    assert ("Leo" in around, "Nami" in around) == (True, False)
    day = load_world(studio).world.clock.day
    played = records(studio.day_log(day))[-1]
    assert (played["location"], played["moved_to"]) == ("zeichenraum", ["flur"])
    world = load_world(studio).world
    assert [world.agents[name].state.position for name in ("vera", "emre")] == ["flur", "flur"]


def test_what_only_one_saw_when_it_began_is_told_as_that_after_a_move(studio: Layout) -> None:
    edit(studio.agent("vera"), {"today_plan": ["Mit Emre sprechen: die Schwelle (morgens, zeichenraum)"]})
    edit(studio.agent("emre"), {"today_plan": ["Mit Vera sprechen: die Schwelle (morgens, zeichenraum)"]})
    backend = Scripted(go_over)
    play(studio, days=1, backend=backend)
    talks = [text for text in map(letter, backend.asked) if "# Szene: Begegnung" in text]
    went = [text for text in talks if "– Ihr seid inzwischen hinübergegangen: flur." in text]
    assert went
    assert all("Aus deiner Sicht:" not in text for text in went)
    assert any("Aus deiner Sicht, als es anfing:" in text for text in went)
    assert all("als es anfing" not in text for text in talks if text not in went)
