from dataclasses import replace

from gm.layers.soul import SOUL, SoulChange, SoulEntry
from gm.memory.importance import Ratings
from gm.model.consulted import Consulted
from gm.model.layer_replies import SoulEdit
from gm.model.solo_replies import Insight, ReflectionReply
from gm.model.world import World
from gm.scene.folding.conclude import Reflected, fold_reflection
from tests.build import agent, insights, node, scene, words, world

EVENING = scene("vera", type="REFLECTION", at="day-002/scene-07", time="evening")


def tired_world() -> World:
    stream = [node(1), node(2), node(3, type="reflection", depth=1)]
    return world(agent("vera", accumulator=120, last_reflection="vera-003", stream=stream), agent("emre"))


def test_a_reflection_resets_the_accumulator_and_remembers_where_it_ended() -> None:
    change = fold_reflection(tired_world(), EVENING, Reflected(insights("Eins.", "Zwei.", mood="still")), words)
    assert change.agents == {"vera": {"importance_accumulator": 0, "last_reflection": "vera-005", "mood": "still"}}


def test_insights_lie_one_above_what_they_rest_on() -> None:
    lived = fold_reflection(
        tired_world(), EVENING, Reflected(insights("Eins.", evidence=["vera-001", "vera-002"])), words
    )
    deeper = fold_reflection(
        tired_world(), EVENING, Reflected(insights("Eins.", evidence=["vera-003", "vera-001"])), words
    )
    nothing = fold_reflection(tired_world(), EVENING, Reflected(insights("Eins.", evidence=["vera-777"])), words)
    assert [change.nodes["vera"][0].depth for change in (lived, deeper, nothing)] == [1, 2, 1]
    assert nothing.nodes["vera"][0].evidence == ()
    assert nothing.warnings == ("vera: evidence 'vera-777' does not exist and was dropped",)


def test_insights_are_nodes_of_the_one_who_reflects_and_of_this_scene() -> None:
    change = fold_reflection(tired_world(), EVENING, Reflected(insights("Eins.", "Zwei.")), words)
    assert set(change.nodes) == {"vera"}
    assert [(n.id, n.type, n.created) for n in change.nodes["vera"]] == [
        ("vera-004", "reflection", "day-002/scene-07"),
        ("vera-005", "reflection", "day-002/scene-07"),
    ]


def test_insights_of_one_reflection_do_not_rest_on_each_other() -> None:
    change = fold_reflection(
        tired_world(), EVENING, Reflected(insights("Eins.", "Zwei.", evidence=["vera-004", "vera-001"])), words
    )
    assert [(n.evidence, n.depth) for n in change.nodes["vera"]] == [(("vera-001",), 1)] * 2
    assert len(change.warnings) == 2


def test_more_insights_than_allowed_are_dropped_with_a_warning() -> None:
    change = fold_reflection(tired_world(), EVENING, Reflected(insights(*"ABCDEFG")), words)
    assert [n.description for n in change.nodes["vera"]] == [*"ABCDE"]
    assert change.warnings == ("vera: 2 insights above 5 were dropped",)


def test_a_reflection_is_a_scene_of_the_logbook() -> None:
    change = fold_reflection(tired_world(), EVENING, Reflected(insights("Eins.", thoughts="Still.")), words)
    log = change.line.record
    assert (log["scene"], log["type"], log["participants"]) == (7, "REFLECTION", ["vera"])
    assert log["memories"] == [{"agent": "vera", "id": "vera-004", "importance": 7}]
    assert log["thoughts"] == [{"agent": "vera", "text": "Still."}]
    assert log["turns"] == [{"agent": "vera", "round": 1, "thought": "Still."}]
    assert change.clock["scenes_today"] == 1
    assert "mood" not in change.agents["vera"], "none was given"


def test_the_logbook_keeps_what_an_insight_was_asked_to_be_about() -> None:
    for angle, kept in (("was komisch war", {"angle": "was komisch war"}), ("", {})):
        change = fold_reflection(tired_world(), EVENING, Reflected(insights("Eins."), angle=angle), words)
        assert {key: value for key, value in change.line.record.items() if key == "angle"} == kept


def test_an_insight_without_importance_is_rated_by_rule_or_by_what_it_was_rated() -> None:
    reply = ReflectionReply(insights=[Insight(description="Es  wiederholt sich.", evidence=["vera-001"])])
    (ruled,) = fold_reflection(tired_world(), EVENING, Reflected(reply), words).nodes["vera"]
    assert (ruled.importance, ruled.metadata) == (3, {"importance_by": "heuristic"})
    ratings = Ratings("llm", {("vera", "Es wiederholt sich."): 8})
    (rated,) = fold_reflection(tired_world(), EVENING, Reflected(reply), words, ratings=ratings).nodes["vera"]
    assert (rated.importance, rated.metadata) == (8, {"importance_by": "llm"})


def test_who_changes_its_soul_or_asks_for_self_care_while_it_looks_back_is_heard() -> None:
    edit = SoulEdit.model_validate({"add": [{"kind": "value", "text": "Geduld."}]})
    before = replace(tired_world(), settings=replace(tired_world().settings, soul="on"))
    called = (Consulted("add_to_soul", {}, "{}", soul=(edit,)), Consulted("self_care", {}, "{}", care=True))
    change = fold_reflection(before, EVENING, Reflected(insights("Eins."), consulted=called), words)
    (name,) = EVENING.cast
    assert change.minds[name][SOUL] == SoulChange(added=(SoulEntry("values", "Geduld."),))
    assert change.agents[name]["care_wanted"] is True
    assert "care_wanted" not in fold_reflection(before, EVENING, Reflected(insights("Eins.")), words).agents[name]
