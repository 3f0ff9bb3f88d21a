"""Days in a question."""

from __future__ import annotations

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gm.memory.recall.dates import find_spans, ordinal, ordinal_of, year_of
from gm.memory.recall.query import Query
from tests.build import node
from tests.memory.recall.asking import asked, numbers

WEEK = ("Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag")
MAY_7 = datetime.date(2023, 5, 7).toordinal()


@given(st.dates())
def test_days_are_numbered_as_everywhere(day: datetime.date) -> None:
    number = ordinal(day.year, day.month, day.day)
    assert number == day.toordinal() == ordinal_of(day.isoformat())
    assert year_of(number) == day.year


@pytest.mark.parametrize(
    ("question", "days"),
    [
        ("Was war an Tag 12?", (12, 12)),
        ("What happened on day 12?", (12, 12)),
        ("Tag 3 bis 5", (3, 5)),
        ("Was war gestern?", (8, 8)),
        ("Was sagte er vorgestern?", (7, 7)),
        ("What did she do yesterday?", (8, 8)),
        ("Was war heute?", (9, 9)),
        ("Was war vor drei Tagen?", (6, 6)),
        ("What was 2 days ago?", (7, 7)),
        ("Was war letzten Dienstag?", (7, 7)),
        ("Was sagte sie am Montag?", (6, 6)),
        ("Und am Donnerstag?", (4, 4)),
        ("Was geschah letzte Woche?", (1, 5)),
    ],
)
def test_a_question_names_story_days(question: str, days: tuple[int, int]) -> None:
    (span,) = find_spans(question, 9, WEEK)
    assert (span.first, span.last, span.real) == (*days, False)


@pytest.mark.parametrize(
    "question",
    ["on 7 May 2023", "on May 7, 2023", "am 7. Mai 2023", "the 7th of May, 2023", "am 7.5.2023", "2023-05-07"],
)
def test_a_question_names_a_real_date(question: str) -> None:
    (span,) = find_spans(question)
    assert (span.first, span.last, span.real) == (MAY_7, MAY_7, True)


def test_a_date_without_its_year_is_near_in_every_year() -> None:
    (span,) = find_spans("am 8. Mai")
    assert span.every_year
    assert span.gap(ordinal(2023, 5, 8)) == span.gap(ordinal(1999, 5, 8)) == 0
    assert span.gap(ordinal(2023, 5, 6)) == 2
    assert find_spans("am 31. Dezember")[0].gap(ordinal(2023, 1, 2)) == pytest.approx(1.2)


def test_a_month_is_all_its_days() -> None:
    (span,) = find_spans("in May 2023")
    assert span.gap(ordinal(2023, 5, 1)) == span.gap(ordinal(2023, 5, 31)) == 0


def test_words_that_are_no_months_name_no_day() -> None:
    assert find_spans("May I ask what they march for?") == ()
    assert find_spans("Nichts davon", 4, WEEK) == ()
    assert find_spans("am 45. Mai") == ()


def test_without_a_now_nothing_is_counted_from_it() -> None:
    assert find_spans("gestern", 0, WEEK) == ()


def test_a_date_lifts_what_is_near_by_the_memorys_own_date() -> None:
    nodes = tuple(
        node(n, description="Der Turm steht.", created=f"day-00{n}/scene-01", metadata={"session_date": day})
        for n, day in enumerate(("2023-04-01T10:00", "2023-05-08T13:56", "2023-07-01"), 1)
    )
    question = "Stand der Turm am 7. Mai 2023?"
    assert numbers(asked(nodes, question, signals={})) == [1, 2, 3]
    assert numbers(asked(nodes, question, signals={"date": 0.8}))[0] == 2


def test_a_date_is_a_story_day_where_the_calendar_says_when_it_began() -> None:
    nodes = tuple(node(n, description="Der Turm steht.", created=f"day-00{n}/scene-01") for n in (1, 2, 3))
    question = Query("Stand der Turm am 3. März 2026?", first_date=ordinal_of("2026-03-02"))
    assert numbers(asked(nodes, question, signals={"date": 0.8, "date_tau_days": 0.5}))[0] == 2
    assert numbers(asked(nodes, Query("Tag 3"), signals={"date": 0.8}))[0] == 3


def test_a_year_ends_and_begins_where_the_calendar_says() -> None:
    for year in range(1, 2402):
        assert year_of(datetime.date(year, 1, 1).toordinal()) == year
        assert year_of(datetime.date(year, 12, 31).toordinal()) == year


@pytest.mark.parametrize("question", ["Was war vor 0 Tagen?", "Was war vor 12345678 Tagen?", "Was war letzte Woche?"])
def test_days_before_the_story_and_days_that_cannot_be_counted_are_none(question: str) -> None:
    assert list(find_spans(question, 3, WEEK)) == []


def test_a_weekday_before_the_first_day_is_none() -> None:
    assert list(find_spans("Was war letzten Freitag?", 3, WEEK)) == []
