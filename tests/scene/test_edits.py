"""What a person edits while a scene is being played stays as they made it."""

from __future__ import annotations

from dataclasses import replace

from gm.layers.relationships import RELATIONSHIPS, RelationshipChange
from gm.layers.soul import SOUL, Soul, SoulChange, SoulEntry
from gm.layers.working import WORKING, Page, PageChange
from gm.model.character import Agent
from gm.model.mind import Mind, MindChange
from gm.model.world import Change
from gm.scene.edits import Kept, yield_to_edits
from gm.scene.minds import advance_mind
from tests.build import agent, world

CHANGE = Change(
    1,
    agents={"vera": {"position": "garden", "mood": "wach", "importance_accumulator": 9}},
    clock={"studio_status": "Es regnet.", "scenes_today": 3},
)


def with_page(**values: object) -> Agent:
    return replace(agent("vera"), mind=Mind({WORKING.name: Page(values)}))


def test_where_nobody_has_edited_anything_a_change_lands_as_it_is() -> None:
    one = world(agent("vera"))
    assert yield_to_edits(one, one, CHANGE) == (CHANGE, ())


def test_a_value_of_a_character_that_a_person_edited_stays_and_the_rest_lands() -> None:
    yielded, kept = yield_to_edits(world(agent("vera")), world(agent("vera", at="roof")), CHANGE)
    assert yielded.agents == {"vera": {"mood": "wach", "importance_accumulator": 9}}
    assert yielded.clock == CHANGE.clock
    assert kept == (Kept("vera", "position", "garden", "roof"),)


def test_sums_are_never_a_persons_edit() -> None:
    yielded, kept = yield_to_edits(world(agent("vera")), world(agent("vera", accumulator=50)), CHANGE)
    assert (yielded, kept) == (CHANGE, ())


def test_the_status_of_the_world_that_a_person_edited_stays() -> None:
    before = world(agent("vera"))
    now = replace(before, clock=replace(before.clock, studio_status="Sonne.", scenes_today=7))
    yielded, kept = yield_to_edits(before, now, CHANGE)
    assert yielded.clock == {"scenes_today": 3}
    assert kept == (Kept("", "studio_status", "Es regnet.", "Sonne."),)


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
        Kept("vera", "known", ["neu"], ["von Hand"], "working"),
        Kept("vera", "note", None, "von Hand", "working"),
    )


def test_what_is_added_to_a_soul_and_taken_out_of_it_is_in_the_mind_afterwards() -> None:
    old, new = SoulEntry("fears", "Die Höhe."), SoulEntry("beliefs", "Steine reden.")
    mind = advance_mind(Mind({SOUL.name: Soul((old,))}), MindChange({SOUL.name: SoulChange((new,), (old,))}))
    assert mind[SOUL] == Soul((new,))
