"""At work the one who starts acts first; the others see it, act at the same time, and are answered."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gm.files.layout import Layout
from gm.llm.base import Request
from gm.scene.directing.choosing import SceneRequest
from tests.stories.playing import Heard, Scripted, about, letter, play_with, records, set_sections

CAST = ("casey", "jordan", "alex")
PIECE = {
    "title": "Seven Lemons",
    "kind": "recipe",
    "description": "A list of lemons.",
    "body": "# Seven Lemons\n\nCut.",
}
SAID = {
    "casey": [{"to": "jordan", "text": "Too sour?"}],
    "jordan": [{"to": "casey", "text": "Not sour enough."}],
    "alex": [{"to": "jordan", "text": "Pass me one."}],
}


def answers(request: Request, reply: dict[str, Any]) -> dict[str, Any]:
    if about(request).here.type != "WORK":
        return reply
    first = request.label == request.who
    return {
        **reply,
        "action": f"{request.who.capitalize()} cuts.",
        "dialogue": SAID[request.who] if first else [{"to": None, "text": f"So says {request.who}."}],
        "artifact": {**PIECE, "audience": []} if first and request.who == "casey" else None,
    }


@pytest.fixture
def asked(dinner: Layout) -> list[Request]:
    """The questions of a scene of work with all three; those asked at the same time in the order of the cast."""
    set_sections(dinner.settings, "relationships: on\n")
    backend = Scripted(answers)
    play_with(dinner, backend, Heard(), lambda master: master.play_requested(SceneRequest("WORK", CAST)))
    order = [*CAST, "casey-turn-2", "jordan-turn-2"]
    of_work = [request for request in backend.asked if about(request).here.type == "WORK"]
    assert of_work[0].label == CAST[0], "the one who starts is asked alone"
    assert {request.label for request in of_work[1:3]} == {*CAST[1:]}
    return sorted(of_work, key=lambda request: order.index(request.label))


def test_the_others_have_what_the_one_who_starts_did_said_and_finished_before_them(asked: list[Request]) -> None:
    first, jordan, alex = asked[:3]
    assert [one.who for one in (first, jordan, alex)] == [*CAST]
    assert "## So far in this scene" not in letter(first)
    for other in (jordan, alex):
        text = letter(other)
        assert "– Casey cuts.\nCasey (to Jordan): Too sour?\n" in text
        assert "## In front of you: “Seven Lemons” by Casey" in text
        assert "Casey has begun. You carry on" in text
    assert "Pass me one" not in letter(jordan), "both act at the same time"
    assert "Not sour enough" not in letter(alex)


def test_who_was_spoken_to_after_the_own_turn_or_at_the_same_time_answers(asked: list[Request]) -> None:
    assert [request.label for request in asked] == [*CAST, "casey-turn-2", "jordan-turn-2"], "alex was not spoken to"
    assert "Jordan (to Casey): Not sour enough." in letter(asked[3])
    assert "Alex (to Jordan): Pass me one." in letter(asked[4])
    assert "Casey: So says casey." in letter(asked[4]), "one after another"


def test_the_logbook_says_what_was_simultaneous(dinner: Layout, asked: list[Request]) -> None:
    (entry,) = (entry for entry in records(dinner.day_log(1)) if entry["type"] == "WORK")
    turns = [(turn["agent"], turn["round"]) for turn in entry["turns"]]
    assert turns == [("casey", 1), ("jordan", 2), ("alex", 2), ("casey", 3), ("jordan", 4)]
    heard = json.dumps(records(dinner.stream("alex")), ensure_ascii=False)
    assert "Seven Lemons" in heard


def test_alone_there_are_no_others_to_wait_for(dinner: Layout) -> None:
    backend = Scripted(lambda _request, reply: reply)
    play_with(dinner, backend, Heard(), lambda master: master.play_requested(SceneRequest("WORK", ("alex",))))
    (only,) = (request for request in backend.asked if about(request).here.type == "WORK")
    assert "come right after you" not in letter(only)
