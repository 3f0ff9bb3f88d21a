import json
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gm.model.calendar import SceneRef
from gm.model.record import RecordError
from gm.model.thread import (
    OUTCOMES,
    THREAD_EVENT,
    THREAD_ID,
    THREAD_KINDS,
    Outcome,
    Thread,
    ThreadEvent,
    fold_events,
    read_time,
    select_open,
)

texts = st.text(min_size=1).filter(lambda text: bool(text.strip()))
ids = st.integers(1, 10**18 - 1).map(THREAD_ID.render)
places = st.builds(SceneRef, st.integers(0, 9999), st.integers(0, 99)).map(str)
opened = st.builds(
    ThreadEvent,
    ids,
    places,
    st.just("open"),
    texts,
    texts,
    st.sampled_from(THREAD_KINDS),
    st.lists(texts, max_size=3).map(tuple),
    st.none() | st.integers(0, 9999),
    time=st.sampled_from(["", "noon", "15:00"]),
    place=st.sampled_from(["", "flur"]),
    replaces=st.sampled_from(["", "thread-001"]),
)
carried = st.builds(ThreadEvent, ids, places, st.just("carry"), texts, texts)
closed = st.builds(ThreadEvent, ids, places, st.just("close"), texts, texts, outcome=st.sampled_from(OUTCOMES))
events = opened | carried | closed

OPEN = {
    "id": "thread-007",
    "at": "day-003/scene-04",
    "event": "open",
    "by": "vera",
    "kind": "promise",
    "to": ["emre"],
    "due": 5,
    "text": "Die Maße.",
}
CLOSE = {
    "id": "thread-007",
    "at": "day-005/scene-02",
    "event": "close",
    "by": "vera",
    "outcome": "kept",
    "text": "Da.",
}


@given(events)
def test_an_event_is_read_as_it_was_written(event: ThreadEvent) -> None:
    line = THREAD_EVENT.render(event)
    assert "\n" not in line
    assert THREAD_EVENT.read(json.loads(line)) == event


@given(st.lists(events, max_size=12))
def test_folding_in_two_steps_is_folding_at_once(found: list[ThreadEvent]) -> None:
    assert fold_events(fold_events((), found[:5]), found[5:]) == fold_events((), found)


def test_the_keys_of_a_line_stand_in_one_order() -> None:
    when = {"time": "15:00", "place": "flur", "replaces": "thread-001"}
    text = {"text": OPEN["text"]}
    for record in (OPEN, CLOSE, {key: value for key, value in OPEN.items() if key != "text"} | when | text):
        assert list(THREAD_EVENT.write(THREAD_EVENT.read(record))) == list(record)


def test_unknown_keys_and_left_out_ones_of_an_opening_are_no_matter() -> None:
    left_out = {key: value for key, value in OPEN.items() if key not in ("to", "due")}
    event = THREAD_EVENT.read({**left_out, "note": 1})
    assert (event.to, event.due) == ((), None)


@pytest.mark.parametrize(
    ("record", "key"),
    [
        ({**OPEN, "id": "thread-7"}, "id"),
        ({**OPEN, "id": 7}, "id"),
        ({**OPEN, "id": "thread-000"}, "id"),
        ({**OPEN, "at": "gestern"}, "at"),
        ({**OPEN, "event": "opened"}, "event"),
        ({**OPEN, "by": " "}, "by"),
        ({**OPEN, "kind": "vow"}, "kind"),
        ({**OPEN, "kind": ["promise"]}, "kind"),
        ({**OPEN, "to": "emre"}, "to"),
        ({**OPEN, "due": True}, "due"),
        ({**OPEN, "due": -1}, "due"),
        ({**OPEN, "text": ""}, "text"),
        ({**OPEN, "time": "drei Uhr"}, "time"),
        ({**OPEN, "time": "24:00"}, "time"),
        ({**OPEN, "place": 3}, "place"),
        ({**CLOSE, "outcome": "done"}, "outcome"),
        ({}, "id"),
    ],
)
def test_what_cannot_be_read_names_its_key(record: dict[str, Any], key: str) -> None:
    with pytest.raises(RecordError) as caught:
        THREAD_EVENT.read(record)
    assert caught.value.key == key


