"""How a day opens and closes."""

from dataclasses import replace

from gm.base.config import CalendarSettings, PlansSettings, Settings
from gm.model.clock import ScheduledEvent
from gm.model.thread import Thread
from gm.model.world import World
from gm.scene.evening.left_open import close_threads, describe_open, explain_carried
from gm.scene.evening.nightfall import MOST_THREADS, close_day, tomorrow
from gm.scene.folding.advance import advance
from gm.scene.planning.schedule import open_day
from tests.build import agent, cast_with, entry, node, post, studio, thread, words, world


def test_opening_a_day_turns_the_clock_and_empties_the_counters() -> None:
    assert open_day(studio(day=3)).clock == {
        "day": 4,
        "day_of_week": "Donnerstag",
        "time_of_day": "morning",
        "scenes_today": 0,
        "artifacts_today": [],
        "day_open": True,
    }


def test_without_plans_a_day_opens_with_none() -> None:
    planned = {"vera": agent("vera", plan=("Arbeiten an: Turm",)), "emre": agent("emre")}
    off = Settings(plans=PlansSettings(enabled=False))
    assert open_day(replace(studio(), agents=planned, settings=off)).agents == {"vera": {"today_plan": []}}
    assert open_day(replace(studio(), agents=planned)).agents == {}


def test_the_last_line_of_a_day_is_its_summary_and_the_day_is_closed() -> None:
    change = close_day(world(agent("vera"), log=[entry(1, "WORK", "vera")]), words)
    assert change.clock["day_open"] is False
    assert list(change.line.record) == [
        "type",
        "summary",
        "highlights",
        "open_threads",
        "finished",
        "reflected",
        "carried",
        "tomorrow",
    ]
    assert change.line.record["type"] == "SUMMARY"


def test_highlights_are_the_most_important_memory_of_each_best_first() -> None:
    vera = [node(1, importance=4, description="klein"), node(2, importance=9, description="groß")]
    emre = [node(1, agent="emre", importance=10, created="day-000/scene-01", description="gestern")]
    finn = [node(1, agent="finn", importance=10, description="riesig")]
    cast = (agent("vera", stream=vera), agent("emre", stream=emre), agent("finn", stream=finn))
    log = close_day(world(*cast), words).line.record
    assert log["highlights"] == ["Finn: riesig", "Vera: groß"]


def test_open_threads_are_what_no_character_took_up() -> None:
    entries = [
        entry(1, "ARRIVAL", "vera", scene=1, dialogue=[{"agent": "vera", "text": "Kaffee?"}]),
        entry(1, "WORK", "vera", scene=2, artifacts=["gallery/a/x.md", "gallery/a/y.md"]),
        entry(1, "ENCOUNTER", "emre", "vera", scene=3, answers=["gallery/a/y.md", "bulletin/0"]),
        entry(1, "ENCOUNTER", "emre", "vera", scene=4, dialogue=[{"agent": "emre", "text": "Und wer hört zu?"}]),
    ]
    posts = [
        post("beantwortet"),
        post("offen", index=1),
        post("uralt", index=2, day=-5),
        post("…", author="vera", index=3),
    ]
    log = close_day(world(agent("vera"), agent("emre"), log=entries, posts=posts), words).line.record
    assert log["open_threads"] == [
        "<open_post> author=Creative Director text=offen",
        "<open_artifact> path=gallery/a/x.md",
        "<open_question> name=Emre text=Und wer hört zu?",
    ]


def test_a_hand_made_logbook_does_not_stop_a_day_from_closing() -> None:
    entries = [
        entry(1, "REFLECTION"),
        entry(1, "REFLECTION", "creative-director"),
        entry(1, "REFLECTION", "vera"),
        entry(1, "WORK", dialogue="nichts"),
        entry(1, "MEETING", dialogue=[{"speaker": "x"}]),
        entry(1, "MEETING", dialogue=[{"agent": "creative-director", "text": "Und?"}]),
    ]
    log = close_day(world(agent("vera", stream=[node(1, agent="x")]), log=entries), words).line.record
    assert "reflected=['Vera']" in log["summary"]
    assert log["open_threads"] == ["<open_question> name=creative-director text=Und?"]


