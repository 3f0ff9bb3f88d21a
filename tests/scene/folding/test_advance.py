from __future__ import annotations

from dataclasses import replace

from gm.layers.relationships import RELATIONSHIPS, RelationshipChange
from gm.layers.soul import SOUL, Soul, SoulChange, SoulEntry
from gm.layers.working import WORKING, Page, PageChange
from gm.model.clock import Post
from gm.model.logged import LogEntry
from gm.model.mind import Mind, MindChange
from gm.model.world import LOG_DAYS, Agent, Change
from gm.scene.folding.advance import KeptEdit, advance, log_entry, yield_to_edits
from gm.scene.folding.minds import advance_mind
from gm.scene.threads.changes import next_number
from tests.build import agent, entry, node, post, scene, thread, world


def test_a_change_lands_in_clock_agents_streams_and_logbook() -> None:
    one = world(agent("vera", stream=[node(1)]), agent("emre"))
    change = Change(
        1,
        nodes={"vera": (node(2),)},
        agents={"vera": {"mood": "wach", "today_plan": ["a", "b"], "importance_accumulator": 7}},
        clock={"scenes_today": 1, "artifacts_today": ["x.md"]},
        log=LogEntry(1, {"scene": 1, "type": "WORK"}),
    )
    after = advance(one, change)
    vera = after.agents["vera"]
    assert vera.stream == (node(1), node(2))
    assert (vera.state.mood, vera.state.today_plan, vera.state.importance_accumulator) == ("wach", ("a", "b"), 7)
    assert after.agents["emre"] is one.agents["emre"]
    assert (after.clock.scenes_today, after.clock.artifacts_today, after.clock.day) == (1, ("x.md",), 1)
    assert after.log == (LogEntry(1, {"scene": 1, "type": "WORK"}),)


def test_what_is_hung_up_stands_last_on_the_board() -> None:
    one = world(agent("vera"), posts=[post()])
    old = one.posts[-1].index
    after = advance(one, Change(1, posts=(Post(0, "vera", "note", "Plan"), Post(0, "emre", "note", "Liste"))))
    assert [(item.index, item.author) for item in after.posts[-2:]] == [(old + 1, "vera"), (old + 2, "emre")]
    assert advance(world(agent("vera")), Change(1, posts=(Post(7, "vera", "note", "Plan"),))).posts[0].index == 0


def test_a_clock_time_that_was_agreed_stands_in_the_logbook() -> None:
    assert "clock" not in log_entry(scene("vera"), "", {}).record
    assert log_entry(replace(scene("vera"), clock="15:00"), "", {}).clock == "15:00"


def test_an_empty_change_changes_nothing() -> None:
    one = world(agent("vera"), log=[entry(1, "WORK")])
    assert advance(one, Change(1)) == one


def test_the_world_keeps_a_bounded_number_of_days_in_mind() -> None:
    one = world(agent("vera"), log=[entry(day, "WORK") for day in range(1, 30)])
    after = advance(one, Change(30, log=LogEntry(30, {"type": "WORK"})))
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


CHANGE = Change(
    1,
    agents={"vera": {"position": "garden", "mood": "wach", "importance_accumulator": 9}},
    clock={"studio_status": "Es regnet.", "scenes_today": 3},
)


def with_page(**values: object) -> Agent:
    return replace(agent("vera"), mind=Mind({WORKING.name: Page(values)}))


def test_where_nothing_was_edited_a_change_lands_as_it_is() -> None:
    one = world(agent("vera"))
    assert yield_to_edits(one, one, CHANGE) == (CHANGE, ())


def test_a_value_of_a_character_that_a_person_edited_stays_and_the_rest_lands() -> None:
    yielded, kept = yield_to_edits(world(agent("vera")), world(agent("vera", at="roof")), CHANGE)
    assert yielded.agents == {"vera": {"mood": "wach", "importance_accumulator": 9}}
    assert yielded.clock == CHANGE.clock
    assert kept == (KeptEdit("vera", "position", "garden", "roof"),)


def test_sums_are_never_a_persons_edit() -> None:
    yielded, kept = yield_to_edits(world(agent("vera")), world(agent("vera", accumulator=50)), CHANGE)
    assert (yielded, kept) == (CHANGE, ())


def test_the_status_of_the_world_that_a_person_edited_stays() -> None:
    before = world(agent("vera"))
    now = replace(before, clock=replace(before.clock, studio_status="Sonne.", scenes_today=7))
    yielded, kept = yield_to_edits(before, now, CHANGE)
    assert yielded.clock == {"scenes_today": 3}
    assert kept == (KeptEdit("", "studio_status", "Es regnet.", "Sonne."),)


def test_who_came_into_the_world_during_the_scene_has_nothing_that_was_edited() -> None:
    page, bond = PageChange({"known": ["neu"]}), RelationshipChange("emre", "day-001/scene-02", {})
    minds = {"vera": MindChange({WORKING.name: page, RELATIONSHIPS.name: (bond,)})}
    change = replace(CHANGE, minds=minds)
    yielded, kept = yield_to_edits(world(), world(with_page(known=["alt"])), change)
    assert (yielded, kept) == (change, ())


def test_keys_of_a_page_that_a_person_edited_stay_and_the_others_are_rewritten() -> None:
    before = world(with_page(known=["alt"], current_subgoal="Eins", note="x", gone="y"))
    now = world(with_page(known=["von Hand"], current_subgoal="Eins", note="von Hand", gone="y"))
    page = PageChange({"known": ["neu"], "current_subgoal": "Zwei"}, ("note", "gone"))
    yielded, kept = yield_to_edits(before, now, Change(1, minds={"vera": MindChange({WORKING.name: page})}))
    assert yielded.minds["vera"][WORKING] == PageChange({"current_subgoal": "Zwei"}, ("gone",))
    assert kept == (
        KeptEdit("vera", "known", ["neu"], ["von Hand"], "working"),
        KeptEdit("vera", "note", None, "von Hand", "working"),
    )


def test_what_is_added_to_a_soul_and_taken_out_of_it_is_in_the_mind_afterwards() -> None:
    old, new = SoulEntry("fears", "Die Höhe."), SoulEntry("beliefs", "Steine reden.")
    mind = advance_mind(Mind({SOUL.name: Soul((old,))}), MindChange({SOUL.name: SoulChange((new,), (old,))}))
    assert mind[SOUL] == Soul((new,))
