"""What a day left undone is remembered in the evening."""

from dataclasses import replace

import pytest

from gm.model.node import Node
from gm.model.scene_reply import ItemReport
from gm.model.thread import Thread
from gm.model.world import Change, World
from gm.scene.evening.dusk import dusk, is_of_dusk, missed_on, said_by_plan
from gm.scene.evening.nightfall import close_day
from gm.scene.folding.advance import advance
from tests.build import agent, entry, node, thread, words, world

WORK = words("plan_work", text="")
MADE = node(1, type="plan", metadata={"kind": "plan"})
PLAYED = [entry(1, "WORK", "vera", "emre", scene=4)]


def evening(*threads: Thread, plan: tuple[str, ...] = (), stream: tuple[Node, ...] = (MADE,)) -> World:
    """The end of a day on which Vera made a plan, and Emre none."""
    vera = agent("vera", plan=plan, stream=list(stream))
    return replace(world(vera, agent("emre"), agent("finn"), log=PLAYED), threads=threads)


def fallen(one: World) -> Change:
    change = dusk(one, words)
    assert change is not None
    return change


def appointment(*to: str, **others: object) -> Thread:
    values: dict[str, object] = {"kind": "appointment", "text": "der Lauf", "due": 1, "time": "15:00", "place": "flur"}
    return thread(1, "emre", *to, **{**values, **others})


def test_an_appointment_that_came_to_nothing_is_closed_and_each_of_its_people_remembers_it() -> None:
    change = fallen(evening(appointment("vera", "ghost")))
    (event,) = change.threads
    assert (event.id, event.event, event.by, event.outcome) == ("thread-001", "close", "gm", "missed")
    assert event.at == "day-001"
    found = {name: nodes[0] for name, nodes in change.nodes.items()}
    assert sorted(found) == ["emre", "vera"]
    assert (found["vera"].type, found["vera"].importance, found["vera"].tags) == ("observation", 5, ("emre",))
    assert found["vera"].metadata == {"kind": "missed", "thread": "thread-001", "importance_by": "gm"}
    assert found["vera"].created == "day-001/scene-04"
    assert found["vera"].description == (
        "<appointment_missed> others=['Emre'] day=1 weekday=Montag time= clock=15:00 place=flur text=der Lauf"
    )
    assert change.agents["vera"] == {"importance_accumulator": 5}
    assert change.log is None


def test_a_time_of_day_is_said_in_words() -> None:
    change = fallen(evening(appointment("vera", time="noon")))
    assert "time=<time_noon> clock= place=flur" in change.nodes["vera"][0].description


@pytest.mark.parametrize(
    "others",
    [{"due": 2}, {"due": None}, {"outcome": "kept"}, {"kind": "question"}],
    ids=["tomorrow", "no day", "held", "no appointment"],
)
def test_what_is_not_due_or_is_settled_is_not_missed(others: dict[str, object]) -> None:
    assert dusk(evening(appointment("vera", **others)), words) is None


def test_an_appointment_of_a_day_that_is_over_is_missed_too() -> None:
    one = evening(appointment("vera"))
    later = replace(one, clock=replace(one.clock, day=2))
    assert "day=1" in fallen(later).nodes["vera"][0].description


def test_what_is_open_on_todays_plan_and_owed_today_is_remembered_in_one_sentence() -> None:
    plan = (f"{WORK}Die Karten auf die Treppe kleben", f"DONE: {WORK}Brot", "Mit Emre sprechen: Gips")
    threads = (
        thread(1, "vera", "emre", text="Ich werde die Karten an die Treppe kleben.", due=1),
        thread(2, "vera", "emre", text="Ich bringe den Leim.", due=1),
        thread(3, "vera", "emre", text="Später.", due=2),
        thread(4, "vera", "emre", text="Früher.", due=0),
        thread(5, "emre", "vera", text="Emre bringt Gips.", due=1),
        thread(6, "vera", "emre", text="Wann?", kind="question", due=1),
    )
    change = close_day(evening(*threads, plan=plan), words)
    (left,) = change.nodes["vera"]
    assert left.description == (
        "<plan_left> day=1 weekday=Montag items=['Die Karten auf die Treppe kleben'] promises=[]"
    )
    assert (left.importance, left.tags) == (3, ("plan",))
    assert left.metadata == {"kind": "plan-left", "importance_by": "gm"}
    (owed,) = change.nodes["emre"]
    assert owed.description == "<plan_left> day=1 weekday=Montag items=[] promises=['Emre bringt Gips']"


