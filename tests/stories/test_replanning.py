"""Feedback in the middle of a day: each character is asked about its plan in its next scene, and no more than once."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from gm.api.editing.board import put_up_feedback
from gm.files.layout import Layout
from gm.llm.base import Request
from gm.llm.content import text_of
from gm.model.scene import Scene
from gm.model.world import World
from tests.stories.playing import Heard, Scripted, play, records

ASKED = "## Does your plan still hold?"
FEEDBACK = "No candles on the table."


class LeftError(Exception):
    """The day is left when something may have been made."""


def leave(_world: World, scene: Scene) -> None:
    if scene.type.name == "WORK":
        raise LeftError


def keep_plan(request: Request, reply: dict[str, Any]) -> dict[str, Any]:
    return {**reply, "plan": None} if request.purpose == "scene" else reply


def asks_because_of(dinner: Layout, request: Request) -> bool:
    """Whether a question asks about the plan because of the feedback: in its words, or by the id of its memory."""
    why = text_of(request.messages[0][1]).partition(ASKED)[2].partition("\n#")[0]
    told = {node["id"] for node in records(dinner.stream(request.who)) if FEEDBACK in node["description"]}
    return FEEDBACK in why or any(f"among your memories (`{name}`)" in why for name in told)


def test_feedback_in_the_middle_of_a_day_questions_every_plan_once(dinner: Layout) -> None:
    with pytest.raises(LeftError):
        play(dinner, report=Heard(after=leave))
    piece = next(dinner.gallery.rglob("*.md"))
    played = len(records(dinner.day_log(1)))
    document, _ = put_up_feedback(dinner, dinner.shown(piece), FEEDBACK)
    backend = Scripted(keep_plan)
    play(dinner, backend=backend)
    turns = [request for request in backend.asked if request.purpose == "scene"]
    asked = Counter((request.who, request.place) for request in turns if asks_because_of(dinner, request))
    # who talks about it is asked afterwards
    later = [line for line in records(dinner.day_log(1))[played:-1] if document.post not in line["answers"]]
    first = {who: line["scene"] for line in reversed(later) for who in line["participants"]}
    assert len(first) > 1
    assert asked == {(who, f"day-001/scene-{number:02d}"): 1 for who, number in first.items()}
