"""Two forms of a text, word by word."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gm.tools.views.worddiff import Piece, compare_lines, compare_words


def test_a_word_that_changed_is_told_and_the_others_stay() -> None:
    assert compare_words("Wer zuletzt geht, macht Licht aus", "Wer zuletzt kommt, macht Licht aus") == (
        Piece("same", "Wer zuletzt "),
        Piece("del", "geht"),
        Piece("ins", "kommt"),
        Piece("same", ", macht Licht aus"),
    )


def test_texts_with_little_in_common_are_told_whole() -> None:
    assert compare_words("müde", "hellwach") == (Piece("del", "müde"), Piece("ins", "hellwach"))
    assert compare_words("", "hellwach") == (Piece("ins", "hellwach"),)


def test_of_a_list_each_line_is_told() -> None:
    assert compare_lines(
        ["Eins bleibt.", "Zwei geht nach Hause."], ["Eins bleibt.", "Zwei geht nach Rom.", "Drei."]
    ) == (
        (Piece("same", "Eins bleibt."),),
        (Piece("same", "Zwei geht nach "), Piece("del", "Hause"), Piece("ins", "Rom"), Piece("same", ".")),
        (Piece("ins", "Drei."),),
    )


@given(st.text(), st.text())
def test_both_texts_can_be_read_off_again(old: str, new: str) -> None:
    pieces = compare_words(old, new)
    assert "".join(piece.text for piece in pieces if piece.how != "ins") == old
    assert "".join(piece.text for piece in pieces if piece.how != "del") == new


@given(st.lists(st.text("ab ", min_size=1), max_size=6), st.lists(st.text("ab ", min_size=1), max_size=6))
def test_both_lists_can_be_read_off_again(old: list[str], new: list[str]) -> None:
    lines = compare_lines(old, new)
    before = ["".join(piece.text for piece in line if piece.how != "ins") for line in lines]
    after = ["".join(piece.text for piece in line if piece.how != "del") for line in lines]
    assert [line for line in before if line] == old
    assert [line for line in after if line] == new
