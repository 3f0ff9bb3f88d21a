from __future__ import annotations

from typing import Any

import pytest

from gm.base.config import DecaySettings
from gm.memory.recall.query import Query
from gm.memory.recall.scored import Fading, Strength, half_life, retained_share
from tests.build import node
from tests.memory.recall.asking import asked, numbers

SETTINGS = DecaySettings(half_life_days=10, importance=3, emotional=2, goal=2, recall=0.5, floor=0.1)


def test_a_memory_fades_by_half_in_its_half_life_and_never_below_the_floor() -> None:
    assert retained_share(0, 10, 0.1) == 1
    assert retained_share(10, 10, 0.1) == pytest.approx(0.55)
    assert retained_share(10_000, 10, 0.1) == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("importance", "times", "emotional", "goal", "days"),
    [
        (1, 0, False, False, 10),
        (10, 0, False, False, 40),
        (4, 0, False, False, 20),
        (1, 1, False, False, 15),
        (1, 3, False, False, 20),
        (1, 0, True, False, 20),
        (1, 0, False, True, 20),
        (10, 3, True, True, 320),
        (99, 0, False, False, 40),
        (-5, 0, False, False, 10),
    ],
)
def test_what_is_important_recalled_felt_or_wanted_lasts_longer(
    importance: int, times: int, emotional: bool, goal: bool, days: float
) -> None:
    assert half_life(importance, times, SETTINGS, emotional=emotional, goal=goal) == pytest.approx(days)


def test_only_what_happened_before_a_day_counts_on_it() -> None:
    strength = Strength({0: 2, 3: 1}, {3: 4, 5: 1})
    assert strength.before(3) == (2, 0)
    assert strength.before(4) == (7, 3)
    assert strength.before(9) == (8, 5)
    assert strength.reinforcements == 3
    assert Strength().before(9) == (0, 0)


FAST = DecaySettings(enabled=True, weight=1.0, half_life_days=2, importance=0, floor=0)
TOWER = tuple(
    node(number, description="Der Turm steht.", created=f"day-00{day}/scene-01", importance=5)
    for number, day in ((1, 1), (2, 1), (3, 8))
)
TODAY = Query("Turm", day=9)


def fading(**strengths: Strength) -> Fading:
    return Fading(FAST, {key.replace("_", "-"): value for key, value in strengths.items()})


@pytest.mark.parametrize("strategy", ["scored", "hybrid"])
def test_without_decay_nothing_is_another_than_it_was(strategy: str) -> None:
    plain = asked(TOWER, TODAY, strategy, signals={})
    weightless = Fading(DecaySettings(enabled=True, weight=0.0), {})
    assert asked(TOWER, TODAY, strategy, signals={}, fading=None) == plain
    assert [hit.score for hit in asked(TOWER, TODAY, strategy, signals={}, fading=weightless).hits] == [
        hit.score for hit in plain.hits
    ]
    assert all("retention" not in hit.parts for hit in plain.hits)


def test_what_is_old_and_was_never_needed_comes_last() -> None:
    assert numbers(asked(TOWER, TODAY, signals={})) == [1, 2, 3]
    assert numbers(asked(TOWER, TODAY, signals={}, fading=fading())) == [3, 1, 2]


def test_what_was_recalled_fades_more_slowly_and_from_that_day_on() -> None:
    found = asked(TOWER, TODAY, signals={}, fading=fading(vera_002=Strength({}, {8: 1})))
    assert numbers(found) == [2, 3, 1]
    hit = found.hits[0]
    # the eighth day ended one day ago; one recall makes the half-life of two days three
    assert hit.parts["retention"] == pytest.approx(0.5 ** (1 / 3), abs=1e-4)
    assert hit.score == pytest.approx(1 + hit.parts["fading"], abs=1e-4)


def test_what_happens_in_the_course_of_a_day_counts_from_the_next_one_on() -> None:
    kept = fading(vera_001=Strength({9: 5}, {9: 5}))
    playing = Query("Turm", day=9, scene=2)
    assert [hit.score for hit in asked(TOWER, playing, signals={}, fading=kept).hits] == [
        hit.score for hit in asked(TOWER, playing, signals={}, fading=fading()).hits
    ]
    assert numbers(asked(TOWER, Query("Turm", day=10, scene=1), signals={}, fading=kept))[0] == 1