def test_what_is_said_in_the_evening_to_be_done_or_dropped_is_not_remembered_as_left() -> None:
    threads = (thread(1, "vera", "emre", text="Ich bringe den Leim.", due=1, outcome="kept"),)
    said = [
        ItemReport(item=1, status="done"),
        ItemReport(item=2, status="moved"),
        ItemReport(item=3, status="dropped"),
    ]
    change = close_day(evening(*threads, plan=("Turm", "Brot", "Gips")), words, {"vera": said})
    (left,) = change.nodes["vera"]
    assert left.description == "<plan_left> day=1 weekday=Montag items=['Brot'] promises=[]"
    assert change.agents["vera"]["today_plan"] == ["DONE: Turm", "MOVED: Brot", "DROPPED: Gips"]
    all_over = [ItemReport(item=number, status="done") for number in (1, 2, 3)]
    assert "vera" not in close_day(evening(plan=("Turm", "Brot", "Gips")), words, {"vera": all_over}).nodes


@pytest.mark.parametrize(
    ("item", "left"),
    [
        (
            f"{WORK}Die Karten auf die Treppe vor dem Zeichenraum kleben, jede zweite Stufe, bis sechs; sonst morgen",
            "Die Karten auf die Treppe vor dem Zeichenraum kleben, jede zweite Stufe, bis sechs",
        ),
        (
            words("plan_talk", name="Emre", about="Wer die Tür hält: Ich bringe sie (mittags, flur)"),
            words("plan_talk", name="Emre", about="Wer die Tür hält"),
        ),
    ],
)
def test_an_item_is_remembered_by_its_head_never_broken_off(item: str, left: str) -> None:
    change = close_day(evening(plan=(item, "Turm")), words)
    assert f"items=['{left}'] " in change.nodes["vera"][0].description


def test_what_one_was_at_is_over_with_the_day() -> None:
    one = evening(plan=("Turm",))
    busy = agent("emre", task="die Uhr stellen")
    change = close_day(replace(one, agents={**one.agents, "emre": busy}), words)
    assert change.agents["emre"] == {"current_task": ""}
    assert "current_task" not in change.agents["vera"]


def test_a_list_of_another_day_is_not_what_was_left_of_this_one() -> None:
    assert close_day(evening(plan=("Turm",), stream=()), words).nodes == {}
    assert close_day(evening(plan=(f"DONE: {WORK}Turm",)), words).nodes == {}


def test_dusk_falls_once() -> None:
    one = evening(appointment("vera"), plan=("Turm",))
    assert dusk(advance(one, fallen(one)), words) is None


def test_the_summary_of_a_day_lists_what_was_formed_at_dusk_and_what_came_of_the_plans() -> None:
    one = evening(appointment("vera"), plan=("Turm", "DONE: Brot"))
    after = advance(one, fallen(one))
    change = close_day(after, words)
    log = change.line.record
    assert log["missed"] == ["thread-001"]
    assert log["plans"] == {"vera": [{"text": "Turm", "status": "moved"}, {"text": "Brot", "status": "done"}]}
    assert [(item["agent"], item["importance"]) for item in log["memories"]] == [("emre", 5), ("vera", 5), ("vera", 3)]
    assert change.agents["vera"]["today_plan"] == ["MOVED: Turm", "DONE: Brot"]
    assert "emre" not in change.agents
    closed = advance(after, change)
    assert missed_on(closed, 1) == ["thread-001"]
    assert missed_on(closed, 2) == []


def left(number: int, day: int) -> Node:
    return node(number, created=f"day-{day:03d}/scene-05", metadata={"kind": "plan-left"})


def test_beside_the_list_of_today_nothing_says_what_it_says() -> None:
    today, yesterday = left(4, 2), left(2, 1)
    plan = node(3, type="plan", created="day-002/scene-01", metadata={"kind": "plan"})
    stream = [MADE, yesterday, plan, today]
    vera = agent("vera", plan=["Turm"], stream=stream)
    assert said_by_plan(world(vera, day=2), vera, stream) == {"vera-001", "vera-003", "vera-004"}
    assert said_by_plan(world(vera, day=2), vera, [MADE]) == {"vera-003"}, "what was left of it is not shown"
    nothing = agent("vera", stream=stream)
    assert said_by_plan(world(nothing, day=2), nothing, stream) == {"vera-001", "vera-002", "vera-003"}
    later = agent("vera", plan=["Turm"], stream=[*stream, node(5, type="plan", metadata={"kind": "plan"})])
    assert said_by_plan(world(later, day=3), later, stream) == {"vera-001", "vera-002", "vera-003"}, "the last is shown"


def test_only_memories_of_dusk_are_of_dusk() -> None:
    assert is_of_dusk(left(1, 1))
    assert is_of_dusk(node(1, metadata={"kind": "missed"}))
    assert not is_of_dusk(node(1, metadata={"kind": "lesson"}))
