"""Plans of a day, their items, and what becomes of them."""

from dataclasses import replace

import pytest

from gm.base.config import CalendarSettings, Settings
from gm.model.clock import Post
from gm.model.logged import LogEntry
from gm.model.node import Node
from gm.model.scene import Scene
from gm.model.scene_reply import Plan, Talk
from gm.scene.dialogue.turns import Turn
from gm.scene.folding.apply import fold_scene
from gm.scene.ledger import Ledger
from gm.scene.planning.marks import bare, is_struck, state_of
from gm.scene.planning.plans import add_plan, item_of, list_undone, plan_items, plans_of_today, reasons_to_replan
from tests.build import agent, entry, never, node, plan, post, reply, scene, words, world

WORK = words("plan_work", text="")
TALK = words("plan_talk", name="Emre", about="")


@pytest.mark.parametrize("item", ["DONE: Turm", "DONE Turm", "MOVED: Turm", "DROPPED: Turm"])
def test_what_is_struck_off_is_no_longer_to_be_done(item: str) -> None:
    assert is_struck(item)
    assert not is_struck("Turm (MOVED: …)")


def test_a_time_of_day_stands_in_a_plan_in_the_words_of_the_world() -> None:
    made = Plan(work=["Turm"], talk_to=[Talk(to="emre", about="der Lauf", time=" Afternoon ")], importance=4)
    assert plan_items(world(agent("vera"), agent("emre")), made, words)[1] == words(
        "plan_talk", name="Emre", about=f"der Lauf ({words('time_afternoon')})"
    )


def test_when_where_and_after_what_a_talk_is_planned_is_kept_beside_its_text() -> None:
    talks = [
        Talk(to="Emre", about="der Lauf", time="15:00", place="flur", shows=1),
        Talk(to="Ole", about="Netze"),
    ]
    made = Plan(work=["Turm"], talk_to=talks, library="Gips", alone=True, importance=4)
    turn = Turn("vera", reply(plan=made))
    one = replace(world(agent("vera"), agent("emre")), has_library=True)
    change = fold_scene(one, scene("vera"), [turn], words, taken=never)
    items = [
        f"{WORK}Turm",
        words("plan_talk", name="Emre", about="der Lauf (15:00, flur)"),
        words("plan_talk", name="Ole", about="Netze"),
        words("plan_library", about="Gips"),
    ]
    assert change.agents["vera"]["today_plan"] == items
    (node,) = change.nodes["vera"]
    assert (node.metadata["alone"], node.metadata["items"]) == (
        True,
        [
            {"text": items[0], "kind": "work"},
            {"text": items[1], "kind": "talk", "with": "emre", "time": "15:00", "place": "flur", "shows": 1},
            {"text": items[2], "kind": "talk", "with": "Ole"},
            {"text": items[3], "kind": "library"},
        ],
    )


MADE = node(1, type="plan", metadata={"kind": "plan"})


def changed(*items: str, stream: list[Node], old: list[str]) -> Node:
    """Let Vera change a plan; gives the memory of the new one."""
    one = world(agent("vera", plan=old, stream=stream), agent("emre"))
    said = Turn("vera", reply(plan=plan(*items)))
    (made,) = fold_scene(one, scene("vera", at="day-001/scene-04"), [said], words, taken=never).nodes["vera"]
    return made


def test_the_memory_of_a_changed_plan_names_what_it_leaves_out_of_the_day() -> None:
    old = [f"DONE: {WORK}Brot", f"{WORK}Turm", f"{TALK}der Turm"]
    made = changed("Turm", "Neues", stream=[MADE], old=old)
    assert made.metadata == {"kind": "replan", "instead": [f"DONE: {WORK}Brot", f"{TALK}der Turm"]}
    again = changed("Neues", stream=[MADE, made], old=[f"{WORK}Turm", f"{WORK}Neues"])
    assert again.metadata["instead"] == [f"DONE: {WORK}Brot", f"{TALK}der Turm", f"{WORK}Turm"]
    assert "instead" not in changed("Turm", stream=[MADE], old=[f"{WORK}Turm"]).metadata


