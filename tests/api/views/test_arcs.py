"""A thread as a story, from promise to end."""

from __future__ import annotations

from pathlib import Path

from gm.api.views.arcs import PAGE, Arc, ThreadArcs, arc_names, tell_threads, view_arc, view_arcs
from gm.api.views.logbook import shown_days
from gm.files.layout import Layout
from tests.api.views.story import KEPT, PROMISE, REMINDER, THREADS, lines_of, make_story, write


def told_of(layout: Layout, *hidden: str) -> ThreadArcs:
    told = tell_threads(layout, hidden)
    whole = tell_threads(layout, hidden, shown_days(layout, hidden))
    assert view_arcs(told).arcs == view_arcs(whole).arcs
    assert all(told.arcs([one]) == (whole.arcs([one])[0], told.arcs([one])[1]) for one in told.shown.values())
    return told


def arc_of(layout: Layout, thread: str) -> Arc:
    arc = view_arc(layout, told_of(layout), thread)
    assert arc is not None
    return arc


def test_a_promise_is_told_from_its_first_words_to_its_end(story: Layout) -> None:
    arc = arc_of(story, "thread-001")
    assert [(step.event, str(step.at)) for step in arc.steps] == [
        ("open", "day-001/scene-02"),
        ("taken_up", "day-002/scene-01"),
        ("carry", "day-002"),
        ("close", "day-004/scene-01"),
    ]
    opened, taken_up, carried, closed = arc.steps
    assert opened.text == PROMISE
    assert opened.scene is not None
    assert opened.scene.place == "yard"
    assert taken_up.said == ("ada", REMINDER)
    assert (carried.last, carried.text) == (3, "It is due tomorrow.")
    assert (closed.by, closed.outcome, closed.text) == ("ada", "kept", KEPT)
    assert (arc.days, arc.scenes, arc.is_logged) == ((1, 4), 3, True)


def test_what_was_arranged_anew_leads_to_what_took_its_place_and_back(story: Layout) -> None:
    old, new = arc_of(story, "thread-003"), arc_of(story, "thread-005")
    assert [one.id for one in old.after] == ["thread-005"]
    assert old.steps[-1].outcome == "replaced"
    assert new.before is not None
    assert new.before.id == "thread-003"
    assert [(step.event, step.outcome) for step in new.steps] == [("open", ""), ("close", "missed")]


def test_a_line_that_shares_nothing_with_a_thread_is_not_quoted_for_it(tmp_path: Path) -> None:
    layout = make_story(tmp_path)
    log = layout.day_log(2)
    log.write_text(log.read_text(encoding="utf-8").replace(REMINDER, "Rain again."), encoding="utf-8")
    assert arc_of(layout, "thread-001").steps[1].said == ("", "")


def test_open_arcs_come_first_and_what_is_private_not_at_all(story: Layout) -> None:
    whole, told = view_arcs(told_of(story)), view_arcs(told_of(story, "private"))
    assert [arc.thread.id for arc in whole.arcs[:2]] == ["thread-004", "thread-002"]
    assert "thread-004" not in {arc.thread.id for arc in told.arcs}
    assert (whole.count, told.count) == (5, 4)
    assert view_arc(story, told_of(story, "private"), "thread-004") is None
    assert set(arc_names(story, ("private",))) == {arc.thread.id for arc in told.arcs}


def test_without_a_logbook_an_arc_says_only_what_its_own_file_knows(tmp_path: Path) -> None:
    arc = arc_of(make_story(tmp_path, logbook=False), "thread-001")
    assert [step.event for step in arc.steps] == ["open", "close"]
    assert not arc.is_logged


def test_lines_that_do_not_count_are_no_steps(tmp_path: Path) -> None:
    layout = make_story(tmp_path)
    again = {**THREADS[0], "at": "day-002/scene-02"}
    late = {**THREADS[-2], "at": "day-004/scene-02", "outcome": "broken"}
    early = {**THREADS[-1], "id": "thread-009"}
    write(layout.threads, lines_of([early, *THREADS, again, late]))
    assert [step.event for step in arc_of(layout, "thread-001").steps].count("close") == 1
    assert view_arc(layout, told_of(layout), "thread-009") is None


def test_many_arcs_are_leafed_through(tmp_path: Path) -> None:
    layout = make_story(tmp_path)
    write(layout.threads, lines_of({**THREADS[0], "id": f"thread-{n:03d}"} for n in range(1, PAGE + 2)))
    first, last = view_arcs(told_of(layout)), view_arcs(told_of(layout), 9)
    assert (len(first.arcs), len(last.arcs), last.page, last.pages) == (PAGE, 1, 2, 2)
    shown = [arc.thread.id for arc in (*first.arcs, *last.arcs)]
    assert shown == [f"thread-{n:03d}" for n in range(PAGE + 1, 0, -1)], "each once, the newest first"
