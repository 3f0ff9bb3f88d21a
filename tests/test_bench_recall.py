"""The questions and figures of the bench of recall."""

from __future__ import annotations

from collections import Counter

import pytest

from bench.recalling.asking import Question, ask_all, changed, value_of
from bench.recalling.figures import Outcome, difference, mean_of, recall_at, reciprocal
from bench.recalling.signals import SIGNALS, unnamed
from bench.recalling.worlds import PLAYED, REFLECTION, TOLD, World, ask_about, open_world, run
from bench.recalling.written import (
    FERRY,
    FERRY_STREAM,
    STUDIO,
    STUDIO_STREAM,
    Written,
    check_written,
    load_streams,
    load_written,
)
from gm.memory.recall.lexicon import MemoryLexicon
from gm.memory.recall.query import Query
from gm.model.node import Node


@pytest.fixture(scope="module")
def three_days(tmp_path_factory: pytest.TempPathFactory) -> World:
    """Return the three played days that are shipped."""
    folder = tmp_path_factory.mktemp("days") / "studio"
    run("init", str(folder), "--with-days")
    return open_world(PLAYED[0], folder)


def texts_of(streams: dict[str, tuple[Node, ...]]) -> dict[str, str]:
    """Return the descriptions of all memories by id."""
    return {node.id: node.description for nodes in streams.values() for node in nodes}


def test_written_german_questions_keep_their_rules() -> None:
    written = load_written(STUDIO)

    assert check_written(written, texts_of(load_streams(STUDIO_STREAM))) == []
    assert Counter(one.kind for one in written) == {"single": 50, "multi": 40, "temporal": 15, "never": 15}
    assert {len(one.facts) for one in written if one.kind == "multi"} == {2, 3, 4}
    assert len({one.question for one in written}) == len(written)


def test_written_english_questions_keep_their_rules() -> None:
    written = load_written(FERRY)

    assert check_written(written, texts_of(load_streams(FERRY_STREAM))) == []
    assert sorted(load_streams(FERRY_STREAM)) == ["aldous", "jem", "marguerite", "piotr", "ruth"]
    assert Counter(one.kind for one in written) == {"single": 30, "multi": 18, "temporal": 6, "never": 6}
    assert len({one.question for one in written}) == len(written)


def test_a_question_that_breaks_a_rule_is_named() -> None:
    quoted = Written("single", "Who saw the red kite fly?", (frozenset({"mina-001"}),))
    lost = Written("single", "What flew?", (frozenset({"mina-002"}),))
    empty = Written("odd", "Who?", ())

    assert check_written([quoted, lost, empty], {"mina-001": "Leo saw the red kite first."}) == [
        "unknown kind: odd",
        "mina-002 does not exist: What flew?",
        "no evidence: Who?",
    ]
    assert check_written([quoted], {"mina-001": "Who saw the red kite first?"}) == [
        "5 words of mina-001: Who saw the red kite fly?"
    ]


def test_built_questions_search_only_what_came_before(three_days: World) -> None:
    questions = ask_about(three_days)

    assert {question.kind for question in questions} >= {REFLECTION, TOLD}
    for question in questions:
        known = {entry.id for stream in question.streams for entry in stream.entries}
        assert all(fact <= known for fact in question.facts)
        if question.kind == REFLECTION:
            texts = texts_of(three_days.streams)
            asked = next(name for name, text in texts.items() if text == question.query.text)
            assert asked not in known


def test_recall_is_the_share_of_what_was_asked_for() -> None:
    outcome = Outcome("multi", "world", (2, 0, 11), (100, (1, 1, 2)))

    assert outcome.recall(10) == pytest.approx(1 / 3)
    assert outcome.reciprocal == 0.5
    assert Outcome("multi", "world", (0,), (4, (2,))).by_chance(1) == 0.5
    assert Outcome("multi", "world", (0,), (4, (2,))).by_chance(10) == 1.0


def test_an_interval_of_equal_scores_has_no_width_and_one_of_mixed_scores_holds_the_mean() -> None:
    equal = [Outcome("single", "world", (1,), (9, (1,)))] * 20
    mixed = [Outcome("single", f"world {place % 2}", (place % 3,), (9, (1,))) for place in range(60)]

    assert str(mean_of(equal, recall_at(10))) == "1.000 [1.000, 1.000]"
    found = mean_of(mixed, reciprocal)
    assert found.low < found.mean < found.high
    assert difference(mixed, mixed, reciprocal).as_difference == "+0.000 [+0.000, +0.000]"


def test_a_constant_is_replaced_and_put_back_also_after_an_error() -> None:
    before = value_of("hybrid.AROUND")
    assert before != 0.0

    inside = []

    def stop() -> None:
        with changed({"hybrid.AROUND": 0.0}):
            inside.append(value_of("hybrid.AROUND"))
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        stop()

    assert inside == [0.0]
    assert value_of("hybrid.AROUND") == before


def test_a_question_is_asked_with_changed_constants() -> None:
    nodes = [
        Node(f"mina-{place:03d}", "day-001/scene-01", "observation", 0, text, 5)
        for place, text in enumerate(("a red kite", "rain"))
    ]
    question = Question(
        Query("Who saw the kite?"), "single", "world", (frozenset({"mina-000"}),), (MemoryLexicon("mina", nodes, "en"),)
    )

    assert ask_all([question]).outcomes[0].ranks == (1,)
    # no word of it is read, so nothing is found
    assert ask_all([question], changes={"strategies.LONGEST_QUESTION": 0}).outcomes[0].ranks == (0,)
    assert ask_all([question]).outcomes[0].ranks == (1,)


def test_every_weight_of_the_code_has_a_signal_that_leaves_it_out() -> None:
    assert unnamed() == []
    assert all(changes for changes in SIGNALS.values())