def test_a_talk_with_one_who_is_away_is_left_out_of_a_plan() -> None:
    away = CalendarSettings(away=({"who": "emre", "days": [1, None]}, {"who": "finn", "day": 1, "how": "remote"}))
    cast = (agent("vera"), agent("emre"), agent("finn"))
    one = world(*cast, settings=Settings(calendar=away))
    made = plan("Turm", talk_to=[("Emre", "der Lauf"), ("Finn", "Brot")], importance=4)
    change = fold_scene(one, scene("vera"), [Turn("vera", reply(plan=made))], words, taken=never)
    assert change.agents["vera"]["today_plan"] == [f"{WORK}Turm", words("plan_talk", name="Finn", about="Brot")]
    assert change.nodes["vera"][0].tags == ("plan", "finn")
    assert change.warnings == ("vera: plans to talk to 'Emre', who is away; left out",)


def test_yesterdays_plan_is_left_out_of_nothing_and_a_strange_list_is_none() -> None:
    assert "instead" not in changed("Neues", stream=[], old=[f"{WORK}Turm"]).metadata
    strange = node(2, type="plan", metadata={"kind": "replan", "instead": "Turm"})
    vera = agent("vera", plan=["Turm"], stream=[MADE, strange])
    assert list_undone(world(vera), vera, ["Turm"]) == ()


def test_only_memories_of_todays_plan_say_what_the_list_says() -> None:
    own = node(2, type="plan", tags=["plan"])  # an intention that Vera tagged so
    replan = node(3, type="plan", metadata={"kind": "replan"})
    one = agent("vera", plan=["Turm"], stream=[MADE, own, replan])
    assert plans_of_today(world(one), one) == (MADE, replan)
    assert plans_of_today(world(one, day=2), one) == ()
    cleared = agent("vera", stream=[MADE, replan])
    assert plans_of_today(world(cleared), cleared) == (), "without a list they are all that is left of the plan"


def test_an_item_is_known_by_its_number_done_or_not() -> None:
    items = ["DONE: Brot", "Turm", "MOVED: Asche", "DROPPED: Wind", "DONE Salz"]
    assert [item_of(items, text) for text in ("Brot", "Turm", "DONE: Turm", "Wind", "Glut", "")] == [1, 2, 2, 4, 0, 0]
    assert [bare(item) for item in items] == ["Brot", "Turm", "Asche", "Wind", "Salz"]
    assert [state_of(item) for item in items] == ["done", "", "moved", "dropped", "done"]


PLAN = ["Arbeiten an: Knochentürme"]
NEXT = scene("vera", at="day-001/scene-09")
ARRIVAL = entry(1, "ARRIVAL", "vera", "emre")
BROUGHT = [{"post": "bulletin/0", "text": "Mehr Asche!"}]


def asked(*log: LogEntry, next: Scene = NEXT) -> list[str]:
    one = world(agent("vera", plan=PLAN), agent("emre"), posts=[post("Mehr Asche!")], log=log)
    return [reason.phrase for reason in reasons_to_replan(one, one.agents["vera"], next)]


def test_a_brief_that_was_put_up_after_the_plan_is_asked_about_in_any_next_scene() -> None:
    assert asked(ARRIVAL) == ["replan_brief"], "nobody has heard of it yet; the coming scene brings it"
    assert asked(ARRIVAL, entry(1, "WORK", "emre", scene=2, delivered=BROUGHT)) == ["replan_brief"], "without Vera"
    taken_up = entry(1, "MEETING", "emre", scene=2, delivered=BROUGHT, answers=["bulletin/0"])
    assert asked(ARRIVAL, taken_up) == ["replan_brief"], "others have talked about it without Vera"


def test_a_brief_that_was_asked_about_is_not_asked_about_again() -> None:
    heard = entry(1, "WORK", "vera", scene=2, delivered=BROUGHT)
    assert asked(ARRIVAL, heard) == []
    assert asked(ARRIVAL, heard, entry(1, "MEETING", "vera", scene=3, answers=["bulletin/0"])) == []
    assert asked(entry(1, "ARRIVAL", "vera", delivered=BROUGHT)) == [], "the plan was made in its sight"


def test_a_scene_that_is_about_a_brief_does_not_ask_before_it_has_been_talked_about() -> None:
    about = scene("vera", type="MEETING", at="day-001/scene-02", answers=("bulletin/0",))
    assert asked(ARRIVAL, next=about) == []
    taken_up = entry(1, "MEETING", "vera", scene=2, delivered=BROUGHT, answers=["bulletin/0"])
    assert asked(ARRIVAL, taken_up) == ["replan_brief"]
    assert asked(entry(1, "ARRIVAL", "vera", delivered=BROUGHT), taken_up) == ["replan_brief"], (
        "as for a plan before it"
    )


