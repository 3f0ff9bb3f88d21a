import pytest
from hypothesis import given
from hypothesis import strategies as st

from gm.memory.search import rank_texts

GERMAN = (
    "Der Oberschenkel eines Pferdes trägt aufrecht mehr als eine Tonne; der Knochen bricht am Hals.",
    "Filz schluckt hohe Töne und lässt tiefe durch.",
    "Auf einer Sandsteintreppe verschwindet in hundert Jahren ein Zentimeter der Stufen.",
)


@pytest.mark.parametrize(
    ("query", "best"),
    [
        ("Wie viel tragen Knochentürme?", 0),
        ("knochen", 0),
        ("die Stille im Filzraum", 1),
        ("ein hoher Ton", 1),
        ("ausgetretene Stufe", 2),
        ("TREPPEN aus Sandstein", 2),
    ],
)
def test_a_query_finds_the_text_it_is_about_in_other_forms_of_its_words(query: str, best: int) -> None:
    assert rank_texts(query, GERMAN, "de")[0][0] == best


def test_umlauts_are_found_however_they_are_written() -> None:
    texts = ("Die Türme stehen.", "Die Brücke fällt.")
    scores = [rank_texts(query, texts, "de") for query in ("Türme", "Tuerme", "Tu\u0308rme", "TÜRME")]
    assert [found[0][0] for found in scores] == [0] * 4
    assert len({found[0][1] for found in scores}) == 1


def test_english_words_are_stemmed_as_english() -> None:
    texts = ("The running water wore the steps.", "Bones are carried upright.")
    assert [place for place, _ in rank_texts("carry a bone", texts, "en")] == [1]
    assert rank_texts("step", texts, "en")[0][0] == 0


def test_function_words_find_nothing_unless_there_is_nothing_else() -> None:
    assert rank_texts("was ist das mit dem und der", ("Der Turm und die Tür.", "Nichts davon."), "de") != []
    assert [
        place for place, _ in rank_texts("was ist mit der Tür", ("Der Turm und die Tür.", "Der und die."), "de")
    ] == [0]


def test_a_rarer_word_counts_more_and_equal_texts_keep_their_order() -> None:
    texts = ("Turm Turm Asche", "Turm Turm Glut", "Turm Turm Asche")
    assert [place for place, _ in rank_texts("Turm Glut", texts, "de")] == [1, 0, 2]


def test_a_language_without_a_stemmer_compares_words_as_they_stand() -> None:
    assert [place for place, _ in rank_texts("torni", ("torni alti", "torre"), "it")] == [0]


@given(st.text(max_size=40), st.lists(st.text(max_size=60), max_size=5), st.sampled_from(["de", "en", "xx"]))
def test_any_text_is_ranked_and_every_score_is_above_zero(query: str, texts: list[str], language: str) -> None:
    found = rank_texts(query, texts, language)
    assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)
    assert all(score > 0 for _, score in found)
    assert len({place for place, _ in found}) == len(found)


def test_nothing_is_found_in_nothing() -> None:
    assert rank_texts("Turm", (), "de") == []
    assert rank_texts("", ("Turm",), "de") == []
