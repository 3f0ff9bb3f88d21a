from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from gm.memory.recall.dates import find_spans
from gm.model.calendar import SceneRef
from gm.model.node import Node
from gm.model.passage import Passage
from gm.model.solo_replies import AskReply
from gm.scene.evening.asked import (
    ANSWER_CHARACTERS,
    LINE_CHARACTERS,
    MOST_LINES,
    OffSceneQuestion,
    ReadPlace,
    choose_talks,
    exchange_about,
    find_answer,
    fold_answer,
    people_asked_about,
    places_asked_about,
    spoken_in,
)
from gm.scene.folding.advance import advance
from tests.build import agent, node, takeaway, words, world

HALYARD = "What did you say about the halyard?"


def talk(*lines: object, **metadata: Any) -> Node:
    return node(type="conversation", metadata={"exchange": list(lines), **metadata})


def line(text: str, who: str = "vera") -> dict[str, str]:
    return {"agent": who, "text": text}


def test_a_conversation_is_told_with_the_own_lines() -> None:
    found = exchange_about(talk(line("It holds."), line("Does it?", "emre")), HALYARD)
    assert found.lines == (("vera", "It holds."), ("emre", "Does it?"))
    assert not found.is_cut


def test_of_a_long_conversation_the_part_is_told_that_the_question_is_about() -> None:
    lines = [line(f"Line {number}.") for number in range(40)]
    lines[30] = line("The halyard snaps first.")
    found = exchange_about(talk(*lines), HALYARD)
    assert len(found.lines) == MOST_LINES
    assert ("vera", "The halyard snaps first.") in found.lines
    assert found.is_cut
    assert ("vera", "Line 31.") in found.lines, "what followed is told before what led to it"
    assert exchange_about(talk(*lines), "And?").lines[-1] == ("vera", "Line 39."), "the end"


def test_a_speech_is_shortened_where_a_sentence_ends() -> None:
    ((_, text),) = exchange_about(talk(line("One sentence of seven words, no more. " * 20)), HALYARD).lines
    assert text.endswith("no more. […]")
    assert len(text) <= LINE_CHARACTERS + 4
    ((_, text),) = exchange_about(talk(line("word " * 900)), HALYARD).lines
    assert len(text) <= LINE_CHARACTERS + 2


@pytest.mark.parametrize(
    "exchange", [None, "text", 7, {"agent": "vera"}, ["text", None], [{"agent": "vera"}], [{"agent": 1, "text": "x"}]]
)
def test_a_conversation_written_by_hand_may_have_no_words(exchange: object) -> None:
    assert spoken_in(node(metadata={"exchange": exchange})) == ()


def test_the_memory_of_a_question_quotes_it_already() -> None:
    assert spoken_in(talk(line("So."), kind="asked")) == ()


@pytest.mark.parametrize(
    ("author", "text", "named"),
    [
        ("Creative Director", "What do you think of Emre?", ("emre",)),
        ("Creative Director", "Emres Turm?", ("emre",)),
        ("Creative Director", "Is Emre\u2019s tower his?", ("emre",)),
        ("emre", "And Finn?", ("emre", "finn")),
        ("Creative Director", "Und sonst?", ()),
    ],
)
def test_who_asks_and_who_is_named_is_known(author: str, text: str, named: tuple[str, ...]) -> None:
    now = world(agent("vera"), agent("emre"), agent("finn"))
    assert people_asked_about(now, OffSceneQuestion("vera", text, author, SceneRef(1))) == named


def read(number: int, description: str, **metadata: Any) -> Node:
    usual = {"kind": "read", "source": "library/rope.md", "lines": [4, 9]}
    return node(number, description=description, tags=("library", "breaking"), metadata={**usual, **metadata})


def test_what_was_read_is_found_by_two_words_of_the_question() -> None:
    vera = agent(
        stream=[
            read(1, "I read in \u201cBreaking Loads\u201d: hemp gives way first."),
            read(2, "I read in \u201cRigging\u201d: hemp is breaking, always.", source="library/rig.md"),
            read(3, "I read in \u201cBreaking Loads\u201d again: hemp, hemp.", lines=[4, 9]),
        ]
    )
    now = world(vera, agent("hempel"))
    assert places_asked_about(now, vera, "Which loads were breaking ropes?") == (ReadPlace("library/rope.md", 4, 9),)
    assert places_asked_about(now, vera, "What about breaking?") == ()
    assert places_asked_about(now, vera, "Was Hempel breaking it?") == (), "a name says nothing of a text"


@pytest.mark.parametrize(
    "metadata",
    [{"kind": "heard"}, {"source": 7}, {"lines": None}, {"lines": [1]}, {"lines": ["1", "2"]}, {"lines": [1, None]}],
)
def test_a_memory_of_reading_that_says_no_place_is_passed_over(metadata: dict[str, Any]) -> None:
    vera = agent(stream=[read(1, "I read in \u201cBreaking Loads\u201d.", **metadata)])
    assert places_asked_about(world(vera), vera, "Which loads are breaking?") == ()


