from hypothesis import given
from hypothesis import strategies as st

from gm.tokens import estimate_tokens


def test_only_the_empty_text_has_no_tokens() -> None:
    assert [estimate_tokens(text) for text in ("", "a", "abc", "abcd")] == [0, 1, 1, 2]


def test_thirty_two_characters_are_ten_tokens() -> None:
    assert estimate_tokens("ä" * 32) == 10
    assert estimate_tokens("ä" * 33) == 11


@given(st.integers(0, 5000), st.integers(0, 5000))
def test_two_texts_together_never_count_more_than_apart(one: int, two: int) -> None:
    assert estimate_tokens("x" * (one + two)) <= estimate_tokens("x" * one) + estimate_tokens("x" * two)
