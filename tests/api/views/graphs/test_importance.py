"""Tags and importance over the days."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from gm.api.views.graphs.base import divide_days
from gm.api.views.graphs.importance import MOST_TAGS, draw_importance, draw_tags
from tests.api.views.graphs.small import ENGLISH, GERMAN, memory

TAGGED = {
    "ada": (memory("ada-001", 1, tags=("asche", "turm")), memory("ada-002", 2, tags=("asche",))),
    "bo": (memory("bo-001", 2, tags=("asche", "käse")), memory("bo-002", 2, tags=("r&d",))),
}


def test_the_finding_names_the_most_frequent_tag_and_its_best_day() -> None:
    finding = draw_tags(GERMAN, TAGGED).finding
    assert finding == (
        "Am häufigsten ist »asche«: 3 Erinnerungen, die meisten an Tag 2 (2). "
        "Danach: »käse« (1), »r&d« (1) und »turm« (1)."
    )


def test_everybody_together_is_the_first_choice_and_each_character_another() -> None:
    everybody, ada, bo = draw_tags(GERMAN, TAGGED).data["choices"]
    assert everybody["values"][everybody["tags"].index("asche")] == [1, 2]
    assert (ada["name"], ada["tags"]) == ("Ada", ["asche", "turm"])
    assert bo["values"] == [[0, 1], [0, 1], [0, 1]]


def test_a_character_of_its_own_has_its_own_finding() -> None:
    graph = draw_tags(GERMAN, {"bo": TAGGED["bo"]})
    assert graph.title == "Schlagwörter von Bo im Lauf der Tage"
    assert graph.finding == "Kein Schlagwort kommt zweimal vor; eines ist »asche«."
    assert graph.id == "tags-bo"


@given(st.lists(st.tuples(st.integers(1, 400), st.sampled_from("abcdefghijklmnop")), min_size=1, max_size=80))
def test_what_is_drawn_counts_every_memory_once(found: list[tuple[int, str]]) -> None:
    stream = [memory(f"ada-{n:03d}", day, tags=(tag,)) for n, (day, tag) in enumerate(sorted(found))]
    (choice,) = draw_tags(GERMAN, {"ada": stream}).data["choices"]
    counts = Counter(tag for _, tag in found)
    drawn = {tag: sum(values) for tag, values in zip(choice["tags"], choice["values"], strict=True)}
    assert drawn == {tag: counts[tag] for tag in drawn}
    assert len(drawn) == min(MOST_TAGS, len(counts))
    assert not any(counts[tag] > min(drawn.values()) for tag in counts.keys() - drawn.keys())


def test_memories_without_tags_have_no_graph() -> None:
    assert draw_tags(ENGLISH, {"ada": (memory("ada-001"),)}).finding == "No memory has a tag yet."


def test_the_finding_names_the_true_maximum() -> None:
    streams = {
        "ada": (memory("ada-001", 1, importance=4), memory("ada-002", 3, importance=10)),
        "bo": (memory("bo-001", 2, importance=7), memory("bo-002", 2, importance=6)),
    }
    finding = draw_importance(GERMAN, streams).finding
    assert finding == (
        "Die schwerste Zeit hatte Ada: Tag 3, mit 10,0 bei einer einzigen Erinnerung. "
        "Das höchste Gewicht, 10, bekam eine einzige Erinnerung."
    )


def test_mean_maximum_and_number_are_those_of_the_day() -> None:
    stream = (
        memory("ada-001", 1, importance=3),
        memory("ada-002", 1, importance=8),
        memory("ada-003", 3, importance=2),
    )
    graph = draw_importance(GERMAN, {"ada": stream})
    (panel,) = graph.data["panels"]
    assert (panel["mean"], panel["most"], panel["count"]) == ([5.5, None, 2.0], [8, None, 2], [2, 0, 1])
    assert graph.table.rows == (("Tag 1", "5,5", "8", "2"), ("Tag 2", "", "", "0"), ("Tag 3", "2,0", "2", "1"))


def test_a_memory_that_names_no_day_is_left_out() -> None:
    assert draw_importance(GERMAN, {"ada": (memory("ada-001", 0),)}).finding == "Noch gibt es keine Erinnerungen."


@given(st.sets(st.integers(1, 5000), min_size=1), st.integers(1, 90))
def test_spans_follow_each_other_and_hold_every_day(days: set[int], most: int) -> None:
    spans = divide_days(days, most)
    assert len(spans) <= most
    assert (spans[0].first, spans[-1].last) == (min(days), max(days))
    assert all(one.last + 1 == other.first for one, other in pairwise(spans))
