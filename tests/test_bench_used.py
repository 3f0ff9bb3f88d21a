"""The rule by which a benchmark says which memories an answer uses."""

from __future__ import annotations

from dataclasses import replace

from bench.letters import Letter, read_answer
from bench.used import cited, found_by_chance, said_again, told_of_closed
from gm.model.node import Node

OLD = Node("vera-001", "day-001/scene-02", "observation", 0, "Der Keller voller Leisten roch nach kaltem Leim.", 5)
OTHER = Node("vera-002", "day-001/scene-03", "observation", 0, "Leo hat mir einen Kaffee gebracht.", 3)
LETTER = Letter(
    source="test",
    place="day-002/scene-01",
    day=2,
    scene=1,
    who="vera",
    kind="scene",
    language="de",
    before=(OLD, OTHER),
    parts={},
    threads={"thread-001": ("day-001/scene-03", "Vera fragt Leo, wer den Kaffee gebracht hat, mir einen neuen.")},
    people=(("vera", "Vera Kern", "Vera"), ("leo", "Leo Brand", "Leo")),
    weekdays=(),
    system=f"Erinnerungen:\n- vera-001: {OLD.description}\n- vera-002: {OTHER.description}",
    text="Tag 2. Leo steht in der Tür.",
    answer={},
    others={"leo": (replace(OLD, id="leo-001"),)},
)


def _answered(**answer: object) -> Letter:
    return replace(LETTER, answer=answer)


def test_only_known_memories_count_as_cited() -> None:
    letter = _answered(memories=[{"description": "x", "evidence": ["vera-002", "vera-099"]}], insights="none")
    assert cited(letter) == {"vera-002"}


def test_four_words_in_a_row_say_a_memory_again() -> None:
    assert said_again(_answered(thoughts="Es roch nach kaltem Leim, wie damals.")) == {"vera-001"}


def test_rare_words_in_any_order_say_a_memory_again() -> None:
    letter = _answered(dialogue=[{"to": "leo", "text": "Kalter Leim, und so viele Leisten im Keller!"}])
    assert said_again(letter) == {"vera-001"}
    assert said_again(_answered(dialogue=[{"to": "leo", "text": "Im Keller ist Leim."}])) == frozenset()


def test_what_stands_elsewhere_in_the_letter_says_nothing() -> None:
    letter = _answered(thoughts="Es roch nach kaltem Leim.")
    assert said_again(replace(letter, text="Der Flur roch nach kaltem Leim.")) == frozenset()


def test_chance_is_counted_with_the_memories_of_others() -> None:
    letter = _answered(thoughts="Es roch nach kaltem Leim.")
    assert found_by_chance(letter) == (1, 1)
    assert found_by_chance(letter, unread=True) == (0, 1), "an own memory holds the same words"


def test_a_thread_that_is_closed_uses_the_memories_that_tell_of_it() -> None:
    letter = _answered(closes=[{"id": "thread-001", "outcome": "kept"}])
    told = replace(letter.before[1], description="Leo fragt, ob er mir neuen Kaffee gebracht hat.")
    assert told_of_closed(replace(letter, before=(OLD, told))) == {"vera-002"}
    assert told_of_closed(_answered(closes=[{"id": "thread-009", "outcome": "kept"}])) == frozenset()


def test_an_answer_that_cannot_be_read_uses_nothing() -> None:
    assert read_answer("no data") == read_answer("{half") == read_answer("{,}") == {}
