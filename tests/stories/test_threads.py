"""A promise from the scene in which it is given to the one in which it is kept, in rehearsed worlds."""

from __future__ import annotations

from typing import Any

import pytest

from gm.api.editing.check.whole import check_world
from gm.files.layout import Layout
from gm.files.load import load_world
from gm.llm.base import Request
from gm.model.thread import Thread
from tests.stories.playing import Heard, Scripted, play, records, set_sections

TUESDAY, THURSDAY = 2, 4
SAID = "Leo, bis Donnerstag hast du von mir das Maß der Schwelle."


def settle(outcome: str) -> Scripted:
    """Let Vera promise something to everybody on Tuesday morning, and say on Thursday morning what became of it."""

    def change(request: Request, reply: dict[str, Any]) -> dict[str, Any]:
        if "insights" in reply:
            return reply
        reply = {**reply, "opens": [], "closes": []}
        if request.who != "vera" or not reply.get("plan") or not request.place.endswith("/scene-01"):
            return reply
        if request.place == f"day-{TUESDAY:03d}/scene-01":
            reply["dialogue"] = [{"to": "leo", "text": SAID}]
            reply["opens"] = [{"kind": "promise", "to": "leo", "text": SAID, "due": THURSDAY}]
        if request.place == f"day-{THURSDAY:03d}/scene-01":
            shown = request.messages[0][1]
            assert "`thread-001` Du hast Leo zugesagt (an Tag 2; fällig heute): " + SAID in shown
            reply["closes"] = [{"id": "thread-001", "outcome": outcome, "text": "So ist es gekommen."}]
        return reply

    return Scripted(change)


def only_thread(layout: Layout) -> Thread:
    (thread,) = load_world(layout).world.threads
    return thread


def summary(layout: Layout, day: int) -> dict[str, Any]:
    return records(layout.day_log(day))[-1]


def test_a_promise_of_tuesday_is_kept_on_thursday(studio: Layout) -> None:
    backend = settle("kept")
    play(studio, days=3, backend=backend)
    thread = only_thread(studio)
    assert (thread.by, thread.to, thread.due, thread.is_open) == ("vera", ("leo",), THURSDAY, True)
    for day in (2, 3):
        (item,) = summary(studio, day)["carried"]
        assert item == {"thread": "thread-001", "reason": "Fällig ist es erst am Donnerstag, Tag 4."}
    assert summary(studio, 3)["tomorrow"]["threads"] == ["thread-001"]
    assert any(SAID in text for text in summary(studio, 3)["open_threads"])
    play(studio, backend=backend)
    assert (only_thread(studio).outcome, only_thread(studio).reason) == ("kept", "So ist es gekommen.")
    assert summary(studio, THURSDAY)["carried"] == []
    assert len(records(studio.threads)) == 2, "nothing is noted that is not new"
    first = records(studio.day_log(THURSDAY))[0]
    assert first["threads"] == [{"id": "thread-001", "event": "close", "by": "vera", "outcome": "kept"}]


def test_no_third_character_is_shown_what_is_open_between_two(studio: Layout) -> None:
    backend = settle("broken")
    play(studio, days=4, backend=backend)
    told = {request.who for request in backend.asked if "`thread-001`" in request.messages[0][1]}
    assert told == {"vera", "leo"}
    assert only_thread(studio).outcome == "broken"
    assert not any("thread-001" in block.text for request in backend.asked for block in request.system)


@pytest.mark.soak
def test_what_no_character_does_becomes_overdue_and_is_dropped_in_the_end(studio: Layout) -> None:
    set_sections(studio.settings, "threads: {days: 5}\n")
    backend = settle("kept")

    def forget(request: Request, reply: dict[str, Any]) -> dict[str, Any] | str:
        changed = backend.change(request, reply) if request.place.startswith(f"day-{TUESDAY:03d}") else reply
        return (
            changed
            if isinstance(changed, str) or "insights" in reply
            else {
                **changed,
                "opens": changed["opens"]
                if request.place == f"day-{TUESDAY:03d}/scene-01" and request.who == "vera"
                else [],
                "closes": [],
            }
        )

    heard = Heard()
    play(studio, days=28, backend=Scripted(forget), report=heard)
    opened, carried, closed = [(item["at"], item["event"], item["by"]) for item in records(studio.threads)]
    assert (opened, carried) == (("day-002/scene-01", "open", "vera"), ("day-004", "carry", "gm"))
    assert closed[1:] == ("close", "gm")
    assert "day-011" <= closed[0] <= "day-028", "five days after it was due, or after the last scene that took it up"
    reasons = [summary(studio, day)["carried"][0]["reason"] for day in (4, 5, 10)]
    assert set(reasons) == {"Fällig war es am Donnerstag, Tag 4; erledigt ist es nicht."}
    assert only_thread(studio).outcome == "dropped"


@pytest.mark.soak
def test_in_a_rehearsed_fortnight_promises_are_given_and_nearly_all_are_settled_in_a_week(fifteen_days: Layout) -> None:
    world = load_world(fifteen_days).world
    old = [thread for thread in world.threads if thread.since.day <= 8]
    assert len(old) >= 5
    in_time = 0
    for thread in old:
        closing = [
            item for item in records(fifteen_days.threads) if (item["id"], item["event"]) == (thread.id, "close")
        ]
        in_time += bool(closing) and int(closing[0]["at"][4:7]) - thread.since.day <= 7
    assert in_time >= 0.9 * len(old)
    assert {thread.kind for thread in world.threads} == {"promise", "question", "appointment", "silence"}
    assert not [problem for problem in check_world(fifteen_days).problems if "threads" in problem.path]


def test_what_was_promised_was_said_aloud(fifteen_days: Layout) -> None:
    for thread in load_world(fifteen_days).world.threads:
        scene = records(fifteen_days.day_log(thread.since.day))[thread.since.scene - 1]
        assert {"agent": thread.by, "text": thread.text} in scene["dialogue"]