def test_a_reflection_asks_nothing_and_hides_nothing() -> None:
    taken_up = entry(1, "MEETING", "vera", scene=2, delivered=BROUGHT, answers=["bulletin/0"])
    assert asked(ARRIVAL, taken_up, entry(1, "REFLECTION", "vera", scene=3)) == ["replan_brief"]


def test_a_new_plan_answers_what_came_before_it_and_nothing_later() -> None:
    new = node(1, type="plan", metadata={"kind": "replan"})
    planned = entry(1, "WORK", "vera", scene=2, memories=[{"agent": "vera", "id": "vera-001"}])
    one = world(agent("vera", plan=PLAN, stream=[new]), posts=[post()], log=[ARRIVAL, planned])
    assert [reason.phrase for reason in reasons_to_replan(one, one.agents["vera"], NEXT)] == ["replan_brief"]


def test_a_brief_that_the_last_scene_took_up_may_change_the_plan() -> None:
    one = world(
        agent("vera", plan=PLAN), posts=[post("Mehr Asche!")], log=[entry(1, "MEETING", "vera", answers=["bulletin/0"])]
    )
    (reason,) = reasons_to_replan(one, one.agents["vera"], NEXT)
    assert (reason.part, reason.phrase) == ("brief", "replan_brief")
    assert reason.values == {"author": "Creative Director", "text": "Mehr Asche!"}


def test_a_brief_is_asked_about_once() -> None:
    log = [entry(1, "MEETING", "vera", answers=["bulletin/0"]), entry(1, "WORK", "vera", scene=2)]
    one = world(agent("vera", plan=PLAN), posts=[post()], log=log)
    assert reasons_to_replan(one, one.agents["vera"], NEXT) == ()


def test_what_happened_to_others_or_yesterday_changes_nothing() -> None:
    for log in (
        [entry(1, "MEETING", "emre", answers=["bulletin/0"])],
        [entry(0, "MEETING", "vera", answers=["bulletin/0"])],
    ):
        one = world(agent("vera", plan=PLAN), posts=[post()], log=log)
        assert reasons_to_replan(one, one.agents["vera"], NEXT) == ()


def test_later_scenes_of_others_do_not_hide_ones_own_last_scene() -> None:
    log = [entry(1, "MEETING", "vera", answers=["bulletin/0"]), entry(1, "WORK", "emre", scene=2)]
    one = world(agent("vera", plan=PLAN), posts=[post()], log=log)
    assert len(reasons_to_replan(one, one.agents["vera"], NEXT)) == 1


def test_who_has_no_plan_has_none_to_change() -> None:
    one = world(agent("vera"), posts=[post()], log=[entry(1, "MEETING", "vera", answers=["bulletin/0"])])
    assert reasons_to_replan(one, one.agents["vera"], NEXT) == ()


def test_a_post_of_a_colleague_is_no_brief() -> None:
    log = [entry(1, "MEETING", "vera", answers=["bulletin/0"])]
    one = world(agent("vera", plan=PLAN), agent("emre"), posts=[post(author="emre")], log=log)
    assert reasons_to_replan(one, one.agents["vera"], NEXT) == ()


def test_another_characters_work_that_touches_the_plan_may_change_it() -> None:
    log = [entry(1, "WORK", "emre", "vera", artifacts=["gallery/a/x.md"])]
    made = node(1, tags=["emre"], metadata={"artifact_path": "gallery/a/x.md", "title": "Knochenturm"}, description="…")
    one = world(agent("vera", plan=PLAN, stream=[made]), agent("emre"), log=log)
    (reason,) = reasons_to_replan(one, one.agents["vera"], NEXT)
    assert (reason.part, reason.phrase) == ("artifact", "replan_artifact")
    assert reason.values == {"title": "Knochenturm", "maker": one.agents["emre"].call_name}


def test_work_about_something_else_and_work_of_ones_own_change_nothing() -> None:
    log = [entry(1, "WORK", "emre", "vera", artifacts=["gallery/a/x.md"])]
    where = {"artifact_path": "gallery/a/x.md"}
    for known in (
        node(1, tags=["emre"], metadata={**where, "title": "Stundenwind"}, description="Knochentürme"),
        node(1, type="artifact", metadata={**where, "title": "Knochenturm"}),
        node(1),
    ):
        one = world(agent("vera", plan=PLAN, stream=[known]), log=log)
        assert reasons_to_replan(one, one.agents["vera"], NEXT) == ()


