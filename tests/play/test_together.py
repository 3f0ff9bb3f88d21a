"""Tasks at the same time: one works while the others wait."""

from __future__ import annotations

from threading import Event, Thread

import pytest

from gm.base.errors import Awaited, BackendError, WaitingError
from gm.play.together import Baton

SOON_S = 20.0


def nothing() -> None:
    """There is nothing to stop."""


def test_one_works_while_the_others_wait_and_the_results_come_in_the_order_of_the_tasks() -> None:
    baton, begun, steps = Baton(), [Event(), Event()], list[str]()

    def work(own: int) -> int:
        steps.append(f"{own} begins")
        begun[own].set()
        with baton.waiting():
            assert begun[1 - own].wait(SOON_S), "the other one works meanwhile"
        steps.append(f"{own} ends")
        return own

    assert baton.pass_around([lambda: work(0), lambda: work(1)], nothing) == [0, 1]
    assert {*steps[:2]} == {"0 begins", "1 begins"}
    with baton.waiting():
        """Without tasks there is nobody to wait for."""


def awaited(*names: str) -> list[Awaited]:
    return [Awaited(name, "a letter") for name in names]


def failing(error: Exception) -> int:
    raise error


def ending(ended: list[int]) -> int:
    ended.append(3)
    return 3


def test_of_several_failures_the_first_task_counts_and_the_others_go_on_to_their_end() -> None:
    ended: list[int] = []
    tasks = [
        lambda: failing(WaitingError(awaited("a"), "wait")),
        lambda: failing(BackendError("the line is dead")),
        lambda: failing(BackendError("again")),
        lambda: ending(ended),
    ]
    with pytest.raises(BackendError, match="the line is dead"):
        Baton().pass_around(tasks, nothing)
    assert ended == [3]


def test_of_what_is_merely_awaited_all_is_listed() -> None:
    tasks = [
        lambda: failing(WaitingError(awaited("a", "b"), "wait")),
        lambda: failing(WaitingError(awaited("c"), "wait")),
    ]
    with pytest.raises(WaitingError) as waiting:
        Baton().pass_around(tasks, nothing)
    assert [item.who for item in waiting.value.awaited] == ["a", "b", "c"]


def test_an_interrupt_stops_what_is_to_be_asked_and_ends_every_task(monkeypatch: pytest.MonkeyPatch) -> None:
    baton, stopped, ended = Baton(), Event(), list[int]()

    def work(own: int) -> int:
        try:
            with baton.waiting():
                assert stopped.wait(SOON_S)
        finally:
            ended.append(own)
        return own

    def interrupted(_thread: Thread) -> None:
        monkeypatch.undo()
        raise KeyboardInterrupt

    monkeypatch.setattr(Thread, "join", interrupted)
    with pytest.raises(KeyboardInterrupt):
        baton.pass_around([lambda: work(0), lambda: work(1)], stopped.set)
    assert sorted(ended) == [0, 1]


def test_an_interrupt_while_tasks_begin_starts_no_further_one(monkeypatch: pytest.MonkeyPatch) -> None:
    begun = list[int]()
    start = Thread.start

    def interrupted(thread: Thread) -> None:
        start(thread)
        raise KeyboardInterrupt

    monkeypatch.setattr(Thread, "start", interrupted)
    with pytest.raises(KeyboardInterrupt):
        Baton().pass_around([lambda: begun.append(0), lambda: begun.append(1)], monkeypatch.undo)
    assert begun in ([], [0])
