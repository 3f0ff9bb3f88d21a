"""Quotes of what has no id: how an entry is read, and what stands in a letter."""

from __future__ import annotations

import pytest

from gm.model.interview import (
    INTERVIEW_ANSWER,
    FirstAnswer,
    InterviewAnswer,
    Quote,
    is_quoted_from,
    split_evidence,
)
from gm.model.record import RecordError

LETTER = """Dein Plan für heute:
1. Mittwoch halb drei bei Tobi, mit dem
   Plastilin (verschoben)

> Drin war »keiner«, und Straße ist Straße.
> Draußen auch > keiner.
"""


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ("plan", ("plan", "")),
        ("`vera-012`", ("vera-012", "")),
        ("plan: Mittwoch halb drei bei Tobi", ("plan", "Mittwoch halb drei bei Tobi")),
        ("vera-012: Das Brot vom Montag", ("vera-012", "Das Brot vom Montag")),
        ("`plan`: „Mittwoch: halb drei“", ("plan", "Mittwoch: halb drei")),
        ("`diary: Drin war keiner.`", ("diary", "Drin war keiner.")),
        ("board: ", ("board", "")),
        ("", ("", "")),
    ],
)
def test_an_entry_names_a_source_and_quotes_words_of_it(entry: str, expected: tuple[str, str]) -> None:
    assert split_evidence(entry) == expected


@pytest.mark.parametrize(
    "words",
    [
        "Mittwoch halb drei bei Tobi",
        "mittwoch HALB drei bei Tobi.",
        "bei Tobi, mit dem Plastilin",
        "Drin war 'keiner', und",
        "… halb  drei\tbei Tobi …",
        "STRASSE ist Straße",
        "Straße ist Straße. Draußen auch",
    ],
)
def test_words_stand_in_a_letter_but_for_case_spaces_and_quotation_marks(words: str) -> None:
    assert is_quoted_from(LETTER, words)


@pytest.mark.parametrize(
    "words",
    [
        "Mittwoch um halb drei bei Tobi",
        "Mittwoch, halb drei",
        "drei bei Tob",
        "ittwoch halb drei",
        "halb drei bei Tobi Plastilin",
        "Draußen auch keiner",
        ".*",
        "«…»",
        "",
    ],
)
def test_other_words_and_parts_of_words_do_not(words: str) -> None:
    assert not is_quoted_from(LETTER, words)


def kept(**more: object) -> InterviewAnswer:
    usual = {"agent": "vera", "at": "day-001", "key": "plans-1", "kind": "plans", "question": "Was?", "answer": "Das."}
    return INTERVIEW_ANSWER.read({**usual, **more})


def test_quotes_are_kept_and_lines_from_before_have_none() -> None:
    quote = {"source": "plan", "words": "halb drei"}
    assert kept().quotes == ()
    assert "quotes" not in INTERVIEW_ANSWER.write(kept())
    answer = kept(quotes=[quote])
    assert answer.quotes == (Quote("plan", "halb drei"),)
    assert INTERVIEW_ANSWER.write(answer)["quotes"] == [quote]


@pytest.mark.parametrize("quotes", ["plan", ["plan"], [{"source": "plan"}], [{"source": "moon", "words": "halb drei"}]])
def test_quotes_in_another_form_are_refused(quotes: object) -> None:
    with pytest.raises(RecordError):
        kept(quotes=quotes)


def test_sources_without_a_quote_are_bare() -> None:
    quote = {"source": "plan", "words": "halb drei"}
    assert kept(sources=["plan", "diary"], quotes=[quote]).bare_sources == ("diary",)


def test_the_first_answer_stays_beside_the_one_after_a_second_look() -> None:
    assert kept().first is None
    assert not kept().was_changed
    assert "first" not in INTERVIEW_ANSWER.write(kept())
    first = {"answer": "Dies.", "cited": ["vera-001"]}
    answer = kept(first=first)
    assert answer.first == FirstAnswer("Dies.", ("vera-001",))
    assert answer.was_changed
    assert INTERVIEW_ANSWER.write(answer)["first"] == first
    assert not kept(first={"answer": "Das."}).was_changed


def test_an_answer_becomes_the_first_one_with_all_that_it_rests_on() -> None:
    quote = {"source": "plan", "words": "halb drei"}
    answer = kept(cited=["vera-001"], sources=["plan"], quotes=[quote])
    assert answer.as_first == FirstAnswer("Das.", ("vera-001",), ("plan",), (Quote("plan", "halb drei"),))
