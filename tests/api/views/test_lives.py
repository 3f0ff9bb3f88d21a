"""One character's days, and what is between two."""

from __future__ import annotations

from pathlib import Path

from gm.api.views.cast import view_frame
from gm.api.views.gallery import named_pieces
from gm.api.views.lives import known_pairs, view_life, view_pair
from gm.api.views.logbook import shown_days
from gm.files.layout import Layout
from gm.layers.diary import DIARY
from tests.api.views.story import make_story


def test_a_day_has_places_people_and_outcomes(story: Layout) -> None:
    first, second, third, fourth = view_life(story, view_frame(story), "ada").days
    assert (first.places, first.others) == (("yard",), ("bo",))
    assert [one.id for one in first.opened] == ["thread-001"]
    assert (second.weekday, second.mood, second.diary) == ("Tuesday", "uneasy", "The kettle weighs on me.")
    assert (third.places, third.others) == (("cellar",), ())
    assert [(one.id, one.outcome) for one in fourth.settled] == [("thread-001", "kept")]


def test_a_day_without_a_scene_of_its_own_is_still_a_day(story: Layout) -> None:
    day = view_life(story, view_frame(story), "cy").days[3]
    assert (day.scenes, day.places) == ((), ())
    assert [one.id for one in day.settled] == ["thread-005"]


def test_diary_and_silences_are_left_out_where_they_are_kept_back(story: Layout) -> None:
    frame = view_frame(story)
    told = view_life(story, frame, "ada", hidden=("diary",))
    assert [day.diary + day.mood for day in told.days] == [""] * 4
    assert not told.has_diary
    silent = [one.kind for day in view_life(story, frame, "cy", hidden=("private",)).days for one in day.opened]
    assert "silence" not in silent
    assert "silence" in [one.kind for day in view_life(story, frame, "cy").days for one in day.opened]


def test_a_world_without_a_diary_says_that_there_is_none(tmp_path: Path) -> None:
    layout = make_story(tmp_path)
    layout.layer(DIARY, "ada").unlink()
    assert not view_life(layout, view_frame(layout), "ada").has_diary


def test_between_two_stand_their_scenes_their_threads_and_how_trust_went(story: Layout) -> None:
    pair = view_pair(story, view_frame(story), "bo", "cy")
    assert pair == view_pair(story, view_frame(story), "bo", "cy", (), shown_days(story))
    assert [day.day for day in pair.days] == [1, 2, 3, 4]
    assert [len(day.scenes) for day in pair.days] == [0, 1, 1, 0]
    assert [change.why for day in pair.days for change in day.changes] == ["Cy told me something.", "Cy put me off."]
    assert pair.trust == (((1, 0.3), (2, 0.5), (3, 0.1)), ())
    assert pair.span == (1, 3)
    assert pair.scenes == 2


def test_what_two_think_of_each_other_is_left_out_where_it_is_kept_back(story: Layout) -> None:
    hidden = ("relationships", "private")
    pair = view_pair(story, view_frame(story), "bo", "cy", hidden)
    assert (pair.trust, pair.shows_regards) == (((), ()), False)
    assert not [change for day in pair.days for change in day.changes]
    assert "silence" not in [one.kind for day in pair.days for one in day.opened]


def test_a_pair_is_known_by_scenes_threads_or_regards(story: Layout) -> None:
    assert known_pairs(story, view_frame(story)) == {("ada", "bo"), ("bo", "cy")}


def test_pieces_of_a_day_keep_their_order_with_any_hash_seed(story: Layout) -> None:
    paths = [f"gallery/letters/day-001_letter-{number}_v1.md" for number in range(30, 0, -1)]
    assert list(named_pieces(story, (*paths, paths[7]))) == paths
