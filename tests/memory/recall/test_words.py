from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gm.memory.recall.lexicon import MemoryLexicon
from gm.memory.recall.matching import compounds_of
from gm.memory.recall.strategies import LONGEST_QUESTION, TOO_LONG
from gm.memory.recall.words import (
    CHUNK_CHARACTERS,
    _stem,
    chunk_text,
    count_languages,
    detect_language,
    split_sentences,
    split_words,
    stem,
    terms_of,
    without_stop_words,
)
from tests.memory.recall.asking import asked, numbers, stream

MEET = [
    ("Knochenturm", "Die Knochentürme stehen schief."),
    ("Knochenturms", "Die Knochentürme stehen schief."),
    ("Knochentuerme", "Der Fuß des Knochenturms ist nass."),
    ("Aschen-Einöde", "Wir gehen durch die Aschen-Einöden."),
    ("Aschen-Einöden", "Die Aschen-Einöde ist grau."),
    ("Einöden", "Die Aschen-Einöde ist grau."),
    ("Aschen", "Die Aschen-Einöde ist grau."),
    ("Einoede", "Die Aschen-Einöde ist grau."),
    ("Ascheneinöde", "Die Aschen-Einöde ist grau."),
    ("Aschen-Einöde", "Die Ascheneinöde ist grau, und eine Einöde bleibt sie."),
    ("Turm", "Der Knochenturm steht schief."),
    ("Knochen", "Der Knochenturm steht schief."),
    ("Knochenturm", "Ein Turm stand da."),
    ("D&D", "Am Donnerstag spielen wir D&D."),
    ("r&d", "Das Budget für R&D ist weg."),
    ("Straße", "Die Strasse war leer."),
    ("Strassen", "Die Straße war leer."),
    ("müde", "Alle sind sehr muede."),
    ("Häuser", "Ein Haus brannte."),
    ("völuspá", "Die Völuspá liegt auf dem Tisch."),
    ("Türme", "Der Tu\u0308rme waren drei."),
    ("Glutkarawanen", "Die Karawane kam nicht."),
]


@pytest.mark.parametrize(("question", "text"), MEET)
def test_forms_of_a_word_meet(question: str, text: str) -> None:
    nodes = stream("Nichts davon kommt hier vor.", text, "Auch hier nicht.")
    assert numbers(asked(nodes, question, signals={"compound": 0.4})) == [2]


def test_a_question_without_compounds_finds_whole_words_only() -> None:
    nodes = stream("Der Knochenturm steht.", "Ein Turm steht.")
    assert numbers(asked(nodes, "Turm", signals={})) == [2]
    assert numbers(asked(nodes, "Turm", signals={"compound": 0.4})) == [2, 1]


def test_a_part_of_a_compound_counts_more_when_the_rest_is_a_word_of_the_stream() -> None:
    nodes = stream("Die Kartoffel kocht.", "Der Kartenleser kam.", "Ein Leser kam.", "Sonst war nichts.")
    assert numbers(asked(nodes, "Karte", signals={"compound": 0.4}))[0] == 2


def test_english_words_meet_in_an_english_stream_in_a_world_of_any_language() -> None:
    nodes = stream("She said that they were painting the towers.", "It was not what we had.", "That is all there was.")
    assert numbers(asked(nodes, "painted tower", signals={}, language="de")) == [1]


def test_the_language_is_that_of_most_words_and_else_that_of_the_world() -> None:
    assert detect_language(count_languages("Ich habe nicht gesehen, was der Turm ist."), "en") == "de"
    assert detect_language(count_languages("They were what you could see."), "de") == "en"
    assert detect_language(count_languages("Turm Asche Glut"), "en") == "en"
    assert detect_language({"de": 3, "en": 9}, "fr") == "fr"


def test_words_are_taken_apart_at_hyphens_and_lose_a_genitive() -> None:
    assert split_words("Vera's D&D-Abend: »Glutlos«!") == ["vera", "d&d", "abend", "glutlos"]
    assert terms_of("Vera’s Türme", "de") == ["vera", "turm"]


def test_a_question_of_stop_words_keeps_them() -> None:
    assert without_stop_words("Was ist mit ihm?", "de") == ["was", "ist", "mit", "ihm"]
    assert without_stop_words("Was ist mit dem Turm?", "de") == ["turm"]


def test_a_question_that_matches_nothing_finds_nothing() -> None:
    assert asked(stream("Ein Turm."), "Schnee").hits == ()
    assert asked((), "Schnee").hits == ()
    assert asked(stream("Ein Turm."), "").hits == ()


