"""By the evening of its day every appointment has been held, or its people remember that it was not."""

from dataclasses import replace

from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

from gm.model.thread import THREAD_ID, Thread
from gm.model.world import World
from gm.scene.directing.director import next_step
from gm.scene.evening.dusk import dusk
from gm.scene.evening.nightfall import close_day
from gm.scene.folding.advance import advance
from gm.scene.planning.schedule import open_day
from tests.build import perform, studio, words
from tests.build import thread as open_thread

DAYS = 3
PEOPLE = ("emre", "finn", "nami", "vera")


@st.composite
def appointments(draw: st.DrawFn) -> tuple[Thread, ...]:
    found = []
    for number in range(1, draw(st.integers(1, 9)) + 1):
        people = draw(st.lists(st.sampled_from(PEOPLE), min_size=2, max_size=4, unique=True))
        found.append(
            open_thread(
                number,
                *people,
                kind="appointment",
                text=f"Sache {number}.",
                opened="day-000",
                due=draw(st.integers(1, DAYS)),
                time=draw(st.sampled_from(["", "morning", "noon", "afternoon", "evening", "09:30", "15:00"])),
                place=draw(st.sampled_from(["", "hall"])),
            )
        )
    return tuple(found)


def play_day(one: World, seed: int) -> World:
    one = advance(one, open_day(one))
    while scenes := next_step(one, seed, words).scenes:
        for item in scenes:
            one = advance(one, perform(one, item))
    left = dusk(one, words)
    if left is not None:
        one = advance(one, left)
    return advance(one, close_day(one, words))


def remembers(one: World, name: str, thread: Thread) -> bool:
    return any(
        node.metadata.get("kind") == "missed" and node.metadata.get("thread") == thread.id
        for node in one.agents[name].stream
    )


@effort(max_examples=effort().max_examples // 3)
@given(appointments(), st.integers(1, 50))
def test_by_the_evening_an_appointment_was_held_or_its_people_remember_that_they_missed_it(
    threads: tuple[Thread, ...], seed: int
) -> None:
    one = replace(studio(*PEOPLE), threads=threads)
    for _ in range(DAYS):
        one = play_day(one, seed)
        known = {thread.id: thread for thread in one.threads}
        for number in range(1, len(threads) + 1):
            thread = known[THREAD_ID.render(number)]
            due = thread.due is not None and thread.due <= one.clock.day
            assert thread.is_open != due
            assert thread.outcome in ("", "kept", "missed")
            for name in thread.people:
                assert remembers(one, name, thread) == (thread.outcome == "missed")
        for entry in one.scenes_of(one.clock.day):
            for key in entry.answers:
                if key in known and known[key].outcome == "kept":
                    assert {*known[key].people} == {*entry.participants}


def test_a_day_with_a_few_appointments_holds_them_all_at_their_time() -> None:
    threads = (
        open_thread(1, "vera", "emre", kind="appointment", text="Eins.", opened="day-000", due=1, time="noon"),
        open_thread(2, "finn", "nami", kind="appointment", text="Zwei.", opened="day-000", due=1, time="15:00"),
        open_thread(3, *PEOPLE, kind="appointment", text="Drei.", opened="day-000", due=1, time="evening"),
    )
    one = play_day(replace(studio(*PEOPLE), threads=threads), 1)
    assert [thread.outcome for thread in one.threads] == ["kept", "kept", "kept"]
    held = {key: entry for entry in one.scenes_of(1) for key in entry.answers}
    times = [held[thread.id].time_of_day for thread in threads]
    assert times == ["noon", "afternoon", "evening"]
    assert held["thread-003"].type == "MEETING"
