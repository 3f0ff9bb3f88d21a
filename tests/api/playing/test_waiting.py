"""Playing on as soon as an answer comes from outside."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gm.api.playing.days import ASK_SERVER_EVERY_S, play_patiently
from gm.base.errors import Awaited, WaitingError
from gm.files.layout import Layout

QUESTION = Awaited("vera", "state/mailbox/q.md", "state/mailbox/q.answer.json")
BATCH = Awaited("batch", "state/traces/day-001/batch-1.json")


class Desk:
    """Plays until nothing is awaited; what happens while it sleeps is in ``events``."""

    def __init__(self, *outcomes: Awaited | None) -> None:
        self.outcomes = list(outcomes)
        self.played = 0
        self.slept: list[float] = []
        self.reported: list[WaitingError] = []
        self.events: list[Callable[[], object]] = []

    def play(self) -> str:
        self.played += 1
        awaited = self.outcomes.pop(0)
        if awaited:
            raise WaitingError([awaited])
        return "done"

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        assert len(self.slept) < 50, "it waits for ever"
        if self.events:
            self.events.pop(0)()

    def run(self, layout: Layout) -> str:
        return play_patiently(layout, self.play, self.reported.append, self.sleep)


@pytest.fixture
def box(studio: Layout) -> Layout:
    studio.mailbox.mkdir()
    return studio


def write(layout: Layout, text: str, ending: str = ".answer.json") -> None:
    (layout.mailbox / f"q{ending}").write_text(text, encoding="utf-8")


def test_nothing_is_waited_for_when_nothing_is_awaited(box: Layout) -> None:
    desk = Desk(None)
    assert desk.run(box) == "done"
    assert (desk.slept, desk.reported) == ([], [])


def test_it_plays_on_when_an_answer_has_come_and_is_no_longer_being_written(box: Layout) -> None:
    desk = Desk(QUESTION, None)
    desk.events = [
        lambda: write(box, "a question, not an answer", ".md"),
        lambda: write(box, '{"mood"'),
        lambda: write(box, '{"mood": "wach"}'),
        lambda: None,
    ]
    assert desk.run(box) == "done"
    assert desk.played == 2
    assert len(desk.slept) == 4, "one more look after the last change"
    assert [error.awaited for error in desk.reported] == [(QUESTION,)]


def test_an_answer_that_cannot_be_used_is_looked_at_again_only_when_it_has_changed(box: Layout) -> None:
    write(box, "nonsense")
    desk = Desk(QUESTION, None)
    desk.events = [lambda: None, lambda: None, lambda: write(box, "some sense"), lambda: None]
    desk.run(box)
    assert (desk.played, len(desk.slept)) == (2, 4)


def test_an_answer_that_came_while_it_was_playing_is_not_missed(box: Layout) -> None:
    desk = Desk(QUESTION, None)
    play = desk.play

    def play_and_receive() -> str:
        if desk.played == 0:
            write(box, '{"mood": "wach"}')
        return play()

    assert play_patiently(box, play_and_receive, desk.reported.append, desk.sleep) == "done"
    assert desk.played == 2


def test_what_comes_without_a_file_is_asked_for_from_time_to_time(box: Layout) -> None:
    desk = Desk(BATCH, BATCH, None)
    desk.run(box)
    assert desk.slept == [ASK_SERVER_EVERY_S] * 2
