from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace
from typing import Any

import pytest

from gm.base.config import RecallSettings, RetrievalSettings
from gm.memory.lens import Lens, parse_lenses
from gm.memory.recall.columns import Columns
from gm.memory.recall.lexicon import MemoryLexicon
from gm.memory.recall.query import Filters, Hit, Query
from gm.memory.recall.scored import NO_VECTORS, RecallInputs
from gm.memory.recall.window import MOST_ASSOCIATED, NO_WINDOW, associate, choose_settled, select_chosen, split_settled
from gm.model.node import Node
from tests.build import node

STREAM = (
    node(1, description="Der Turm bekam eine Schwelle.", created="day-001/scene-01"),
    *(node(n, description="Es regnet.", created="day-001/scene-02") for n in range(2, 20)),
    node(20, description="Morgen sehe ich nach der Schwelle am Turm.", created="day-003/scene-01"),
)


def choose(
    settled: Sequence[Node], strategy: str, last: int, means: RecallInputs, language: str, question: str = ""
) -> tuple[Set[str] | None, tuple[str, ...]]:
    older, newest = split_settled(settled, last)
    query = Query(question, "vera", max((item.when.day for item in settled), default=0), purpose="window")
    return choose_settled(Columns(MemoryLexicon("vera", older, language)), newest, strategy, last, query, means)


@pytest.mark.parametrize("strategy", ["scored", "hybrid"])
def test_the_question_of_a_scene_brings_back_what_is_far_away(strategy: str) -> None:
    bell = node(1, description="Die Glocke ist gesprungen.", created="day-001/scene-01", importance=1)
    door = node(2, description="Das Tor klemmt.", created="day-001/scene-01", importance=1)
    stream = (bell, door, *dusty(13, 3), *dusty(5, 16, "day-002/scene-01"))
    for question, remembered in (("Wer hat die Glocke gehört?", "vera-001"), ("Das Tor", "vera-002")):
        means = RecallInputs(RecallSettings(window_recency=0.5, weights={"recency": 0.0}))
        chosen, notices = choose(stream, strategy, 6, means, "de", question)
        assert chosen == {remembered, *(item.id for item in stream[-5:])}
        assert notices == (NO_VECTORS,)


def test_the_window_by_vectors_holds_what_is_closest_to_the_question() -> None:
    asked = []

    def similarity(text: str) -> dict[str, float]:
        asked.append(text)
        return {"vera-003": 0.9, "vera-007": 0.8, "vera-008": 0.1}

    chosen, notices = choose(STREAM, "vector", 7, RecallInputs(similarity=similarity), "de", "Kirche")
    assert chosen == {"vera-003", "vera-007", *(item.id for item in STREAM[-5:])}
    assert (notices, asked) == ((), ["Kirche"])


def test_without_vectors_there_is_no_window_by_vectors_and_one_notice_says_so() -> None:
    assert choose(STREAM, "vector", 7, RecallInputs(), "de", "Kirche") == (None, (NO_WINDOW,))
    assert choose(STREAM, "vector", 7, RecallInputs(similarity=lambda _text: None), "de", "Kirche") == (None, ())


def test_what_is_on_the_mind_brings_back_what_is_far_away() -> None:
    chosen, notices = choose(STREAM, "hybrid", 7, RecallInputs(), "de")
    assert chosen is not None
    assert {"vera-001", "vera-020", "vera-019"} <= chosen
    assert len(chosen) == 7
    assert notices


def test_the_day_only_adds_to_the_window() -> None:
    chosen, _ = choose(STREAM, "hybrid", 7, RecallInputs(), "de")
    assert chosen is not None
    chosen = frozenset(chosen)
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


def test_where_nothing_was_chosen_the_window_is_that_of_the_newest_by_all_its_settings() -> None:
    deep = node(1, type="reflection", depth=1, created="day-001/scene-01")
    stream = (deep, *STREAM[1:])
    with_all = RetrievalSettings(strategy="hybrid", last=2, all_reflections=True)
    without = RetrievalSettings(strategy="hybrid", last=3, all_reflections=False)
    assert len(select_chosen(stream, frozenset({"nobody"}), without, None).nodes) == 3
    assert [item.id for item in select_chosen(stream, frozenset(), with_all, None).nodes] == ["vera-001"]
    assert select_chosen((), frozenset(), without, 4).nodes == ()