def test_a_thread_is_what_its_events_leave_of_it() -> None:
    carry = ThreadEvent("thread-007", "day-005", "carry", "gm", "überfällig")
    (open_one,) = fold_events((), [THREAD_EVENT.read(OPEN), carry])
    assert (open_one.is_open, open_one.touched, open_one.reason) == (True, "day-005", "überfällig")
    assert (open_one.number, open_one.since, open_one.due) == (7, SceneRef(3, 4), 5)
    assert open_one.closed_by == "", "it is only carried"
    (settled,) = fold_events([open_one], [THREAD_EVENT.read(CLOSE)])
    assert (settled.is_open, settled.outcome, settled.reason, settled.closed_by) == (False, "kept", "Da.", "vera")


def test_an_appointment_has_people_a_time_of_day_and_a_place() -> None:
    arranged = {**OPEN, "kind": "appointment", "time": "15:00", "place": "flur", "replaces": "thread-001"}
    (one,) = fold_events((), [THREAD_EVENT.read(arranged)])
    assert (one.people, one.time, one.place, one.replaces) == (("vera", "emre"), "15:00", "flur", "thread-001")


@pytest.mark.parametrize(
    ("time", "of_day"),
    [
        ("", ""), ("noon", "noon"), ("09:00", "morning"), ("10:59", "morning"), ("11:59", "morning"), ("12:00", "noon"),
        ("13:30", "noon"),
        ("14:00", "afternoon"), ("17:59", "afternoon"), ("18:00", "evening"), ("23:15", "evening"),
    ],
)  # fmt: skip
def test_a_clock_time_belongs_to_a_time_of_day(time: str, of_day: str) -> None:
    assert Thread("thread-001", "appointment", "vera", (), "…", "day-001", time=time).time_of_day == of_day


def test_what_comes_after_the_end_or_before_the_beginning_changes_nothing() -> None:
    again = {**CLOSE, "outcome": "broken"}
    (settled,) = fold_events((), [THREAD_EVENT.read(record) for record in (CLOSE, OPEN, CLOSE, again, OPEN)])
    assert settled.outcome == "kept"


def test_a_thread_concerns_those_who_opened_it_or_were_addressed() -> None:
    (one,) = fold_events((), [THREAD_EVENT.read(OPEN)])
    assert [name for name in ("vera", "emre", "finn") if one.concerns(name)] == ["vera", "emre"]


@given(st.integers(1, 10**18 - 1))
def test_the_number_of_an_id_is_read_as_it_was_written(number: int) -> None:
    assert THREAD_ID.number(THREAD_ID.render(number)) == number


def test_open_threads_of_a_character_are_listed_by_urgency() -> None:
    def thread(number: int, due: int | None = None, to: str = "emre", outcome: Literal["", Outcome] = "") -> Thread:
        return Thread(f"thread-{number:03d}", "promise", "vera", (to,), "…", "day-001", due, outcome=outcome)

    later, with_finn, overdue, closed = (
        thread(1, 9),
        thread(2, None, "finn"),
        thread(3, 2),
        thread(4, 1, outcome="kept"),
    )
    undated = thread(5)
    found = select_open([later, with_finn, overdue, closed, undated], "vera", 3, ["finn"])
    assert found == [overdue, with_finn, later, undated]
    assert select_open([later, with_finn], "emre", 3, []) == [later]


@pytest.mark.parametrize(
    ("said", "time"),
    [
        ("Noon", "noon"),
        (" evening ", "evening"),
        ("9:05", "09:05"),
        ("15.30", "15:30"),
        ("24:00", ""),
        ("um drei", ""),
        ("", ""),
    ],
)
def test_a_time_is_read_as_it_is_said(said: str, time: str) -> None:
    assert read_time(said) == time


@pytest.mark.parametrize(("touched", "at"), [("day-003/scene-04", SceneRef(3, 4)), ("day-003", SceneRef(3))])
def test_the_last_event_of_a_thread_is_a_moment(touched: str, at: SceneRef) -> None:
    thread = Thread("thread-001", "promise", "vera", (), "Yes.", "day-001", touched=touched)
    assert thread.touched_at == at
