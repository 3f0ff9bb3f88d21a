"""Two forms of a text, word by word."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gm.api.views.worddiff import Segment, compare_sentences, compare_words


def test_a_word_that_changed_is_told_and_the_others_stay() -> None:
    assert compare_words("Wer zuletzt geht, macht Licht aus", "Wer zuletzt kommt, macht Licht aus") == (
        Segment("Wer zuletzt "),
        Segment("geht", "del"),
        Segment("kommt", "ins"),
        Segment(", macht Licht aus"),
    )


def test_texts_with_little_in_common_are_told_whole() -> None:
    assert compare_words("müde", "hellwach") == (Segment("müde", "del"), Segment("hellwach", "ins"))
    assert compare_words("", "hellwach") == (Segment("hellwach", "ins"),)


def test_of_a_list_each_line_is_told() -> None:
    assert compare_sentences(
        ["Eins bleibt.", "Zwei geht nach Hause."], ["Eins bleibt.", "Zwei geht nach Rom.", "Drei."]
    ) == (
        (Segment("Eins bleibt."),),
        (Segment("Zwei geht nach "), Segment("Hause", "del"), Segment("Rom", "ins"), Segment(".")),
        (Segment("Drei.", "ins"),),
    )


@given(st.text(), st.text())
def test_both_texts_can_be_read_off_again(old: str, new: str) -> None:
    segments = compare_words(old, new)
    assert "".join(segment.text for segment in segments if segment.mark != "ins") == old
    assert "".join(segment.text for segment in segments if segment.mark != "del") == new


@given(st.lists(st.text("ab ", min_size=1), max_size=6), st.lists(st.text("ab ", min_size=1), max_size=6))
def test_both_lists_can_be_read_off_again(old: list[str], new: list[str]) -> None:
    lines = compare_sentences(old, new)
    before = ["".join(segment.text for segment in line if segment.mark != "ins") for line in lines]
    after = ["".join(segment.text for segment in line if segment.mark != "del") for line in lines]
    assert [line for line in before if line] == old
    assert [line for line in after if line] == new
