"""Who is in the room and is spoken to takes part in the talk from then on."""

from __future__ import annotations

from typing import Any

from gm.files.layout import Layout
from gm.files.load import load_world
from gm.llm.base import Request
from gm.scene.directing.choosing import SceneRequest
from tests.stories.playing import Heard, Scripted, edit, letter, play_with, records

TALK = SceneRequest("encounter", ("vera", "emre"), place="zeichenraum", topic="die Schwelle im Turm")
LOUD = "Nami, wie klingt die?"


def ask_nami(request: Request, reply: dict[str, Any]) -> dict[str, Any]:
    said = [{"to": "nami", "text": LOUD}]
    return (
        reply | {"dialogue": said, "done": False}
        if request.label == "vera" and "Begegnung" in letter(request)
        else reply
    )


def test_who_is_spoken_to_in_the_room_answers_next_and_knows_nothing_of_what_brought_the_others(studio: Layout) -> None:
    edit(studio.agent("nami"), {"position": "zeichenraum"})
    backend = Scripted(ask_nami)
    play_with(studio, backend, Heard(), lambda master: master.play_requested(TALK))
    labels = [request.label for request in backend.asked]
    first, second = (letter(request) for request in backend.asked[:2])
    assert labels[:2] == ["vera", "nami"]
    assert "Nami" in next(text for text in first.splitlines() if "nicht im Gespräch" in text)
    assert LOUD in second
    assert "jetzt hat Vera sich an dich gewandt" in second
    assert "die Schwelle im Turm" in first
    assert "die Schwelle im Turm" not in second
    later = next(letter(request) for request in backend.asked if request.label == "emre")
    assert "Mit dir hier: Vera Hollstein, Nami" in later
    day = load_world(studio).world.clock.day
    played = records(studio.day_log(day))[-1]
    assert (played["participants"], played["joined"]) == (["vera", "emre", "nami"], ["nami"])
    assert "nami" in {turn["agent"] for turn in played["turns"]}


def test_who_is_elsewhere_does_not_join(studio: Layout) -> None:
    edit(studio.agent("nami"), {"position": "flur"})
    backend = Scripted(ask_nami)
    play_with(studio, backend, Heard(), lambda master: master.play_requested(TALK))
    assert {request.label.partition("-")[0] for request in backend.asked} == {"vera", "emre"}