def test_what_the_calendar_says_about_tomorrow_is_known_today() -> None:
    weekly = ({"weekday": "Dienstag", "time": "noon", "event": "Suppe"},)
    settings = Settings(calendar=CalendarSettings(weekly=weekly))
    one = world(settings=settings, events=[ScheduledEvent(2, "Abgabe", "all-day"), ScheduledEvent(3, "Fest", "noon")])
    assert [record["event"] for record in tomorrow(one, ())["events"]] == ["Abgabe", "Suppe"]


def test_the_coming_day_names_what_is_due_and_who_is_near_a_reflection() -> None:
    one = world(agent("vera", accumulator=80), agent("emre", accumulator=79))
    due = [Thread(f"thread-00{day}", "promise", "vera", (), "…", "day-001/scene-01", due=day) for day in (1, 2, 3)]
    assert tomorrow(one, due) == {"day": 2, "events": [], "reflecting": ["vera"], "threads": ["thread-002"]}


def test_a_summary_names_what_was_made_and_who_reflected() -> None:
    log = [entry(1, "WORK", "vera", artifacts=["gallery/a/x.md"]), entry(1, "REFLECTION", "vera", "ghost", scene=2)]
    change = close_day(world(agent("vera"), log=log), words)
    assert (change.line.record["finished"], change.line.record["reflected"]) == (["gallery/a/x.md"], ["vera"])


def test_a_question_that_has_become_a_thread_is_listed_once() -> None:
    asked = Thread("thread-001", "question", "emre", ("vera",), "Wer hört zu?", "day-001/scene-01", touched="day-001")
    log = [entry(1, "ENCOUNTER", "emre", "vera", dialogue=[{"agent": "emre", "text": "Und wer hört zu?"}])]
    one = replace(world(agent("vera"), agent("emre"), log=log), threads=(asked,))
    (listed,) = close_day(one, words).line.record["open_threads"]
    assert listed.startswith("<thread_question> name=Emre others=['Vera'] text=Wer hört zu?")


def test_of_many_threads_the_most_urgent_are_listed_and_the_others_counted() -> None:
    many = [
        Thread(f"thread-{number:03d}", "promise", "vera", (), f"Nr. {number}", "day-001/scene-01", due=20 - number)
        for number in range(1, 12)
    ]
    listed = close_day(replace(world(agent("vera")), threads=tuple(many)), words).line.record["open_threads"]
    assert "text=Nr. 11 " in listed[0]
    assert listed[MOST_THREADS] == "<threads_more> count=3"


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


def test_a_thread_that_was_not_touched_is_dropped_after_its_days() -> None:
    old = thread(1, "vera", opened="day-002/scene-01")
    assert events_at_close(cast_with(old, day=8)) == []
    assert events_at_close(cast_with(old, day=9)) == [("thread-001", "close", "dropped")]
    assert events_at_close(cast_with(old, day=99, days=None)) == []
    assert events_at_close(cast_with(replace(old, due=9, reason="…", touched="day-009"), day=15)) == []
    taken_up = [entry(7, "ENCOUNTER", "vera", answers=["thread-001"])]
    assert events_at_close(cast_with(old, day=9, log=taken_up)) == []


def test_a_silence_is_kept_and_never_due() -> None:
    kept = replace(thread(1, "vera", "emre", due=2), kind="silence")
    one = cast_with(kept, day=30)
    assert events_at_close(one) == []
    assert explain_carried(one, (), words) == []
    closing = close_day(one, words).line.record
    assert (closing["open_threads"], closing["carried"]) == ([], [])


def test_a_silence_until_a_day_is_kept_when_that_day_is_over() -> None:
    text = "Leo sagt Finn nichts davon, bis Finn am Dienstag selbst gegangen ist."
    silence = replace(thread(1, "vera", "emre", text=text, opened="day-001/scene-02"), kind="silence")
    settings = Settings(language="de")
    found = {day: close_threads(replace(cast_with(silence, day=day), settings=settings), words) for day in (1, 2, 5)}
    assert {day: [(event.event, event.outcome) for event in events] for day, events in found.items()} == {
        1: [],
        2: [("close", "kept")],
        5: [("close", "kept")],
    }
    for other in ("Leo sagt nichts vom Dienstag.", "Leo sagt nichts, bis Finn gegangen ist."):
        one = cast_with(replace(silence, text=other), day=5)
        assert close_threads(replace(one, settings=settings), words) == ()


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
    found = {item["thread"]: item["reason"] for item in explain_carried(one, close_threads(one, words), words)}
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