def test_before_the_first_memory_nothing_comes_to_mind() -> None:
    assert choose((), "hybrid", 7, RecallInputs(), "de")[0] == frozenset()


def test_what_is_newest_is_not_chosen_twice() -> None:
    chosen, _ = choose(STREAM[:5], "hybrid", 9, RecallInputs(), "de")
    assert chosen == {item.id for item in STREAM[:5]}


def dusty(count: int, first: int, created: str = "day-001/scene-02") -> list[Node]:
    """Memories that have no word in common with anything else."""
    return [node(number, description="Staub liegt da.", created=created) for number in range(first, first + count)]


@pytest.mark.parametrize("place", range(5))
def test_each_of_the_five_newest_is_on_the_mind(place: int) -> None:
    newest = [node(number, description="Regen", created="day-002/scene-01") for number in range(20, 25)]
    newest[place] = replace(newest[place], description="Glocke")
    bell = node(1, description="Die Glocke ist gesprungen.", created="day-001/scene-02")
    chosen, _ = choose((bell, *dusty(18, 2), *newest), "hybrid", 6, RecallInputs(), "de")
    assert chosen == {"vera-001", *(item.id for item in newest)}


def test_what_came_before_the_five_newest_is_not_on_the_mind() -> None:
    newest = [node(number, description="Regen", created="day-002/scene-01") for number in range(20, 25)]
    bell = node(1, description="Die Glocke ist gesprungen.", created="day-001/scene-02")
    sixth = node(19, description="Glocke", created="day-001/scene-03")
    chosen, _ = choose((bell, *dusty(17, 2), sixth, *newest), "hybrid", 6, RecallInputs(), "de")
    assert chosen == {"vera-019", *(item.id for item in newest)}


def test_a_small_window_is_that_of_the_newest() -> None:
    for last in (1, 3, 5):
        chosen, _ = choose(STREAM, "hybrid", last, RecallInputs(), "de")
        assert chosen == {item.id for item in STREAM[-last:]}


def test_what_is_recent_counts_from_the_day_on_which_it_is_asked() -> None:
    # one of long ago answers, one of lately does not: the older both are when the day opens, the less that counts
    bell = node(1, description="Die Glocke ist gesprungen.", created="day-001/scene-02")
    late = node(2, description="Staub liegt da.", created="day-008/scene-01")
    for asked_on, remembered in ((8, "vera-002"), (30, "vera-001")):
        newest = [
            node(number, description="Glocke und Regen", created=f"day-{asked_on:03d}/scene-02")
            for number in range(20, 25)
        ]
        means = RecallInputs(RecallSettings(window_recency=2.0))
        chosen, _ = choose((bell, late, *newest), "hybrid", 6, means, "de")
        assert chosen is not None
        assert remembered in chosen


def test_who_thinks_of_herself_remembers_her_own_words_first() -> None:
    said = [
        node(number, description="Die Glocke läutet.", metadata={"speaker": name})
        for number, name in ((1, "emre"), (2, "vera"))
    ]
    for start, first in (("Die Glocke.", "vera-001"), ("Meine Glocke.", "vera-002")):
        newest = [node(number, description=start, created="day-002/scene-01") for number in range(20, 25)]
        chosen, _ = choose((*said, *newest), "hybrid", 6, RecallInputs(), "de")
        assert chosen == {first, *(item.id for item in newest)}


def test_words_are_read_in_the_language_of_the_world() -> None:
    # a plural of German words: in an English world these are two words, and the newest come to mind
    wolves = node(1, description="Wölfe", created="day-001/scene-02")
    dust = [node(number, description="Staub", created=f"day-001/scene-0{2 + number // 11}") for number in range(2, 20)]
    newest = [node(number, description="Wolf", created="day-002/scene-01") for number in range(20, 25)]
    for language, remembered in (("de", "vera-001"), ("en", "vera-011")):
        chosen, _ = choose((wolves, *dust, *newest), "hybrid", 6, RecallInputs(), language)
        assert chosen == {remembered, *(item.id for item in newest)}


