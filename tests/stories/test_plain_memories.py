"""Memories that the Game Master makes read as their owner would say them, and quote whole sentences."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from gm.files.layout import Layout
from gm.llm.base import Request
from gm.scene.directing.choosing import SceneRequest
from tests.stories.playing import Heard, Scripted, edit, play_with, whole

TALK, WORK = SceneRequest("encounter", ("alex", "jordan")), SceneRequest("work", ("alex", "casey", "jordan"))
MEETING = SceneRequest("meeting", ("alex", "casey", "jordan"))
MACHINE = re.compile(r"said no more|Talk with|Conversation with|\w+: …|… ”|…”")
"""How such memories once read, and quotes that were cut."""


def played(layout: Layout, request: SceneRequest, says: Mapping[str, dict[str, Any]]) -> list[Request]:
    """Play a scene in which turns have these values, and hardly any others."""
    nothing: dict[str, Any] = {key: [] for key in ("dialogue", "memories", "opens", "closes")}
    silent = nothing | {"conversation": None, "done": False, "artifact": None, "current_task": None}

    def change(request: Request, reply: dict[str, Any]) -> dict[str, Any]:
        return reply | silent | says.get(request.label, {})

    backend = Scripted(change)
    play_with(layout, backend, Heard(), lambda master: master.play_requested(request))
    return backend.asked


def line(to: str | None, text: str) -> dict[str, Any]:
    return {"dialogue": [{"to": to, "text": text}]}


def memories(request: Request) -> list[str]:
    """The memories of a question, without their ids."""
    return [text.partition(": ")[2] for text in whole(request).splitlines() if re.match(r"- `\w+-\d{3}` ", text)]


LONG = "I looked for the salt in the drawer, in the oven and under the sink. " * 4 + "And then it was on the balcony."


def test_who_says_nothing_of_a_talk_remembers_its_words_in_whole_sentences(dinner: Layout) -> None:
    played(dinner, TALK, {"alex": line("jordan", LONG), "jordan": line("alex", "On the balcony, of all places?")})
    first, second = played(dinner, TALK, {})[:2]
    for request, name, own in ((first, "Jordan", False), (second, "Alex", True)):
        (talked,) = (text for text in memories(request) if text.startswith("I talked with "))
        assert talked.startswith(f"I talked with {name} (")
        assert "On the balcony, of all places?”" in talked
        assert ("I to Alex: “On the balcony" in talked) is own
        assert "under the sink.”" in talked, "it ends where a sentence does"
        assert not MACHINE.search(talked)


def test_what_comes_after_the_last_turn_is_remembered_as_said_at_the_end(dinner: Layout) -> None:
    played(dinner, WORK, {"casey": line("jordan", "Until when?"), "jordan-turn-2": line("casey", "Until Sunday.")})
    again = next(request for request in played(dinner, WORK, {}) if request.who == "casey")
    (heard,) = (text for text in memories(again) if text.startswith("At the end "))
    assert re.fullmatch(r"At the end Jordan also said to me \([\w-]+\): “Until Sunday\.”", heard)
    assert not MACHINE.search(heard)


def test_two_who_see_a_piece_finished_remember_it_from_where_they_were(dinner: Layout) -> None:
    piece = {"title": "Seven Lemons", "kind": "lists", "description": "A list of lemons.", "body": "One.", "tags": []}
    at = {"casey": {"current_task": "the menu"}, "jordan": {"current_task": "the playlist"}}
    played(dinner, WORK, {"alex": {"artifact": piece}, **at})
    later = {request.who: request for request in played(dinner, WORK, {})}
    for name, task in (("casey", "the menu"), ("jordan", "the playlist")):
        (seen,) = (text for text in memories(later[name]) if "showed “Seven Lemons”" in text)
        assert seen == f"I was busy with “{task}” when Alex showed “Seven Lemons”: A list of lemons."


def test_who_sits_in_the_room_of_a_talk_remembers_that_there_was_one_and_not_that_it_did_not_listen(
    dinner: Layout,
) -> None:
    edit(dinner.agent("casey"), {"position": "kitchen"})
    talk = SceneRequest("encounter", ("alex", "jordan"), place="kitchen")
    played(dinner, talk, {"alex": line("jordan", "Salt."), "jordan": line("alex", "There.")})
    casey = next(request for request in played(dinner, WORK, {}) if request.who == "casey")
    (seen,) = (text for text in memories(casey) if "talking" in text)
    assert seen == "I saw Alex and Jordan talking (kitchen); I do not know what about."


def test_in_a_silent_room_no_character_remembers_a_talk(dinner: Layout) -> None:
    edit(dinner.agent("casey"), {"position": "kitchen"})
    played(dinner, SceneRequest("encounter", ("alex", "jordan"), place="kitchen"), {})
    for request in played(dinner, WORK, {}):
        assert not [text for text in memories(request) if re.search(r"talk|listen|said", text)]
