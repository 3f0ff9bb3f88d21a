"""Long texts are cut at the ends of sentences, and nothing of them is lost."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from gm.memory.chunk import MOST, chunk_text, split_sentences

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
    assert chunk_text("ä" * MOST) == ["ä" * MOST]
    assert len(chunk_text(("ä" * 149 + ". ").capitalize() * 2 + "Ü.")) == 2


def test_a_sentence_begins_with_a_capital_behind_a_space() -> None:
    text = "Er sagte: »Nein.« Sie ging. dann nicht, z.B. so (3.14)! »Ja?« Ende"
    assert split_sentences(text) == ["Er sagte: »Nein.«", "Sie ging. dann nicht, z.B. so (3.14)!", "»Ja?«", "Ende"]


def test_a_sentence_that_is_too_long_is_cut_at_its_last_space() -> None:
    assert chunk_text("eins zwei drei vier", 9) == ["eins zwei", "drei vier"]
    assert chunk_text("a ungeheuerlich b", 5) == ["a", "ungeheuerlich", "b"]


def test_a_sentence_of_one_word_that_is_too_long_stays_whole() -> None:
    assert chunk_text("Knochenturmschwelle", 8) == ["Knochenturmschwelle"]
