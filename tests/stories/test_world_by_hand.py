"""A world that was written by hand, without ``gm init``, begins as gm.yaml says."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from gm.api.editing.board import put_up_brief, put_up_post
from gm.api.editing.calendar import EventOptions, schedule_event
from gm.api.worlds.create import create_world
from gm.files.layout import Layout
from gm.files.load import load_world
from tests.stories.playing import play

START = {"state/world.json", "state/bulletin.json"}


@pytest.fixture
def bare(dinner: Layout) -> Layout:
    """The dinner as written by hand: ``gm.yaml``, personas and its own sentences, and nothing else."""
    for folder in (dinner.state / "agents", dinner.state / "memories"):
        shutil.rmtree(folder)
    for path in (dinner.world, dinner.bulletin, dinner.root / ".gitattributes"):
        path.unlink()
    return dinner


def files(layout: Layout) -> dict[str, bytes]:
    """Read what a day leaves behind, without what holds times of the clock on the wall."""
    folders = (layout.state, layout.gallery)
    paths = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    kept = [
        path for path in paths if not path.is_relative_to(layout.derived) and not path.is_relative_to(layout.traces)
    ]
    return {layout.shown(path): path.read_bytes() for path in kept}


def test_its_first_day_is_the_one_of_a_world_that_gm_made(bare: Layout, tmp_path: Path) -> None:
    made = create_world(tmp_path / "made", "dinner")
    play(made)
    play(bare)
    assert files(bare) == files(made)
    assert load_world(bare).world.posts[0].author == load_world(bare).world.settings.outside


def test_before_the_first_day_brief_status_and_events_are_there_and_nothing_is_written(
    bare: Layout, tmp_path: Path
) -> None:
    made = load_world(create_world(tmp_path / "made", "dinner")).world
    loaded = load_world(bare)
    assert loaded.problems == ()
    assert (loaded.world.clock, loaded.world.posts) == (made.clock, made.posts)
    assert loaded.world.clock.active_briefs
    assert not START & set(files(bare))


def test_what_is_put_in_by_hand_first_comes_after_what_gm_yaml_says(bare: Layout) -> None:
    first = load_world(bare).world
    put_up_post(bare, "Bring chairs.")
    schedule_event(bare, EventOptions("Rain", day=2))
    put_up_brief(bare, "And candles.")
    world = load_world(bare).world
    assert [post.content for post in world.posts] == [first.posts[0].content, "Bring chairs.", "And candles."]
    assert world.clock.active_briefs == (*first.clock.active_briefs, "And candles.")
    assert world.clock.scheduled_events[:-1] == first.clock.scheduled_events
    assert world.clock.scheduled_events[-1].event == "Rain"
    play(bare)
    assert [post.content for post in load_world(bare).world.posts][:3] == [post.content for post in world.posts]


def test_a_story_that_has_begun_does_not_begin_again(bare: Layout) -> None:
    play(bare)
    for path in (bare.world, bare.bulletin):
        path.unlink()
    world = load_world(bare).world
    assert (world.posts, world.clock.active_briefs, world.clock.scheduled_events) == ((), (), ())


def test_a_board_that_a_person_emptied_stays_empty(bare: Layout) -> None:
    bare.bulletin.write_text('{"posts": []}\n', encoding="utf-8")
    play(bare)
    assert not [post for post in load_world(bare).world.posts if post.day == 0]
