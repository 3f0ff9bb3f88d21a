"""Who meets whom."""

from __future__ import annotations

from gm.api.views.graphs.base import MOST_SPANS
from gm.api.views.graphs.relationships import draw_meetings
from tests.api.views.graphs.small import GERMAN, met


def test_the_finding_says_who_met_most_often_and_who_never_met() -> None:
    scenes = [met(1, "ada", "bo"), met(2, "bo", "ada"), met(2, "bo", "cem")]
    finding = draw_meetings(GERMAN, scenes).finding
    assert (
        finding
        == "Am häufigsten trafen sich Ada und Bo: in 2 Szenen. Noch nie in einer gemeinsamen Szene: Ada und Cem."
    )


def test_the_table_is_symmetric() -> None:
    rows = draw_meetings(GERMAN, [met(1, "ada", "bo", "cem"), met(2, "cem", "bo")]).table.rows
    cells = [row[1:] for row in rows]
    assert all(cells[x][y] == cells[y][x] for x in range(3) for y in range(3))
    assert cells[1][2] == "2"


def test_the_arrival_of_all_is_no_meeting() -> None:
    graph = draw_meetings(GERMAN, [met(1, "ada", "bo", "cem", kind="ARRIVAL")])
    assert graph.data == {}
    assert graph.table.rows == ()
    assert graph.finding == "Noch sind sich keine zwei in einer Szene begegnet."


def test_several_pairs_that_met_as_often_are_all_named() -> None:
    finding = draw_meetings(GERMAN, [met(1, "ada", "bo"), met(1, "bo", "cem")]).finding
    assert "Ada und Bo; Bo und Cem: je 1-mal" in finding


def test_meetings_can_be_told_apart_by_day() -> None:
    graph = draw_meetings(GERMAN, [met(1, "ada", "bo"), met(3, "ada", "bo"), met(3, "ada", "cem")])
    assert [span["name"] for span in graph.data["spans"]] == ["Tag 1", "Tag 2", "Tag 3"]
    assert graph.data["counts"] == [[0, 0, 1, 1], [2, 0, 1, 1], [2, 0, 2, 1]]


def test_a_long_time_is_divided_into_spans_that_hold_every_meeting() -> None:
    graph = draw_meetings(GERMAN, [met(day, "ada", "bo") for day in range(1, 1001)])
    assert len(graph.data["spans"]) <= MOST_SPANS
    assert graph.data["spans"][0]["name"] == "Tage 1–17"
    assert sum(item[3] for item in graph.data["counts"]) == 1000
