from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gm.base.tokens import TokenCounter, calibrate, estimate_tokens, mean_by_key


def test_only_the_empty_text_has_no_tokens() -> None:
    assert [estimate_tokens(text) for text in ("", "a", "abc", "abcd")] == [0, 1, 1, 2]


def test_thirty_two_characters_are_ten_tokens() -> None:
    assert estimate_tokens("ä" * 32) == 10
    assert estimate_tokens("ä" * 33) == 11


@given(st.integers(0, 5000), st.integers(0, 5000))
def test_two_texts_together_never_count_more_than_apart(one: int, two: int) -> None:
    assert estimate_tokens("x" * (one + two)) <= estimate_tokens("x" * one) + estimate_tokens("x" * two)


def test_what_was_never_measured_is_counted_by_the_estimate() -> None:
    counter = calibrate([])
    assert (counter.samples, counter.error) == (0, None)
    assert [counter.count(length) for length in (0, 1, 32, 33)] == [0, 1, 10, 11]
    assert calibrate([(0, 5), (5, 0)]) == counter, "pairs without either say nothing"


def test_the_counter_is_the_ratio_of_the_sums() -> None:
    counter = calibrate([(100, 30), (300, 70)])
    assert (counter.tokens_per_character, counter.samples) == (Fraction(1, 4), 2)
    assert counter.count(1000) == 250


def test_the_error_is_what_nine_of_ten_questions_stay_below() -> None:
    exact = [(100, 25)] * 8
    counter = calibrate([*exact, (100, 20), (100, 30)])
    assert counter.tokens_per_character == Fraction(1, 4)
    assert counter.error == pytest.approx(5 / 30), "the greatest error, 5 of 20, is the tenth of ten"
    assert calibrate(exact).error == 0


def test_at_worst_the_error_is_added_and_the_estimate_is_the_least() -> None:
    assert calibrate([(100, 50), (100, 150)]).at_worst(100) == 200
    assert calibrate([(100, 10)]).at_worst(320) == 100
    assert TokenCounter().at_worst(33) == 11


@given(st.lists(st.tuples(st.integers(1, 9999), st.integers(1, 9999)), min_size=1, max_size=30))
def test_on_its_own_samples_a_counter_is_right_in_sum(samples: list[tuple[int, int]]) -> None:
    counter = calibrate(samples)
    counted = sum(characters * counter.tokens_per_character for characters, _ in samples)
    assert counted == sum(tokens for _, tokens in samples)
    assert counter.error is not None
    far = [abs(tokens - characters * counter.tokens_per_character) / tokens for characters, tokens in samples]
    assert sum(float(off) <= counter.error for off in far) >= 0.9 * len(far)


def test_means_are_taken_under_each_key_without_zeros() -> None:
    assert mean_by_key([("scene", 10), ("scene", 20), ("scene", 0), ("reflection", 7), ("other", 0)]) == {
        "reflection": 7,
        "scene": 15,
    }
