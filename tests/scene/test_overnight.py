from dataclasses import replace

from gm.config import Settings, ThreadsSettings
from gm.model.scene import LogEntry
from gm.model.thread import Thread
from gm.model.world import World
from gm.scene.advance import advance
from gm.scene.daybreak import close_day
from gm.scene.overnight import carried, close_threads, describe_open
from tests.build import agent, entry, thread, words, world

CAST = (agent("vera"), agent("emre"), agent("finn"))


def cast_with(*threads: Thread, day: int = 1, log: list[LogEntry] | None = None, days: int | None = 7) -> World:
    settings = Settings(threads=ThreadsSettings(days=days))
    return replace(world(*CAST, day=day, log=log or [], settings=settings), threads=threads)


def events_at_close(one: World) -> list[tuple[str, str, str]]:
    return [(event.id, event.event, event.outcome) for event in close_threads(one, words)]


def test_what_became_overdue_is_noted_once_and_then_no_more() -> None:
    one = cast_with(thread(1, "vera", due=2), thread(2, "vera", due=3), thread(3, "vera"), day=2)
    (event,) = close_threads(one, words)
    assert (event.id, event.event, event.by, event.at) == ("thread-001", "carry", "gm", "day-002")
    after = advance(one, close_day(one, words))
    later = replace(after, clock=replace(after.clock, day=3, day_open=True))
    assert events_at_close(later) == [("thread-002", "carry", "")]


def test_what_a_person_carried_before_its_day_still_becomes_overdue() -> None:
    one = cast_with(thread(1, "vera", due=3, reason="später", touched="day-002"), day=3)
    assert events_at_close(one) == [("thread-001", "carry", "")]


def test_what_nobody_has_touched_is_dropped_after_its_days() -> None:
    old = thread(1, "vera", opened="day-002/scene-01")
    assert events_at_close(cast_with(old, day=8)) == []
    assert events_at_close(cast_with(old, day=9)) == [("thread-001", "close", "dropped")]
    assert events_at_close(cast_with(old, day=99, days=None)) == []
    assert events_at_close(cast_with(replace(old, due=9, reason="…", touched="day-009"), day=15)) == []
    taken_up = [entry(7, "ENCOUNTER", "vera", answers=["thread-001"])]
    assert events_at_close(cast_with(old, day=9, log=taken_up)) == []


def test_everything_that_is_open_is_carried_with_a_reason() -> None:
    log = [entry(3, "ARRIVAL", "vera", "emre", "finn"), entry(3, "ENCOUNTER", "vera", "emre", scene=2)]
    one = cast_with(
        thread(1, "vera", "emre", due=9),
        thread(2, "vera", "emre"),
        thread(3, "vera", "finn"),
        thread(4, "vera"),
        thread(5, "vera", "emre", opened="day-003/scene-02"),
        thread(6, "vera", due=3),
        thread(7, "ghost", "vera"),
        thread(8, "vera", outcome="kept"),
        day=3,
        log=log,
    )
    found = {item["thread"]: item["reason"] for item in carried(one, close_threads(one, words), words)}
    assert found == {
        "thread-001": "<carried_due> day=9 weekday=Donnerstag",
        "thread-002": "<carried_met> one=Vera others=['Emre']",
        "thread-003": "<carried_apart> one=Vera others=['Finn']",
        "thread-004": "<carried_alone> name=Vera",
        "thread-005": "<carried_new>",
        "thread-006": "<thread_overdue> day=3 weekday=Mittwoch",
        "thread-007": "<carried_apart> one=ghost others=['Vera']",
    }


def test_an_open_thread_is_one_sentence() -> None:
    one = cast_with(day=3)
    assert describe_open(one, thread(1, "vera", "emre", due=3), words) == (
        "<thread_promise> name=Vera others=['Emre'] text=Ich bringe die Maße. since=1 "
        "due={'day': 3, 'weekday': 'Mittwoch'} overdue=True"
    )
