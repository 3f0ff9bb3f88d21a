from dataclasses import fields, replace

from gm.model.clock import Clock, Post
from gm.model.logged import LogEntry
from gm.model.world import Change, World, merged
from tests.build import entry, node, world


def test_a_new_world_is_at_day_zero_and_closed() -> None:
    assert (World().clock, Clock().day, Clock().day_open) == (Clock(), 0, False)
    assert (Clock(day=3).coming, Clock(day=3, day_open=True).coming) == (4, 3)


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


def test_changes_that_land_together_are_one() -> None:
    first = Change(
        1,
        nodes={"vera": (node(1),)},
        agents={"vera": {"mood": "calm"}, "emre": {"mood": "cross"}},
        clock={"scenes_today": 2},
        files={"gallery/a.md": "a"},
        links=(),
        decisions=("We build it.",),
        recalled=("vera-001",),
        log=LogEntry(1, {"scene": 2}),
    )
    second = Change(
        1,
        nodes={"finn": (node(2),), "vera": (node(3),)},
        agents={"emre": {"current_task": "count"}},
        clock={"scenes_today": 3},
        files={"gallery/b.md": "b"},
        log=LogEntry(1, {"scene": 3}),
    )
    one = merged((first, second))
    assert {name: [item.id for item in new] for name, new in one.nodes.items()} == {
        "vera": ["vera-001", "vera-003"],
        "finn": ["vera-002"],
    }
    assert one.agents == {"vera": {"mood": "calm"}, "emre": {"mood": "cross", "current_task": "count"}}
    assert (one.clock, [*one.files], one.links) == ({"scenes_today": 3}, ["gallery/a.md", "gallery/b.md"], ())
    assert (one.decisions, one.recalled, one.log) == (("We build it.",), ("vera-001",), LogEntry(1, {"scene": 3}))
    assert merged((first,)) is first


OF_THE_LAST = {"day", "log", "warnings"}


def test_no_part_of_a_change_is_lost_where_another_lands_with_it() -> None:
    held = {item.name: {"vera": ()} if callable(item.default_factory) else ("said",) for item in fields(Change)}
    first = Change(**{**held, "agents": {"vera": {"mood": "calm"}}, "day": 1})  # type: ignore[arg-type]
    one = merged((first, Change(2, warnings=("late",))))
    parts = {item.name for item in fields(Change)} - OF_THE_LAST
    assert {name for name in parts if getattr(one, name) != getattr(first, name)} == set()
    assert (one.day, one.log, one.warnings) == (2, None, ("late",))
