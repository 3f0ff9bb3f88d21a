"""What insights rest on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gm.api.views.graphs.base import Graph
from gm.api.views.graphs.tree import MOST_BELOW, MOST_NODES, MOST_TOPS, draw_tree
from gm.files.streams.rows import MemoryRow
from tests.api.views.graphs.small import GERMAN, insight, memory


def drawn(stream: Sequence[MemoryRow]) -> Graph:
    return draw_tree(GERMAN, "ada", stream, lambda rows: [f"Text von {row.id}." for row in rows])


def shape(branches: Sequence[dict[str, Any]]) -> list[Any]:
    return [(item["memory"], shape(item["children"])) if item["children"] else item["memory"] for item in branches]


def test_an_insight_stands_above_what_it_cites_down_to_what_was_lived() -> None:
    stream = [
        memory("ada-001"),
        memory("ada-002"),
        insight("ada-003", "ada-001", "ada-002"),
        insight("ada-004", "ada-003", depth=2),
    ]
    graph = drawn(stream)
    assert shape(graph.data["root"]["children"]) == [("ada-004", [("ada-003", ["ada-001", "ada-002"])])]
    assert (
        graph.finding
        == "Die höchste Schicht liegt 2 über dem Erlebten: »Text von ada-004.« Darunter liegen 3 Erinnerungen."
    )


def test_what_stands_further_up_is_named_again_but_not_unfolded_again() -> None:
    stream = [
        memory("ada-001"),
        insight("ada-002", "ada-001"),
        insight("ada-003", "ada-002", depth=2),
        insight("ada-004", "ada-002", depth=2),
    ]
    newer, older = drawn(stream).data["root"]["children"]
    assert shape([newer]) == [("ada-004", [("ada-002", ["ada-001"])])]
    assert shape([older]) == [("ada-003", ["ada-002"])]
    assert older["children"][0]["again"]


def test_evidence_in_a_circle_ends() -> None:
    circle = [insight("ada-001", "ada-002"), insight("ada-002", "ada-001", "ada-002")]
    assert shape(drawn(circle).data["root"]["children"]) == [("ada-002", [("ada-001", ["ada-002"])]), "ada-001"]
    above = insight("ada-003", "ada-001")
    assert shape(drawn([*circle, above]).data["root"]["children"]) == [
        ("ada-003", [("ada-001", [("ada-002", ["ada-001"])])])
    ]


def test_evidence_that_does_not_exist_is_left_out_of_the_tree_and_stays_in_the_table() -> None:
    graph = drawn([insight("ada-002", "ada-001", "bo-007")])
    assert shape(graph.data["root"]["children"]) == ["ada-002"]
    assert graph.table.rows == (("ada-002", "1", "5", "Text von ada-002.", "ada-001, bo-007"),)


def test_what_an_observation_cites_is_not_below_an_insight() -> None:
    stream = [memory("ada-001"), memory("ada-002")._replace(evidence=("ada-001",)), insight("ada-003", "ada-002")]
    assert shape(drawn(stream).data["root"]["children"]) == [("ada-003", ["ada-002"])]


def test_a_tree_of_many_insights_is_bounded_and_says_so() -> None:
    stream = [memory(f"ada-{n:03d}") for n in range(1, 600)]
    for n in range(600, 640):
        stream.append(insight(f"ada-{n}", *(f"ada-{m:03d}" for m in range(1 + (n - 600) * 14, (n - 599) * 14))))
    graph = drawn(stream)
    assert len(graph.memories) <= MOST_NODES
    assert len(graph.data["root"]["children"]) <= MOST_TOPS
    assert f"Mehr als {MOST_NODES} Erinnerungen werden nicht gezeigt." in graph.note
    assert "von 40 Einsichten" in graph.note


def test_one_insight_does_not_take_all_the_room() -> None:
    stream = [
        *(memory(f"ada-{n:03d}") for n in range(1, 200)),
        insight("ada-300"),
        insight("ada-301", *(f"ada-{n:03d}" for n in range(1, 200))),
    ]
    newest, older = drawn(stream).data["root"]["children"]
    assert len(newest["children"]) == MOST_BELOW
    assert older["memory"] == "ada-300"


def test_a_character_without_reflections_has_no_tree() -> None:
    graph = drawn([memory("ada-001")])
    assert (graph.data, graph.finding) == ({}, "Ada hat noch keine Rückschau gehalten.")