def test_an_older_brief_is_asked_about_by_characters_that_others_named_over_it() -> None:
    said = [{"agent": "emre", "text": "Vera, der Turm ist deine Sache."}, {"agent": "vera", "text": "Finn auch?"}]
    log = [entry(2, "MEETING", "vera", "emre", "finn", answers=["bulletin/0"], dialogue=said)]
    cast = [agent(name, plan=PLAN) for name in ("vera", "emre", "finn")]
    one = world(*cast, day=2, posts=[post(day=1)], log=log)
    asked = {name: [reason.phrase for reason in reasons_to_replan(one, one.agents[name], NEXT)] for name in one.agents}
    assert asked == {"vera": ["replan_talked"], "emre": [], "finn": ["replan_talked"]}


def test_the_name_of_a_maker_in_the_plan_is_not_their_work() -> None:
    log = [entry(1, "WORK", "emre", "vera", artifacts=["gallery/a/x.md"])]
    seen = node(1, tags=["darius"], metadata={"artifact_path": "gallery/a/x.md", "title": "Erdgeschoss"})
    one = world(agent("vera", plan=["Mit Darius sprechen: Krepp"], stream=[seen]), agent("darius"), log=log)
    assert reasons_to_replan(one, one.agents["vera"], NEXT) == ()


def test_what_is_done_is_not_planned_any_more() -> None:
    log = [entry(1, "WORK", "emre", "vera", artifacts=["gallery/a/x.md"])]
    seen = node(1, tags=["emre"], metadata={"artifact_path": "gallery/a/x.md", "title": "Knochenturm"})
    one = world(agent("vera", plan=["DONE: Arbeiten an: Knochentürme"], stream=[seen]), agent("emre"), log=log)
    assert reasons_to_replan(one, one.agents["vera"], NEXT) == ()


def test_who_made_a_new_plan_in_that_scene_is_not_asked_again() -> None:
    log = [entry(1, "MEETING", "vera", answers=["bulletin/0"], memories=[{"agent": "vera", "id": "vera-001"}])]
    new = node(1, type="plan", metadata={"kind": "replan"})
    one = world(agent("vera", plan=PLAN, stream=[new]), posts=[post()], log=log)
    assert reasons_to_replan(one, one.agents["vera"], NEXT) == ()


def test_feedback_on_a_piece_that_one_may_not_know_of_is_no_reason() -> None:
    path = "gallery/a/day-001_x_v1.md"
    feedback = Post(0, "Creative Director", "feedback", "Zu glatt.", 1, artifact=path)
    made = {"artifact_path": path, "title": "X", "audience": ["emre", "finn"]}
    emre = agent("emre", plan=PLAN, stream=[node(1, agent="emre", type="artifact", metadata=made)])
    one = world(emre, agent("vera", plan=PLAN), log=[entry(1, "ARRIVAL", "emre", "vera")], posts=[feedback])
    reasons = {name: [item.phrase for item in reasons_to_replan(one, one.agents[name], NEXT)] for name in one.agents}
    assert reasons == {"emre": ["replan_brief"], "vera": []}


def test_a_talk_to_all_stands_in_the_plan_as_one() -> None:
    one = world(agent("vera"), agent("emre"))
    made = Plan(work=["den Turm"], talk_to=[Talk(to="All", about="der Wochenplan", time="09:30", place="flur")])
    assert plan_items(one, made, words)[1] == "<plan_talk> name=<plan_everyone> about=der Wochenplan (09:30, flur)"
    plain = Plan(work=["den Turm"], talk_to=[Talk(to="all", about="der Wochenplan")])
    ledger = Ledger(one, "day-001/scene-01")
    add_plan(ledger, scene("vera"), "vera", plain, words)
    (planned,) = ledger.nodes["vera"]
    details = planned.metadata["items"]
    assert isinstance(details, list)
    assert details[1]["with"] == "all"


def test_a_plan_names_the_days_it_means() -> None:
    made = Plan(work=["bis morgen den Turm"], talk_to=[])
    assert plan_items(world(agent("vera")), made, words) == ("<plan_work> text=bis Dienstag den Turm",)