def test_two_letters_more_are_no_compound_and_a_short_end_is_no_part() -> None:
    plural = stream("Die Turmin kam.", "Es regnet.", "Sonst nichts.")
    assert numbers(asked(plural, "Turm", signals={"compound": 0.4})) == []
    short = stream("Das Tor ist zu.", "Es regnet.", "Sonst nichts.")
    assert numbers(asked(short, "Aschetor", signals={"compound": 0.4})) == []
    known = stream("Das Tor ist zu.", "Die Asche fällt.", "Sonst nichts.")
    assert numbers(asked(known, "Aschetor", signals={"compound": 0.4})) == [2, 1]


def test_a_word_longer_than_any_of_a_language_is_found_as_it_stands_and_never_taken_apart() -> None:
    long = "turm" * 30
    nodes = stream(f"Da steht {long} an der Wand.", "Der Turm steht schief.", f"Nur {long}en nicht.")
    assert numbers(asked(nodes, long.upper(), signals={"compound": 0.4})) == [1]
    assert stem(f"{long}en", "de") == f"{long}en"
    lexicon = MemoryLexicon("vera", nodes, "de")
    assert compounds_of("turm" * 3, lexicon) != {}
    assert compounds_of(long, lexicon) == {}


def test_only_the_beginning_of_an_endless_question_is_read_and_that_is_said() -> None:
    nodes = stream("Der Turm steht schief.", "Der Brunnen ist leer.")
    found = asked(nodes, "Turm " + "sonst nichts " * 2000 + "Brunnen", signals={})
    assert numbers(found) == [1]
    assert found.notices[0] == TOO_LONG
    assert numbers(asked(nodes, "Turm" + "x" * LONGEST_QUESTION, signals={})) == []
    assert TOO_LONG not in asked(nodes, "Turm", signals={}).notices


def test_words_are_stemmed_alike_on_many_threads_at_once() -> None:
    words = [f"knochent{letter}rme{end}" for letter in "aeiouü" for end in ("", "n", "s", "ns", "heiten", "keiten")]
    alone = [stem(f"{word}{number}lichkeiten", "de") for number in range(40) for word in words]
    _stem.cache_clear()
    with ThreadPoolExecutor(8) as pool:
        together = list(
            pool.map(lambda word: stem(word, "de"), [f"{word}{n}lichkeiten" for n in range(40) for word in words])
        )
    assert together == alone


TEXTS = st.text(st.sampled_from('aBäÖ .!?»«"\n(1'), max_size=900) | st.text(max_size=700)


@given(TEXTS, st.integers(1, 320))
def test_put_together_the_pieces_are_the_text(text: str, most: int) -> None:
    assert " ".join(chunk_text(text, most)) == " ".join(text.split())


@given(TEXTS, st.integers(1, 320))
def test_only_a_single_word_is_longer_than_a_piece(text: str, most: int) -> None:
    assert all(len(piece) <= most or " " not in piece for piece in chunk_text(text, most))


@given(TEXTS, st.integers(1, 320))
def test_no_two_neighbours_would_fit_into_one_piece(text: str, most: int) -> None:
    pieces = chunk_text(text, most)
    assert all(len(one) + 1 + len(two) > most for one, two in pairwise(pieces))


def test_a_text_that_fits_stays_whole_and_an_empty_one_has_no_pieces() -> None:
    assert chunk_text("Kurz. Und gut.") == ["Kurz. Und gut."]
    assert chunk_text(" \n ") == []


def test_it_counts_characters_not_bytes() -> None:
    assert chunk_text("ä" * CHUNK_CHARACTERS) == ["ä" * CHUNK_CHARACTERS]
    assert len(chunk_text(("ä" * 149 + ". ").capitalize() * 2 + "Ü.")) == 2


def test_a_sentence_begins_with_a_capital_behind_a_space() -> None:
    text = "Er sagte: »Nein.« Sie ging. dann nicht, z.B. so (3.14)! »Ja?« Ende"
    assert split_sentences(text) == ["Er sagte: »Nein.«", "Sie ging. dann nicht, z.B. so (3.14)!", "»Ja?«", "Ende"]


def test_a_sentence_that_is_too_long_is_cut_at_its_last_space() -> None:
    assert chunk_text("eins zwei drei vier", 9) == ["eins zwei", "drei vier"]
    assert chunk_text("a ungeheuerlich b", 5) == ["a", "ungeheuerlich", "b"]


def test_a_sentence_of_one_word_that_is_too_long_stays_whole() -> None:
    assert chunk_text("Knochenturmschwelle", 8) == ["Knochenturmschwelle"]
