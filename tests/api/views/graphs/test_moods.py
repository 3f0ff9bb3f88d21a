"""Moods over the days."""

from __future__ import annotations

from gm.api.views.graphs.moods import DIARY, FILE, MOST_DAYS, TRACES, Mood, draw_moods
from tests.api.views.graphs.small import GERMAN


def moods(*said: tuple[str, int, str], source: str = DIARY) -> list[Mood]:
    return [Mood(agent, day, word, source) for agent, day, word in said]


def test_the_most_frequent_words_are_named_and_the_last_day_of_all() -> None:
    said = moods(("ada", 1, "müde"), ("bo", 1, "heiter"), ("ada", 2, "Müde"), ("bo", 2, "weich"))
    finding = draw_moods(GERMAN, said, [1, 2]).finding
    assert finding == "Am häufigsten steht da »müde« (2-mal). Zuletzt: Ada »Müde«, Bo »weich«."


def test_equal_words_have_one_colour_and_single_ones_none() -> None:
    said = moods(("ada", 1, "müde"), ("bo", 1, "heiter"), ("ada", 2, "MÜDE"))
    lines = draw_moods(GERMAN, said, [1, 2]).data["lines"]
    assert [cell["tone"] for cell in lines[0]["cells"]] == [1, 0, 0]
    assert [cell["tone"] for cell in lines[1]["cells"]] == [1, 0, 0]


def test_a_day_without_records_stays_empty() -> None:
    graph = draw_moods(GERMAN, moods(("ada", 1, "wach"), ("bo", 3, "matt")), [1, 2, 3])
    assert graph.table.rows == (("Tag 3", "–", "matt", "–"), ("Tag 2", "–", "–", "–"), ("Tag 1", "wach", "–", "–"))


def test_days_before_anything_was_kept_are_one_sentence() -> None:
    graph = draw_moods(GERMAN, moods(("ada", 9, "wach")), range(1, 10))
    assert [row[0] for row in graph.table.rows] == ["Tag 9"]
    assert graph.note.endswith("Von den Tagen vor Tag 9 ist keine aufbewahrt.")
    assert graph.finding == "Ein einziger Eintrag: »wach«."
    withheld = draw_moods(GERMAN, moods(("ada", 9, "wach")), range(1, 10), is_withheld=True)
    assert "Antworten sind hier zurückgehalten." in withheld.note
    assert "keine aufbewahrt" not in withheld.note


def test_it_says_where_the_words_come_from() -> None:
    said = [
        *moods(("ada", 1, "wach")),
        *moods(("bo", 1, "matt"), source=TRACES),
        *moods(("cem", 1, "mild"), source=FILE),
    ]
    note = draw_moods(GERMAN, said, [1]).note
    assert "aus dem Tagebuch (1), aus den aufbewahrten Antworten (1) und aus der Datei der Figur (1)" in note


def test_only_the_newest_days_are_shown_and_that_is_said() -> None:
    days = range(1, MOST_DAYS + 11)
    graph = draw_moods(GERMAN, moods(*(("ada", day, "wach") for day in days)), days)
    assert len(graph.table.rows) == MOST_DAYS
    assert graph.table.rows[0][0] == f"Tag {MOST_DAYS + 10}"
    assert f"die letzten {MOST_DAYS} von {MOST_DAYS + 10} Tagen" in graph.note


def test_without_any_mood_there_is_nothing_to_draw() -> None:
    graph = draw_moods(GERMAN, [], [1])
    assert (graph.data, graph.table.rows, graph.finding) == ({}, (), "Es ist noch keine Stimmung festgehalten.")