def test_emotional_memories_and_those_of_a_goal_last_longer() -> None:
    nodes = (
        node(1, description="Der Turm steht."),
        node(2, description="Der Turm steht.", metadata={"kind": "emotional"}),
        node(3, description="Der Turm steht.", tags=("Ziel",)),
        node(4, description="Der Turm steht.", type="plan"),
    )
    by_number = {hit.entry.id: hit.parts["retention"] for hit in asked(nodes, TODAY, signals={}, fading=fading()).hits}
    assert by_number["vera-002"] == by_number["vera-003"] == by_number["vera-004"] > by_number["vera-001"]


def test_other_strategies_do_not_fade() -> None:
    assert numbers(asked(TOWER, TODAY, "recent", fading=fading())) == [3, 2, 1]
    assert asked(TOWER, TODAY, "recent", fading=fading()) == asked(TOWER, TODAY, "recent")


def test_the_best_of_many_are_found_as_if_all_had_been_weighed() -> None:
    nodes = tuple(
        node(number, description="Der Turm steht." + " Es regnet." * (number % 3), created=f"day-{number:03d}/scene-01")
        for number in range(1, 60)
    )
    query = Query("Turm Regen", day=60)
    whole = asked(nodes, query, fading=fading(), most=59)
    assert numbers(asked(nodes, query, fading=fading(), most=5)) == numbers(whole)[:5]


def test_a_question_without_a_day_is_asked_after_the_last_memory() -> None:
    hits = {hit.entry.id: hit for hit in asked(TOWER, "Turm", signals={}, fading=fading()).hits}
    assert hits["vera-003"].parts["retention"] == 1
    assert hits["vera-001"].parts["retention"] == pytest.approx(0.5 ** (7 / 2), abs=1e-4)


def test_nothing_fades_where_nothing_is_remembered() -> None:
    assert asked((), "Turm", signals={}, fading=fading()).hits == ()


def test_the_scenes_of_a_day_are_parts_of_it_and_the_question_has_its_place_among_them() -> None:
    nodes = (
        node(1, description="Der Turm steht.", created="day-001/scene-01", importance=5),
        node(2, description="Der Turm steht.", created="day-001/scene-02", importance=5),
        node(3, description="Der Turm steht.", created="day-001/scene-04", importance=5),
    )

    def retained(query: Query, **strengths: Strength) -> list[float]:
        hits = asked(nodes, query, signals={}, fading=fading(**strengths)).hits
        return [hit.parts["retention"] for hit in sorted(hits, key=lambda hit: hit.entry.id)]

    def half(days: float) -> Any:
        return pytest.approx(0.5 ** (days / 2), abs=1e-4)

    assert retained(Query("Turm")) == [half(0.75), half(0.5), half(0)]
    assert retained(Query("Turm", day=1, scene=3)) == [half(0.5), half(0.25), half(0)]
    assert retained(Query("Turm", day=1, scene=8)) == [half(0.875), half(0.75), half(0.5)]
    assert retained(Query("Turm", day=3, scene=2)) == [half(2.75), half(2.5), half(2)]
    assert retained(Query("Turm", day=3)) == [half(2.75), half(2.5), half(2)]


def test_what_a_day_did_to_a_memory_counts_from_the_next_day_on() -> None:
    used = {"vera_001": Strength({}, {9: 1})}

    def first(query: Query) -> float:
        hits = asked(TOWER, query, signals={}, fading=fading(**used)).hits
        return next(hit.parts["retention"] for hit in hits if hit.entry.id == "vera-001")

    untouched = pytest.approx(0.5 ** (7.5 / 2), abs=1e-4)
    assert first(Query("Turm", day=9, scene=1)) != first(Query("Turm", day=9))
    assert first(Query("Turm", day=9, scene=1)) == pytest.approx(0.5 ** (8 / 2), abs=1e-4)
    assert first(Query("Turm", day=9)) == pytest.approx(1.0)
    assert first(Query("Turm")) != untouched


def test_what_was_needed_up_to_the_question_counts_and_nothing_after_it() -> None:
    def first(query: Query, needed: int) -> float:
        hits = asked(TOWER, query, signals={}, fading=fading(vera_001=Strength({}, {needed: 1}))).hits
        return next(hit.parts["retention"] for hit in hits if hit.entry.id == "vera-001")

    assert first(Query("Turm"), 8) == 1, "a question without a day is asked after the last one"
    assert first(Query("Turm", day=9), 10) == pytest.approx(0.5 ** (8 / 2), abs=1e-4)


def test_at_full_weight_a_score_is_multiplied_with_what_is_left() -> None:
    plain = {hit.entry.id: hit.score for hit in asked(TOWER, TODAY, signals={}).hits}
    for hit in asked(TOWER, TODAY, signals={}, fading=fading()).hits:
        assert hit.score == pytest.approx(plain[hit.entry.id] * hit.parts["retention"], abs=1e-3)
