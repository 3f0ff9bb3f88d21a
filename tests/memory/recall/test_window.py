"""The window by what is on somebody's mind."""

from __future__ import annotations

from gm.config import RetrievalSettings
from gm.memory.recall.strategies import Means
from gm.memory.recall.window import choose_settled, select_chosen
from tests.build import node

STREAM = (
    node(1, description="Der Turm bekam eine Schwelle.", created="day-001/scene-01"),
    *(node(n, description="Es regnet.", created="day-001/scene-02") for n in range(2, 20)),
    node(20, description="Morgen sehe ich nach der Schwelle am Turm.", created="day-003/scene-01"),
)


def test_what_is_on_the_mind_brings_back_what_is_far_away() -> None:
    chosen, notices = choose_settled("vera", STREAM, "hybrid", 7, Means(), "de")
    assert {"vera-001", "vera-020", "vera-019"} <= chosen
    assert len(chosen) == 7
    assert notices


def test_the_day_only_adds_to_the_window() -> None:
    chosen, _ = choose_settled("vera", STREAM, "hybrid", 7, Means(), "de")
    settings = RetrievalSettings(strategy="hybrid", last=7)
    before = select_chosen(STREAM, chosen, settings, 4)
    today = node(21, description="Heute ist alles anders.", created="day-004/scene-01")
    after = select_chosen((*STREAM, today), chosen, settings, 4)
    assert after.nodes == (*before.nodes, today)
    assert [item.id for item in before.nodes] == sorted(chosen)
    assert after.strategy == "hybrid"


def test_reflections_come_along_as_configured() -> None:
    old = node(1, type="reflection", depth=1, description="Alles ist Wasser.", created="day-001/scene-01")
    stream = (old, *STREAM[1:])
    chosen = frozenset({"vera-020"})
    both = [
        select_chosen(stream, chosen, RetrievalSettings(strategy="hybrid", all_reflections=all_of), None)
        for all_of in (True, False)
    ]
    assert [[item.id for item in one.nodes] for one in both] == [["vera-001", "vera-020"], ["vera-020"]]


def test_where_nothing_was_chosen_the_newest_come_to_mind() -> None:
    found = select_chosen(STREAM, frozenset(), RetrievalSettings(strategy="hybrid", last=2), None)
    assert [item.id for item in found.nodes] == ["vera-019", "vera-020"]
