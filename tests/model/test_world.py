from dataclasses import replace

from gm.model.world import Clock, Post, World
from tests.build import entry, world


def test_a_new_world_is_at_day_zero_and_closed() -> None:
    assert (World().clock, Clock().day, Clock().day_open) == (Clock(), 0, False)


def test_the_scenes_of_a_day_are_its_lines_without_the_summary() -> None:
    lines = [entry(1, "WORK"), entry(1, "SUMMARY"), entry(2, "WORK"), entry(2, "MEETING")]
    assert world(log=lines).scenes_of(1) == (lines[0],)
    assert world(log=lines).scenes_of(2) == (lines[2], lines[3])


def test_a_post_is_named_by_its_place_on_the_board() -> None:
    assert Post(3, "Creative Director", "brief", "…").key == "bulletin/3"


def test_there_is_an_open_day_or_none() -> None:
    one = world(day=4)
    assert one.open_day == 4
    assert replace(one, clock=replace(one.clock, day_open=False)).open_day is None
