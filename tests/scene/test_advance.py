from dataclasses import replace

from gm.model.scene import LogEntry
from gm.model.world import LOG_DAYS, Change
from gm.scene.advance import advance
from gm.scene.threads import next_number
from tests.build import agent, entry, node, thread, world


def test_a_change_lands_in_clock_agents_streams_and_logbook() -> None:
    one = world(agent("vera", stream=[node(1)]), agent("emre"))
    change = Change(
        1,
        nodes={"vera": (node(2),)},
        agents={"vera": {"mood": "wach", "today_plan": ["a", "b"], "importance_accumulator": 7}},
        clock={"scenes_today": 1, "artifacts_today": ["x.md"]},
        log={"scene": 1, "type": "WORK"},
    )
    after = advance(one, change)
    vera = after.agents["vera"]
    assert vera.stream == (node(1), node(2))
    assert (vera.state.mood, vera.state.today_plan, vera.state.importance_accumulator) == ("wach", ("a", "b"), 7)
    assert after.agents["emre"] is one.agents["emre"]
    assert (after.clock.scenes_today, after.clock.artifacts_today, after.clock.day) == (1, ("x.md",), 1)
    assert after.log == (LogEntry(1, {"scene": 1, "type": "WORK"}),)


def test_an_empty_change_changes_nothing() -> None:
    one = world(agent("vera"), log=[entry(1, "WORK")])
    assert advance(one, Change(1)) == one


def test_the_world_keeps_a_bounded_number_of_days_in_mind() -> None:
    one = world(agent("vera"), log=[entry(day, "WORK") for day in range(1, 30)])
    after = advance(one, Change(30, log={"type": "WORK"}))
    assert [line.day for line in after.log] == list(range(30 - LOG_DAYS + 1, 31))


def test_threads_that_were_settled_long_ago_are_forgotten_when_a_day_is_opened_but_no_number_is() -> None:
    old, today = "day-002/scene-01", "day-020/scene-01"
    threads = (
        thread(1, touched=old),
        thread(2, touched=old, outcome="kept"),
        thread(3, touched=today, outcome="kept"),
        thread(4, touched=old, outcome="broken"),
    )
    one = replace(world(agent("vera"), day=20), threads=threads)
    assert advance(one, Change(20, clock={"time_of_day": "noon"})).threads == threads
    after = advance(one, Change(21, clock={"day": 21}))
    assert [item.number for item in after.threads] == [1, 3, 4]
    assert next_number(after) == 5
