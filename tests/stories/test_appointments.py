"""What is arranged happens when and where it was arranged, or the day says that it did not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gm.files.layout import Layout
from gm.files.load import load_world
from gm.llm.base import Request
from gm.llm.content import text_of
from gm.model.thread import Thread
from tests.stories.playing import Scripted, about, play, records

MATTER = "Wir lassen im Flur das Licht aus und hören die Schritte."


def letter(request: Request) -> str:
    return "\n".join(text_of(content) for _, content in request.messages)


def on_arrival(name: str, **values: Any) -> Callable[[Request, dict[str, Any]], dict[str, Any]]:
    """One character says something on the first morning, and opens a thread by it; nobody settles anything."""

    def change(request: Request, reply: dict[str, Any]) -> dict[str, Any]:
        if "closes" in reply:
            reply = reply | {"closes": []}
        scene = about(request).scene
        if scene.type.name != "ARRIVAL" or request.who != name or scene.ref.day != 1:
            return reply
        opened = {"due": None, "time": "", "place": "", "replaces": "", **values}
        return reply | {"dialogue": [{"to": opened["to"], "text": "Um drei, wie besprochen."}], "opens": [opened]}

    return change


def threads_of(layout: Layout, kind: str) -> list[Thread]:
    return [one for one in load_world(layout).world.threads if one.kind == kind]


def test_two_meet_at_the_time_and_the_place_that_they_agreed_and_both_letters_say_so(studio: Layout) -> None:
    agreed = on_arrival("vera", kind="appointment", to="emre", text=MATTER, time="15:00", place="flur")
    backend = Scripted(agreed)
    play(studio, backend=backend)
    (thread,) = threads_of(studio, "appointment")
    (played,) = (line for line in records(studio.day_log(1)) if thread.id in line.get("answers", ()))
    assert (played["time_of_day"], played["clock"], played["location"]) == ("afternoon", "15:00", "flur")
    assert set(played["participants"]) == {"vera", "emre"}
    letters = {
        name: next(
            letter(request)
            for request in backend.asked
            if request.who == name and request.place == f"day-001/scene-{played['scene']:02d}"
        )
        for name in ("vera", "emre")
    }
    for text in letters.values():
        assert "nachmittags, 15:00." in text
        assert "Ort: flur" in text
        assert text.count(MATTER) == 1, "said once"
        assert f"`{thread.id}` heute, 15:00, flur" in text
    assert (thread.outcome, thread.closed_by) == ("kept", "gm")
