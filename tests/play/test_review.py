"""What was decided about a scene that has not landed is noted, and forgotten when it has."""

from __future__ import annotations

import json

import pytest

from gm.files.layout import Layout
from gm.llm.choose import Choice
from gm.play.interactive import Session
from gm.play.master import run_days
from gm.play.review import MOST_NOTES, Sitting, load_sitting, save_sitting
from gm.scene.directing.choosing import Pick, SceneRequest
from tests.stories.playing import Counting, Heard, records
from tests.stories.table import Reader

PICK = Pick("WORK", ("alex",), "kitchen", "noon", "", "Cook", ("thread-1",), "It is noon.")


@pytest.mark.parametrize("called", [None, SceneRequest("MEETING", ("alex", "casey"), "Sunday"), PICK])
def test_what_is_noted_is_read_again(dinner: Layout, called: SceneRequest | Pick | None) -> None:
    sitting = Sitting("day-001/scene-03", called, ("Slower.", "Slower.\nShorter, »bitte«."))
    save_sitting(dinner, sitting)
    assert load_sitting(dinner) == sitting


@pytest.mark.parametrize(
    ("note", "read"),
    [
        ("", Sitting()),
        ("{", Sitting()),
        ("[]", Sitting()),
        ('{"scene": 3, "notes": "x", "call": [], "pick": 1}', Sitting("3")),
        ('{"scene": "a", "notes": ["b", ""]}', Sitting("a")),
        ('{"call": {"type": [1], "cast": "x", "topic": null}}', Sitting("", SceneRequest("[1]"))),
        (json.dumps({"notes": ["\x1bx"] * 100}), Sitting("", None, ("x",) * MOST_NOTES)),
    ],
)
def test_a_damaged_or_foreign_note_is_read_as_far_as_it_goes(dinner: Layout, note: str, read: Sitting) -> None:
    dinner.derived.mkdir(exist_ok=True)
    dinner.sitting_note.write_text(note, encoding="utf-8")
    assert load_sitting(dinner) == read


def sit(layout: Layout, *lines: str) -> tuple[Reader, Counting, list[str]]:
    reader, counting, heard = Reader(*lines), Counting(), Heard()
    choice = Choice(counting, "a test")
    run_days(layout, choice, heard, 1, command="test", review=Session(reader, resumes=True))
    return reader, counting, heard.notices


def test_a_called_scene_and_its_takes_come_again_and_no_model_is_asked(dinner: Layout) -> None:
    before, _, _ = sit(dinner, "call alex,casey The letter", "replay Slower.", "replay Shorter.")
    after, counting, _ = sit(dinner, "take 2", "quit")
    assert [draft.change for draft in after.shown[:3]] == [draft.change for draft in before.shown[1:]]
    assert [draft.scene.topic for draft in after.shown] == ["The letter"] * 3 + [after.shown[3].scene.topic]
    assert all(request.place == "day-001/scene-03" for request in counting.asked)
    assert records(dinner.day_log(1))[1]["note"] == "Slower."
    assert not dinner.sitting_note.exists()


def test_a_picked_scene_comes_again(dinner: Layout) -> None:
    before, _, _ = sit(dinner, "candidates", "pick 2")
    after, counting, _ = sit(dinner, "skip")
    assert after.shown[0].change == before.shown[1].change
    assert after.shown[0].scene.cast == before.offered[0][1].pick.cast
    assert all(request.place != "day-001/scene-02" for request in counting.asked)


def test_of_the_notes_of_a_strangers_world_one_take_is_played_at_most(dinner: Layout) -> None:
    save_sitting(dinner, Sitting("day-001/scene-01", None, tuple(f"Slower, {number}." for number in range(9))))
    reader, _, _ = sit(dinner, "replay Shorter.", "quit")
    assert [draft.scene.note for draft in reader.shown] == ["", "Slower, 0.", "Slower, 0.\nShorter."]
    assert load_sitting(dinner).notes == ("Slower, 0.", "Slower, 0.\nShorter.")


def test_a_scene_that_cannot_be_played_any_more_is_refused_and_another_one_is_played(dinner: Layout) -> None:
    sit(dinner, "continue", "quit")
    save_sitting(dinner, Sitting("day-001/scene-02", PICK))
    reader, _, _ = sit(dinner, "quit")
    assert [error.message for error in reader.refused] == [
        "WORK noon with alex cannot be played any more: the world has changed"
    ]
    assert reader.shown[0].scene.director == "rules"
    for called in (SceneRequest("NOTHING"), SceneRequest("MEETING", ("nobody", "alex"))):
        save_sitting(dinner, Sitting("day-001/scene-02", called))
        assert len(sit(dinner, "quit")[0].refused) == 1


def test_the_note_of_another_scene_says_nothing(dinner: Layout) -> None:
    save_sitting(dinner, Sitting("day-009/scene-01", PICK, ("Slower.",)))
    reader, _, _ = sit(dinner, "quit")
    assert (len(reader.shown), reader.refused) == (1, [])


def test_where_a_script_begins_anew_nothing_is_noted(dinner: Layout) -> None:
    reader = Reader("replay Slower.", "quit")
    run_days(dinner, Choice(Counting(), "a test"), Heard(), 1, command="test", review=Session(reader))
    assert not dinner.sitting_note.exists()
