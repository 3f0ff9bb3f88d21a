"""Which memories a policy sends to the archive."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from gm.base.config import RetentionSettings, RetrievalSettings, Settings
from gm.memory.care import select_pruned, tiered
from gm.model.node import Node
from tests.build import agent, node

WORLD = Settings(retrieval=RetrievalSettings(last=2))


def policy(strategy: str = "importance_weighted", **others: Any) -> RetentionSettings:
    return RetentionSettings(strategy=strategy, **{"max_observations": 4, "max_reflections": 1, **others})


def pruned(nodes: list[Node], retention: RetentionSettings, day: int = 9) -> list[str]:
    return [item.node.id for item in select_pruned(agent(stream=nodes), WORLD, retention, day)]


def lived(*importance: int) -> list[Node]:
    numbered = enumerate(importance, 1)
    return [node(number, created=f"day-{number:03d}/scene-01", importance=value) for number, value in numbered]


def test_nothing_goes_as_long_as_there_are_few_or_no_policy() -> None:
    assert pruned(lived(1, 1, 1, 1), policy()) == []
    assert pruned(lived(1, 1, 1, 1, 1, 1), policy("none")) == []


def test_the_least_important_go_and_no_more_than_there_are_too_many() -> None:
    assert pruned(lived(9, 2, 8, 3, 5, 5), policy()) == ["vera-002", "vera-004"]


def test_importance_and_recency_lie_on_one_scale() -> None:
    # one point of importance is 0.07, two and a half half-lives of six days are 0.3 · 0.82
    older, newer = node(1, importance=6), node(2, created="day-016/scene-01", importance=5)
    nodes = [older, newer, *lived(9, 9, 9, 9)]
    nodes = [replace(item, id=f"vera-{place:03d}") for place, item in enumerate(nodes, 1)]
    (item,) = select_pruned(agent(stream=nodes), WORLD, policy(max_observations=5), 16)
    assert item.node.id == "vera-001"
    assert item.value == round(0.7 * 0.6 + 0.3 * 0.5 ** (15 / 6), 4)


def test_fifo_takes_the_first_and_recency_those_of_the_longest_ago() -> None:
    nodes = lived(9, 1, 1, 1, 1, 1)
    nodes[0] = replace(nodes[0], created="day-008/scene-01")
    assert pruned(nodes, policy("fifo")) == ["vera-001", "vera-002"]
    assert pruned(nodes, policy("recency")) == ["vera-002", "vera-003"]


def test_reflections_are_counted_by_themselves() -> None:
    nodes = lived(5, 5, 5, 5)
    deep = [node(number, type="reflection", depth=1, importance=number - 4) for number in (5, 6, 7)]
    assert pruned([*deep, *nodes], policy("fifo")) == ["vera-005", "vera-006"]
    assert pruned([*deep, *nodes], policy("fifo", max_reflections=None)) == []


def test_the_window_and_what_is_held_on_to_stay() -> None:
    nodes = lived(1, 1, 1, 9, 1, 1)
    nodes[0] = replace(nodes[0], metadata={"tier": "pinned"})
    nodes[1] = replace(nodes[1], metadata={"tier": "critical"})
    assert pruned(nodes, policy(max_observations=1)) == ["vera-003", "vera-004"]


def test_a_tier_counts_beside_importance() -> None:
    nodes = lived(3, 4, 9, 9, 9, 9)
    nodes[0] = replace(nodes[0], metadata={"tier": "important"})
    assert pruned(nodes, policy(max_observations=5)) == ["vera-002"]


def test_a_tier_moves_a_score_within_its_bounds() -> None:
    assert [tiered(0.5, name) for name in ("pinned", "critical", "important", "normal", "low", "?")] == [
        1.0, 0.8, 0.65, 0.5, 0.4, 0.5,
    ]  # fmt: skip
    assert (tiered(0.9, "critical"), tiered(0.05, "low")) == (1.0, 0.0)


def test_both_kinds_are_pruned_together_down_to_the_limit() -> None:
    deep = [node(number, type="reflection", depth=1, importance=1) for number in (11, 12)]
    nodes = [*deep, *lived(1, 2, 9, 9, 9)]
    assert pruned(nodes, policy()) == ["vera-011", "vera-001"]
    assert pruned(nodes, policy(max_observations=5, max_reflections=2)) == []


def test_where_there_is_no_limit_nothing_goes_however_many_there_are() -> None:
    many = [node(number) for number in range(1, 120)]
    assert pruned(many, policy(max_observations=None)) == []


def test_what_the_day_has_brought_stays() -> None:
    assert pruned(lived(1, 1, 1, 1, 1, 1), policy(max_observations=0), day=3) == ["vera-001", "vera-002"]


def test_the_value_of_what_goes_is_told() -> None:
    nodes = lived(5, 5, 5)
    fresh = [item.value for item in select_pruned(agent(stream=nodes), WORLD, policy("recency", max_observations=2), 1)]
    assert fresh == []
    nodes[0] = replace(nodes[0], metadata={"tier": "low"})
    (low,) = select_pruned(agent(stream=nodes), WORLD, policy("recency", max_observations=2), 7)
    assert low.value == 0.4, "a half-life ago, less what a low tier takes"
    (first,) = select_pruned(agent(stream=nodes), WORLD, policy("fifo", max_observations=2), 7)
    assert first.value == 0