@pytest.mark.parametrize(
    ("source", "first", "last", "held"),
    [
        ("library/rope.md", 9, 12, True),
        ("library/rope.md", 1, 4, True),
        ("library/rope.md", 10, 12, False),
        ("library/rope.md", 1, 3, False),
        ("library/rig.md", 4, 9, False),
    ],
)
def test_a_passage_is_known_by_a_line_that_was_read(source: str, first: int, last: int, *, held: bool) -> None:
    assert ReadPlace("library/rope.md", 4, 9).holds(Passage(source, first, last, "Title", "Text.")) is held


def spoken(number: int, *others: str) -> Node:
    lines = [line("Ja?"), *(line("Nein.", other) for other in others)]
    return node(number, type="conversation", metadata={"exchange": lines})


def test_a_talk_with_one_who_is_named_counts_more_than_a_round_with_all() -> None:
    all_, one, strange = spoken(1, "emre", "finn", "nami"), spoken(2, "emre"), spoken(3, "finn")
    scores = {"vera-001": 1.0, "vera-002": 0.4, "vera-003": 0.5}
    assert choose_talks([all_, one, strange], scores, ("emre", "vera"), 3) == (one, all_)
    assert choose_talks([all_, one, strange], scores, (), 3) == (all_, strange)
    assert choose_talks([all_, one, strange], {}, ("emre",), 3) == (one,)
    assert choose_talks([all_, one, strange], scores, (), 1) == (all_,)
    assert choose_talks([all_, one, strange], {}, (), 3) == ()


def test_a_talk_of_a_day_that_the_question_names_comes_first() -> None:
    first, second, third = (replace(spoken(day, "emre"), created=f"day-00{day}/scene-01") for day in (1, 2, 3))
    scores = {"vera-001": 0.8, "vera-002": 0.1, "vera-003": 0.9}
    (tuesday,) = find_spans("Was ist am Dienstag passiert?", 4, ("Montag", "Dienstag", "Mittwoch", "Donnerstag"))
    assert choose_talks([first, second, third], scores, (), 3, (tuesday,)) == (second, third, first)
    assert choose_talks([first, second, third], {}, (), 3, (tuesday,)) == (second,)


QUESTION = OffSceneQuestion("vera", "What would you\nthrow away?", "Creative Director", SceneRef(2, 5))


def test_it_is_one_memory_of_a_conversation_and_nothing_else() -> None:
    now = world(agent("vera", accumulator=40), agent("emre"), day=2)
    change = fold_answer(now, QUESTION, AskReply(answer="The towers.\nAll.", conversation=takeaway("-", 7)), words)
    (kept,) = change.nodes["vera"]
    assert (kept.type, kept.created, kept.importance, kept.tags) == (
        "conversation",
        "day-002/scene-05",
        7,
        ("creative-director",),
    )
    assert kept.metadata == {
        "kind": "asked",
        "from": "Creative Director",
        "exchange": [
            {"agent": "Creative Director", "text": "What would you\nthrow away?"},
            {"agent": "vera", "text": "The towers."},
            {"agent": "vera", "text": "All."},
        ],
    }
    assert "question=What would you throw away?" in kept.description
    assert "answer=The towers. All." in kept.description
    assert dict(change.agents) == {"vera": {"importance_accumulator": 47}}
    assert (set(change.nodes), change.log, change.clock, change.files) == ({"vera"}, None, {}, {})


def test_a_question_that_got_no_answer_is_remembered_as_well() -> None:
    change = fold_answer(world(agent("vera"), day=2), QUESTION, AskReply(answer=""), words)
    (kept,) = change.nodes["vera"]
    assert kept.description.endswith("answer=")
    assert kept.metadata["importance_by"] == "heuristic"


def test_what_is_kept_of_a_speech_is_bounded() -> None:
    change = fold_answer(world(agent("vera"), day=2), QUESTION, AskReply(answer="word " * 900), words)
    assert len(change.nodes["vera"][0].description) < ANSWER_CHARACTERS + 400


def test_the_same_question_by_the_same_person_after_the_same_scene_is_found_again() -> None:
    now = world(agent("vera"), day=2)
    assert find_answer(now, QUESTION) is None
    now = advance(now, fold_answer(now, QUESTION, AskReply(answer="The towers."), words))
    assert find_answer(now, QUESTION) is now.agents["vera"].stream[-1]
    assert find_answer(now, OffSceneQuestion("vera", QUESTION.text, "Somebody", QUESTION.where)) is None
    assert find_answer(now, OffSceneQuestion("vera", "Why?", QUESTION.author, QUESTION.where)) is None
    assert find_answer(now, OffSceneQuestion("vera", QUESTION.text, QUESTION.author, SceneRef(2, 6))) is None
