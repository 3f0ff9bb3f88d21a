"""The strategies, their filters and their order."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest

from gm.base import plugins
from gm.base.config import RecallSettings
from gm.base.errors import UsageError
from gm.memory.recall.columns import Columns
from gm.memory.recall.hybrid import sharpen
from gm.memory.recall.lexicon import MemoryLexicon
from gm.memory.recall.query import Filters, Query
from gm.memory.recall.scored import NO_VECTORS, RecallInputs, decay_at
from gm.memory.recall.strategies import NO_TAGS, NOTHING, rank_memories, strategy_of
from gm.model.calendar import SceneRef
from gm.model.node import Node
from tests.build import node
from tests.memory.recall.asking import asked, numbers, stream

ALIKE = tuple(node(n, description="Der Turm steht.", created=f"day-00{n}/scene-01") for n in (1, 2, 3, 4))


def turn_of(moment: SceneRef) -> int:
    return moment.day


@pytest.mark.parametrize("strategy", ["tags", "hybrid"])
def test_what_scores_alike_stays_in_the_order_of_the_stream(strategy: str) -> None:
    nodes = stream(*["Der Turm steht."] * 4, tags=("turm",))
    assert numbers(asked(nodes, "turm", strategy, signals={})) == [1, 2, 3, 4]
    assert numbers(asked(nodes, "turm", strategy, signals={}, most=2)) == [1, 2]


def test_recent_takes_the_newest_first() -> None:
    assert numbers(asked(ALIKE, "", "recent", most=2)) == [4, 3]


def test_tags_fall_back_to_the_newest_and_say_so() -> None:
    nodes = (node(1, tags=("Völuspá",)), node(2))
    found = asked(nodes, "völuspa\u0301", "tags")
    assert (found.strategy, numbers(found)) == ("tags", [1])
    found = asked(nodes, "nebel", "tags")
    assert (found.strategy, numbers(found), found.notices) == ("recent", [2, 1], (NO_TAGS,))


@pytest.mark.parametrize("strategy", ["tags", "scored", "hybrid"])
def test_the_score_of_one_memory_is_that_among_all(strategy: str) -> None:
    nodes = (
        node(1, tags=("turm",), description="Der Turm steht."),
        *(node(n, description="Es regnet.") for n in (2, 3)),
    )
    ranked = strategy_of(strategy)(Query("turm", day=1), (Columns(MemoryLexicon("vera", nodes, "de")),), RecallInputs())
    assert ranked is not None
    ((scored,), _) = ranked
    among_all = {**dict(scored.others(-math.inf)), **scored.scores}
    one_by_one = [scored.score(place) for place in range(3)]
    assert one_by_one == pytest.approx([among_all.get(place, 0.0) for place in range(3)])
    assert one_by_one[0] > one_by_one[1]


def test_scored_adds_named_weights_each_from_0_to_1() -> None:
    nodes = (
        node(1, description="Der Turm steht.", importance=1, created="day-001/scene-01"),
        node(2, description="Es regnet.", importance=10, created="day-001/scene-01"),
        node(3, description="Es regnet.", importance=1, created="day-009/scene-01"),
    )
    for name, first in (("relevance", 1), ("importance", 2), ("recency", 3)):
        weights = dict.fromkeys(("relevance", "recency", "importance"), 0.0) | {name: 1.0}
        found = asked(nodes, "Turm", "scored", settings=RecallSettings(weights=weights))
        assert numbers(found)[0] == first
        assert all(0 <= value <= 1 for hit in found.hits for value in (*hit.parts.values(), hit.score))


def test_presets_are_those_of_the_documents() -> None:
    (hit,) = asked(stream("Der Turm steht."), Query("Turm"), "scored").hits
    assert hit.score == pytest.approx(0.5 * 1 + 0.3 * 1 + 0.2 * 0.5)
    (hit,) = asked(stream("Der Turm steht."), Query("Turm"), "scored", settings=RecallSettings(preset="park")).hits
    assert hit.score == pytest.approx((3 * 1 + 0.5 * 1 + 2 * 0.5) / 5.5)


def recencies(
    nodes: Sequence[Node], moment: Query, half_life_days: float, tau_days: float | None = None
) -> Sequence[float]:
    return Columns(MemoryLexicon("vera", nodes, "de")).recencies(decay_at(moment, half_life_days, tau_days))


def test_recency_halves_with_the_story_days() -> None:
    assert recencies(ALIKE, Query("", day=4), 1.0) == pytest.approx([1 / 8, 1 / 4, 1 / 2, 1.0])
    assert recencies(ALIKE, Query("", day=6), 1.0)[-1] == pytest.approx(1 / 4)
    assert recencies(ALIKE, Query("", day=4), 1.0, tau_days=1.0)[-2] == pytest.approx(0.36787944)


def test_a_scene_is_a_part_of_its_day() -> None:
    nodes = (node(1, created="day-001/scene-01"), node(2, created="day-001/scene-04"))
    assert recencies(nodes, Query("", day=1, scene=4), 1.0) == pytest.approx([0.5**0.75, 1.0])


def test_a_memory_from_after_the_question_counts_as_made_now() -> None:
    assert max(recencies(ALIKE, Query("", day=1), 1.0)) == 1.0


def test_now_wants_the_recent_and_the_past_does_not_care() -> None:
    nodes = (
        node(1, description="Der Turm steht. Turm!", created="day-001/scene-01"),
        node(2, description="Am Turm war die lange Treppe kalt.", created="day-030/scene-01"),
    )
    assert numbers(asked(nodes, Query("Turm", day=30))) == [1, 2]
    assert numbers(asked(nodes, Query("Turm", day=30, purpose="now"))) == [2, 1]


def test_now_wants_the_important_as_well_and_says_how_much() -> None:
    nodes = (
        node(1, description="Der Turm steht schief.", created="day-001/scene-01", importance=9),
        node(2, description="Der Turm steht gerade.", created="day-001/scene-01", importance=2),
        node(3, description="Der Turm steht grau.", created="day-001/scene-01", importance=2),
    )
    now = Query("Turm", day=1, purpose="now")
    assert numbers(asked(nodes, now))[0] == 1
    first = asked(nodes, now).hits[0]
    assert first.parts["importance"] == pytest.approx(0.5 * 0.9)
    assert first.parts["recency"] == pytest.approx(1.0)
    without = RecallSettings(now_recency=0.0, now_importance=0.0)
    assert numbers(asked(nodes, now, settings=without)) == numbers(asked(nodes, Query("Turm", day=1)))


def test_a_window_wants_the_recent_more_and_has_weights_of_its_own() -> None:
    nodes = (
        node(1, description="Der Turm steht.", created="day-001/scene-01", importance=10),
        node(2, description="Es regnet.", created="day-002/scene-01", importance=1),
    )
    window = Query("Turm", day=2, purpose="window")
    assert numbers(asked(nodes, replace(window, purpose="now"), signals={})) == [1, 2]
    best, other = asked(nodes, window, signals={}).hits
    assert (best.entry.id, other.entry.id) == ("vera-002", "vera-001")
    assert best.parts["recency"] == pytest.approx(2 * other.parts["recency"])
    assert (best.parts["importance"], other.parts["importance"]) == (0.0, 0.0)
    important = RecallSettings(now_recency=9.0, window_recency=1.0, window_importance=0.5)
    first = asked(nodes, window, signals={}, settings=important).hits[0]
    assert first.entry.id == "vera-001"
    assert first.parts["importance"] == pytest.approx(0.5)
    without = RecallSettings(window_recency=0.0)
    assert numbers(asked(nodes, window, settings=without)) == numbers(asked(nodes, Query("Turm", day=2)))


def test_vectors_enter_by_similarity_and_are_asked_without_names() -> None:
    heard = []

    def similarity(text: str) -> dict[str, float]:
        heard.append(text)
        return {"vera-001": -0.2, "vera-002": 0.9}

    nodes = stream("Der Turm steht.", "Ein Bau ragt auf.", "Nichts.")
    question = Query("Was sagt Darius zum Turm?", people=(("darius", "Darius"),))
    found = asked(nodes, question, signals={}, similarity=similarity, settings=RecallSettings(vectors=0.5))
    assert numbers(found) == [1, 2]
    assert found.notices == ()
    assert heard == ["Was sagt zum Turm?"]
    more = RecallSettings(vectors=2)
    assert numbers(asked(nodes, question, signals={}, similarity=similarity, settings=more)) == [2, 1]
    assert numbers(asked(nodes, question, "scored", similarity=similarity))[0] == 2
    off = asked(nodes, question, signals={}, similarity=similarity, settings=RecallSettings(vectors=0))
    assert numbers(off) == [1]


def test_vector_ranks_by_cosine_alone_and_finds_nothing_that_has_no_vector() -> None:
    nodes = stream("Der Turm steht.", "Ein Bau ragt auf.", "Nichts.", "Regen.")
    similar = {"vera-001": 0.1, "vera-002": 0.9, "vera-004": -0.3}
    found = asked(nodes, "Turm?", "vector", similarity=lambda _text: similar)
    assert [(hit.entry.id, hit.score) for hit in found.hits] == [
        ("vera-002", 0.9),
        ("vera-001", 0.1),
        ("vera-004", -0.3),
    ]
    assert found.hits[0].parts == {"meaning": 0.9}
    assert (found.strategy, found.notices) == ("vector", ())


def test_without_vectors_words_decide_and_one_notice_says_so() -> None:
    nodes = stream("Der Turm steht.", "Ein Bau ragt auf.")
    found = asked(nodes, "Turm?", "vector")
    assert (found.strategy, numbers(found)[0], found.notices) == ("hybrid", 1, (NO_VECTORS,))
    off = asked(nodes, "Turm?", "vector", settings=RecallSettings(vectors=0))
    assert off.notices == (NO_VECTORS,)


@pytest.mark.parametrize("strategy", ["scored", "hybrid", "vector"])
def test_a_similarity_that_cannot_tell_has_said_why_itself(strategy: str) -> None:
    found = asked(stream("Der Turm steht.", "Ein Bau ragt auf."), "Turm?", strategy, similarity=lambda _text: None)
    assert numbers(found)[0] == 1
    assert found.notices == ()


def test_an_answer_shares_in_the_meaning_of_the_question_before_it() -> None:
    nodes = stream("Leo lacht.", "Was trägt die Brücke?", "Zwei Balken.", "Es regnet.", "Nami schläft.")
    similar = {"vera-001": 0.1, "vera-002": 0.8, "vera-003": 0.1, "vera-004": 0.1, "vera-005": 0.1}
    found = asked(nodes, "Statik", signals={"before_asks": 1.2}, similarity=lambda _text: similar)
    assert numbers(found) == [3, 2]
    assert found.hits[0].parts["meaning"] > 0
    assert found.hits[0].parts["own"] == 0


def test_what_all_similarities_have_in_common_says_nothing() -> None:
    assert sharpen({0: 0.5, 1: 0.5, 2: 0.5}, 0.5) == {}
    assert sharpen({}, 0.5) == {}
    assert list(sharpen({0: 0.5, 1: 0.5, 2: 0.9, 3: 0.55}, 0.5)) == [2]
    assert sharpen({0: 0.0, 1: 1.0}, 0.0) == {1: 0.5}


@pytest.mark.parametrize("strategy", ["scored", "tags"])
def test_the_same_moment_asked_again_gives_the_same(strategy: str) -> None:
    nodes = [node(number, description=f"Satz {number}", importance=1 + number % 9, tags=["a"]) for number in range(30)]
    streams = [Columns(MemoryLexicon("vera", nodes, "de"))]
    ask = [rank_memories(strategy, Query("Satz 7 a", day=2), streams, Filters(), 12, RecallInputs()) for _ in range(2)]
    later = rank_memories(strategy, Query("Satz 7 a", day=9), streams, Filters(), 12, RecallInputs())
    fresh = rank_memories(
        strategy, Query("Satz 7 a", day=9), [Columns(MemoryLexicon("vera", nodes, "de"))], Filters(), 12, RecallInputs()
    )
    assert ask[0] == ask[1]
    assert later == fresh


def test_without_vectors_there_is_one_notice_unless_they_are_switched_off() -> None:
    assert asked(ALIKE, "Turm").notices == (NO_VECTORS,)
    assert asked(ALIKE, "Turm", settings=RecallSettings(vectors=0)).notices == ()


FILTERED: list[tuple[Filters, list[int]]] = [
    (Filters(), [1, 2, 3]),
    (Filters(types=("plan",)), [2]),
    (Filters(types=("Episodic",)), [1, 2]),
    (Filters(types=("semantic",)), [3]),
    (Filters(categories=("Daily",)), [1]),
    (Filters(kinds=("Lesson",)), [3]),
    (Filters(about=("Darius",)), [1, 2]),
    (Filters(tags=("TURM",)), [1]),
    (Filters(min_importance=7), [3]),
    (Filters(days=(1, 2)), [1, 2]),
    (Filters(min_turn=2), [2, 3]),
    (Filters(max_turn=1), [1, 3]),
    (Filters(min_turn=1, max_turn=2, types=("observation",)), [1, 3]),
    (Filters(agents=("emre",)), []),
    (Filters(agents=("VERA",)), [1, 2, 3]),
]


@pytest.mark.parametrize(("filters", "expected"), FILTERED)
@pytest.mark.parametrize("strategy", ["recent", "scored", "hybrid"])
def test_filters_leave_out(filters: Filters, expected: list[int], strategy: str) -> None:
    nodes = (
        node(
            1,
            description="Der Turm.",
            created="day-001/scene-01",
            tags=("turm", "darius"),
            metadata={"category": "daily"},
        ),
        node(2, description="Der Turm.", created="day-002/scene-01", type="plan", metadata={"about": ["Darius"]}),
        # of the older shape: it has a day and no scene, so no turn
        node(3, description="Der Turm.", created="day-003", importance=8, metadata={"kind": "lesson"}),
    )
    found = asked(nodes, "Turm", strategy, filters=filters, turn_of=turn_of)
    assert sorted(numbers(found)) == expected


def test_a_filter_changes_what_is_found_and_not_how_it_scores() -> None:
    nodes = stream("Wann steht der Turm?", "Am Freitag.", "Der Turm steht.")
    free = {hit.entry.id: hit.score for hit in asked(nodes, "Turm").hits}
    held = asked(nodes, "Turm", filters=Filters(min_turn=2), turn_of=lambda moment: moment.scene)
    assert [(hit.entry.id, hit.score) for hit in held.hits] == [(hit.entry.id, free[hit.entry.id]) for hit in held.hits]
    assert sorted(numbers(held)) == [2, 3]


def test_what_only_its_day_speaks_for_comes_after_what_speaks_for_itself() -> None:
    nodes = stream("Der Turm steht.", "Eins.", "Zwei.", "Drei.", "Vier.", "Fünf.")
    assert numbers(asked(nodes, "Turm", most=6))[0] == 1
    assert sorted(numbers(asked(nodes, "Turm", most=6))) == [1, 2, 3, 4, 5, 6]
    assert numbers(asked(nodes, "Turm", most=6, signals={"session": 0.0})) == [1]


def test_streams_are_asked_together() -> None:
    def columns(name: str, *texts: str) -> Columns:
        nodes: list[Node] = [node(n, agent=name, description=text) for n, text in enumerate(texts, 1)]
        return Columns(MemoryLexicon(name, nodes, "de"))

    streams = [columns("emre", "Nichts.", "Der Turm steht."), columns("vera", "Der Turm steht.", "Nichts.")]
    found = rank_memories("hybrid", Query("Turm"), streams, Filters(), 2, RecallInputs())
    assert [(hit.owner, hit.entry.id) for hit in found.hits] == [("emre", "emre-002"), ("vera", "vera-001")]
    held = rank_memories("hybrid", Query("Turm"), streams, Filters(agents=("vera",)), 1, RecallInputs())
    assert [hit.owner for hit in held.hits] == ["vera"]


@pytest.mark.parametrize("strategy", ["scored", "hybrid"])
def test_a_tier_moves_a_memory_and_a_pinned_one_is_always_found(strategy: str) -> None:
    texts = ("Der Turm steht schief.", "Der Turm steht.", "Der Turm.", "Nebel.", "Asche.")
    plain = stream(*texts)
    tiers = {1: "low", 3: "critical", 4: "pinned"}
    tiered = tuple(replace(one, metadata={"tier": tiers.get(place + 1, "normal")}) for place, one in enumerate(plain))
    before = {hit.entry.id: hit.score for hit in asked(plain, "Turm schief", strategy, signals={}).hits}
    found = asked(tiered, "Turm schief", strategy, signals={}).hits
    after = {hit.entry.id: hit.score for hit in found}
    assert after["vera-001"] == pytest.approx(before["vera-001"] - 0.1)
    assert after["vera-002"] == before["vera-002"]
    assert after["vera-003"] == pytest.approx(min(1.0, before["vera-003"] + 0.3))
    assert after["vera-004"] == 1.0
    assert ("vera-005" in after) == (strategy == "scored")
    parts = {hit.entry.id: hit.parts for hit in found}
    assert parts["vera-001"]["tier"] == pytest.approx(-0.1)
    assert "tier" not in parts["vera-002"]
    assert parts["vera-004"]["tier"] == pytest.approx(1.0 - before.get("vera-004", 0.0), abs=1e-4)


def test_the_best_few_are_the_first_of_all_in_any_tiers() -> None:
    texts = [f"Der Turm steht seit {number} Tagen und {'Nebel ' * (number % 5)}" for number in range(40)]
    tiers = ("normal", "critical", "low", "important", "normal", "pinned", "low")
    nodes = [replace(one, metadata={"tier": tiers[place % 7]}) for place, one in enumerate(stream(*texts))]
    every = numbers(asked(nodes, "Turm Nebel", most=100))
    for most in (1, 3, 10, 25):
        assert numbers(asked(nodes, "Turm Nebel", most=most)) == every[:most]


def test_where_scenes_are_not_counted_no_turn_keeps_a_memory_out() -> None:
    nodes = stream("Der Turm steht.", "Der Turm fällt.")
    assert numbers(asked(nodes, "Turm", signals={}, filters=Filters(min_turn=7))) == [1, 2]


def test_vectors_of_a_model_for_other_languages_count_as_the_settings_say_and_never_more() -> None:
    settings = RecallSettings(vectors=0.8, vectors_foreign=0.3)
    assert RecallInputs(settings).vectors_in("de") == 0.8
    english = RecallInputs(settings, languages=("en",))
    assert (english.vectors_in("en"), english.vectors_in("de")) == (0.8, 0.3)
    weaker = RecallInputs(RecallSettings(vectors=0.1, vectors_foreign=0.3), languages=("en",))
    assert weaker.vectors_in("de") == 0.1


def test_a_strategy_that_is_added_ranks_and_one_that_ranks_nothing_falls_back_to_the_newest() -> None:
    with plugins.added(plugins.STRATEGIES, "mine", strategy_of("tags")):
        found = asked((node(1, tags=("turm",)), node(2)), "turm", "mine")
        assert (found.strategy, numbers(found)) == ("mine", [1])
        found = asked(ALIKE, "nebel", "mine", most=1)
        assert (found.strategy, numbers(found), found.notices) == ("recent", [4], (NOTHING.format("mine"),))
    with pytest.raises(UsageError, match="no strategy is called 'mine'") as caught:
        strategy_of("mine")
    assert "hybrid" in caught.value.hint
