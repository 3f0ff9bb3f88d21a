"""What remains of a question that was asked out of scene."""

from __future__ import annotations

from gm.model.calendar import SceneRef
from gm.scene.advance import advance
from gm.scene.asked import ANSWER_CHARACTERS, Question, find_answer, fold_answer
from tests.build import agent, reply, takeaway, words, world

QUESTION = Question("vera", "What would you\nthrow away?", "Creative Director", SceneRef(2, 5))


def test_it_is_one_memory_of_a_conversation_and_nothing_else() -> None:
    now = world(agent("vera", accumulator=40), agent("emre"), day=2)
    change = fold_answer(now, QUESTION, reply("The towers.", "All.", conversation=takeaway("-", 7)), words)
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
    change = fold_answer(world(agent("vera"), day=2), QUESTION, reply(), words)
    (kept,) = change.nodes["vera"]
    assert kept.description.endswith("answer=")
    assert kept.metadata["importance_by"] == "heuristic"


def test_what_is_kept_of_a_speech_is_bounded() -> None:
    change = fold_answer(world(agent("vera"), day=2), QUESTION, reply("word " * 900), words)
    assert len(change.nodes["vera"][0].description) < ANSWER_CHARACTERS + 400


def test_the_same_question_by_the_same_person_after_the_same_scene_is_found_again() -> None:
    now = world(agent("vera"), day=2)
    assert find_answer(now, QUESTION) is None
    now = advance(now, fold_answer(now, QUESTION, reply("The towers."), words))
    assert find_answer(now, QUESTION) is now.agents["vera"].stream[-1]
    assert find_answer(now, Question("vera", QUESTION.text, "Somebody", QUESTION.where)) is None
    assert find_answer(now, Question("vera", "Why?", QUESTION.author, QUESTION.where)) is None
    assert find_answer(now, Question("vera", QUESTION.text, QUESTION.author, SceneRef(2, 6))) is None