def test_the_strategy_asked_for_is_the_one_that_chooses() -> None:
    bell = node(1, description="Die Glocke ist gesprungen.", created="day-001/scene-01", importance=1)
    pivotal = node(2, description="Staub liegt da.", created="day-001/scene-01", importance=10)
    newest = [node(number, description="Glocke", created="day-002/scene-01") for number in range(20, 25)]
    means = RecallInputs(RecallSettings(weights={"relevance": 0.0, "recency": 0.0, "importance": 1.0}))
    chosen = {
        strategy: choose((bell, pivotal, *newest), strategy, 6, means, "de")[0] or frozenset()
        for strategy in ("hybrid", "scored")
    }
    assert ("vera-001" in chosen["hybrid"], "vera-002" in chosen["scored"]) == (True, True)


def test_where_nothing_was_chosen_what_the_open_day_has_brought_stands_behind_the_newest() -> None:
    settings = RetrievalSettings(strategy="hybrid", last=2)
    today = node(21, created="day-004/scene-01")
    found = select_chosen((*STREAM, today), frozenset(), settings, 4)
    assert [item.id for item in found.nodes] == ["vera-021"], "what the day brought is something"


ABOUT_TOWERS = (
    node(1, description="Der Turm steht.", tags=("turm",)),
    node(2, description="Mein Bruder fiel.", tags=("Bruder", "turm"), importance=9),
    node(3, description="Es regnet.", tags=("regen",)),
)


def lens(tags: tuple[str, ...] = ("bruder",), by: float = 0.5, **others: Any) -> Lens:
    value = {"at": "association", "when": {"words": ["turm"]}, "boost": {"tags": list(tags), "by": by}, **others}
    lenses, problems = parse_lenses([value])
    assert not problems
    return lenses[0]


def columns(nodes: tuple[Any, ...] = ABOUT_TOWERS, owner: str = "vera") -> Columns:
    return Columns(MemoryLexicon(owner, nodes, "de"))


def look(
    text: str, *lenses: Lens, found: tuple[tuple[int, float], ...] = (), filters: Filters | None = None
) -> list[tuple[str, float]]:
    stream = columns()
    hits = [Hit("vera", place, stream.lexicon.entries[place], score, {"own": score}) for place, score in found]
    come = associate(hits, text, lenses, [stream], filters or Filters())
    assert all(hit.score == sum(hit.parts.values()) for hit in come)
    return [(hit.entry.id, hit.score) for hit in come]


def test_where_no_lens_is_set_off_everything_stays_as_it_was() -> None:
    assert look("Der Garten", lens(), found=((2, 0.4), (0, 1.0))) == [("vera-003", 0.4), ("vera-001", 1.0)]


def test_what_a_tag_brings_up_comes_beside_what_was_found_and_the_best_first() -> None:
    assert look("Der Turm", lens(), found=((0, 1.0), (2, 0.2))) == [
        ("vera-001", 1.0),
        ("vera-002", 0.5),
        ("vera-003", 0.2),
    ]


def test_what_was_found_already_is_raised_and_not_found_twice() -> None:
    assert look("Der Turm", lens(), found=((0, 1.0), (1, 0.75))) == [("vera-002", 1.25), ("vera-001", 1.0)]


def test_each_tag_of_a_memory_counts_and_gains_that_cancel_out_are_nothing() -> None:
    assert look("Der Turm", lens(("bruder", "turm"))) == [("vera-002", 1.0), ("vera-001", 0.5)]
    assert look("Der Turm", lens(by=0.0)) == []


def test_what_a_filter_keeps_out_is_not_called_up() -> None:
    assert look("Der Turm", lens(("bruder", "turm")), filters=Filters(min_importance=8)) == [("vera-002", 1.0)]


def test_of_memories_that_only_an_association_speaks_for_the_newest_hundred_are_looked_at() -> None:
    many = columns(tuple(node(number, tags=("bruder",)) for number in range(1, MOST_ASSOCIATED + 20)))
    first = Hit("vera", 0, many.lexicon.entries[0], 0.1)
    come = associate([first], "Der Turm", [lens()], [many], Filters())
    assert len(come) == MOST_ASSOCIATED + 1
    assert {hit.place for hit in come} == {0, *range(19, MOST_ASSOCIATED + 19)}


def test_two_streams_are_two() -> None:
    streams = [columns(), columns(ABOUT_TOWERS[1:2], "emre")]
    come = associate([], "Der Turm", [lens()], streams, Filters())
    assert [(hit.owner, hit.place) for hit in come] == [("vera", 1), ("emre", 0)]
