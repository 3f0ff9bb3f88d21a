"""A day as it is read, and all days in brief."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from gm.api.views.day import Day, view_day, view_days
from gm.api.views.logbook import PAGE, anchor_scenes, newest_days, view_logbook
from gm.api.worlds.create import create_world
from gm.files.layout import Layout
from gm.model.node import node_from_record, render_node
from gm.scene.score import WEIGHTY_PARTS
from tests.handmade import make_handmade
from tests.stories.playing import records


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Layout:
    """A studio after the first day that models played. Shared: read it, do not write into it."""
    return create_world(tmp_path_factory.mktemp("recorded") / "studio", "studio", days=1)


@pytest.fixture(scope="module")
def day(recorded: Layout) -> Day:
    found = view_day(recorded, 1)
    assert found is not None
    return found


def rewrite(layout: Layout, day: int, records: list[dict[str, Any]]) -> None:
    lines = [json.dumps(record, ensure_ascii=False) for record in records]
    layout.day_log(day).write_text("\n".join(lines) + "\n", encoding="utf-8")


def test_everything_of_a_logbook_is_read(recorded: Layout, day: Day) -> None:
    lines = records(recorded.day_log(1))
    scenes, closing = lines[:-1], lines[-1]
    assert [scene.type for scene in day.scenes] == [line["type"] for line in scenes]
    for scene, line in zip(day.scenes, scenes, strict=True):
        assert scene.why == line["why"]
        assert scene.premise == line["premise"]
        assert sum(len(turn.lines) for turn in scene.turns) == len(line["dialogue"])
        assert sum(bool(turn.thought) for turn in scene.turns) == len(line["thoughts"])
        assert sum(bool(turn.action) for turn in scene.turns) == len(line["actions"])
        assert [memory.node.id for memory in scene.memories] == [item["id"] for item in line["memories"]]
        assert dict(scene.score) == line.get("score", {})
        assert [mark.id for mark in scene.threads] == [item["id"] for item in line.get("threads", [])]
    assert list(day.highlights) == closing["highlights"]
    assert (day.weekday, day.closed, day.previous, day.next) == ("Montag", True, None, None)


def test_memories_threads_and_moods_are_told_in_words(day: Day) -> None:
    assert all(memory.node.description for memory in day.memories)
    assert all(mark.text for scene in day.scenes for mark in scene.threads)
    meeting = next(scene for scene in day.scenes if scene.type == "MEETING")
    assert {agent for agent, _ in meeting.moods} == set(meeting.cast)


def test_a_scene_that_much_hung_on_is_marked(day: Day) -> None:
    raised = [scene for scene in day.scenes if scene.raised]
    assert [scene for scene in raised if "brief" in dict(scene.score)]
    assert all({*dict(scene.score)} & WEIGHTY_PARTS for scene in raised)
    assert len(raised) < len(day.scenes)


def test_without_answers_moods_are_missing_and_that_is_said(recorded: Layout, tmp_path: Path) -> None:
    layout = Layout(shutil.copytree(recorded.root, tmp_path / "clone", ignore=shutil.ignore_patterns("traces")))
    found = view_day(layout, 1)
    assert found is not None
    assert not found.traces
    assert all(not scene.moods for scene in found.scenes)


@pytest.mark.parametrize(
    ("name", "seen"),
    [
        ("thoughts", lambda day: any(turn.thought for scene in day.scenes for turn in scene.turns)),
        ("reasons", lambda day: any(scene.why or scene.score or scene.premises for scene in day.scenes)),
        ("prompts", lambda day: any(scene.moods for scene in day.scenes)),
        ("relationships", lambda day: any(scene.regards for scene in day.scenes)),
    ],
)
def test_what_is_kept_back_is_not_in_the_view(fifteen_days: Layout, name: str, seen: Any) -> None:
    shown, hidden = view_day(fifteen_days, 14), view_day(fifteen_days, 14, frozenset((name,)))
    assert not seen(hidden)
    assert seen(shown) or name == "relationships"


def test_a_memory_tagged_private_is_kept_back_wherever_it_is_quoted(played: Layout) -> None:
    lines = records(played.day_log(1))
    stream = played.stream("vera")
    nodes = [node_from_record(record) for record in records(stream)]
    secret = nodes[0]
    text = render_node(secret).replace('"tags": [', '"tags": ["Privat", ')
    stream.write_text("\n".join([text, *map(render_node, nodes[1:])]) + "\n", encoding="utf-8")
    lines[-1]["highlights"] = [f"Vera: {secret.description}", "Emre: Etwas anderes."]
    rewrite(played, 1, lines)
    shown, hidden = view_day(played, 1), view_day(played, 1, frozenset(("private",)))
    assert shown is not None
    assert hidden is not None
    assert secret.description in str(shown)
    assert secret.description not in str(hidden)
    assert hidden.highlights == ("Emre: Etwas anderes.",)
    assert secret.description[:60] in str(view_days(played))
    assert secret.description[:60] not in str(view_days(played, frozenset(("private",))))


def test_a_day_without_a_logbook_is_none(played: Layout) -> None:
    assert view_day(played, 2) is None


def test_two_lines_of_one_number_have_two_places() -> None:
    anchors = anchor_scenes([{"scene": 1}, {"scene": "1b"}, {"scene": 1}, {"scene": "day-001/scene-01"}, {}, {}])
    assert anchors[:2] == ["scene-01", "scene-01b"]
    assert len(set(anchors)) == 6


def test_a_world_by_hand_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    layout = make_handmade(tmp_path / "dorf")
    days = layout.logged_days()
    assert days
    for number in days:
        found = view_day(layout, number)
        assert found is not None
        assert all(scene.turns or scene.summary or scene.premise or scene.type for scene in found.scenes)
    assert view_days(layout).days == len(days)


def test_the_calendar_has_a_row_for_each_week_of_the_world(fifteen_days: Layout) -> None:
    calendar = view_days(fifteen_days)
    assert [week.number for week in calendar.weeks] == [3, 2, 1]
    assert [day.weekday for day in calendar.weeks[0].days] == [
        "Montag",
        "Dienstag",
        "Mittwoch",
        "Donnerstag",
        "Freitag",
    ]
    assert calendar.days == 15
    first = calendar.weeks[-1].days[0]
    whole = view_day(fifteen_days, 1)
    assert whole is not None
    assert (len(first.logged.scenes), first.logged.memories, len(first.logged.artifacts)) == (
        len(whole.scenes),
        len(whole.memories),
        len(whole.artifacts),
    )


def test_pages_of_weeks_are_together_the_whole_calendar(fifteen_days: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = view_days(fifteen_days)
    monkeypatch.setattr("gm.api.views.day.DAYS_SHOWN", 10)
    pages = [view_days(fifteen_days, page=number) for number in (1, 2, 3, 4)]
    assert [(page.page, page.pages, page.days) for page in pages] == [(1, 2, 15), (2, 2, 15), (2, 2, 15), (2, 2, 15)]
    assert (*pages[0].weeks, *pages[1].weeks) == whole.weeks


def test_a_logbook_that_changes_is_read_again(played: Layout) -> None:
    before = len(view_days(played).weeks[0].days[0].logged.scenes)
    rewrite(played, 1, records(played.day_log(1))[1:])
    assert len(view_days(played).weeks[0].days[0].logged.scenes) == before - 1


def test_the_logbook_can_be_narrowed(fifteen_days: Layout) -> None:
    whole = view_logbook(newest_days(fifteen_days))
    assert whole.found == len(whole.lines) <= PAGE
    assert (whole.lines[0].day, whole.lines[-1].day) == (15, 1)
    work = view_logbook(newest_days(fifteen_days), kind="WORK", agent="vera", day=3)
    assert all(line.type == "WORK" and "vera" in line.cast and line.day == 3 for line in work.lines)
    assert (
        view_logbook(newest_days(fifteen_days), kind="NOTHING").found,
        view_logbook(newest_days(fifteen_days), kind="NOTHING").pages,
    ) == (
        0,
        1,
    )
    assert [view_logbook(newest_days(fifteen_days), page).page for page in (0, 2)] == [1, 1]  # there is no other one


def test_a_long_logbook_has_several_pages(played: Layout) -> None:
    scene = records(played.day_log(1))[0]
    for day in range(2, 5):
        rewrite(played, day, [scene | {"scene": number} for number in range(1, 101)])
    first, second = view_logbook(newest_days(played)), view_logbook(newest_days(played), page=2)
    assert (len(first.lines), first.pages) == (PAGE, 2)
    assert len(first.lines) + len(second.lines) == first.found
    some = view_logbook(newest_days(played), reads_all=False)
    assert (some.lines, some.pages, some.is_whole) == (first.lines, 2, False)
    rest = view_logbook(newest_days(played), page=2, reads_all=False)
    assert (rest.lines, rest.pages, rest.is_whole) == (second.lines, 2, True)
    hidden = view_logbook(newest_days(played, ("reasons",)))
    assert not any(line.why for line in hidden.lines)
