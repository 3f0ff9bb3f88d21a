"""What the interface says."""

import re

import pytest

from gm.web.language import SPOKEN, load_words


def test_both_languages_say_the_same_things() -> None:
    first, *others = (load_words(language).sentences for language in SPOKEN)
    for other in others:
        assert set(first) == set(other)


def test_both_languages_name_the_same_values() -> None:
    first, *others = (load_words(language).sentences for language in SPOKEN)
    for key, sentence in first.items():
        for other in others:
            assert set(re.findall(r"{(\w+)}", sentence)) == set(re.findall(r"{(\w+)}", other[key])), key


def test_one_of_something_is_said_in_the_singular() -> None:
    words = load_words("en")
    assert words("problems.some", n=1).startswith("One place")
    assert words("problems.some", n=3).startswith("3 places")


def test_a_world_in_another_language_is_shown_in_english() -> None:
    assert load_words("fr").language == "en"


def test_numbers_are_written_as_the_language_does() -> None:
    assert load_words("de").number(1234.5, 1) == "1.234,5"
    assert load_words("en").number(1234.5, 1) == "1,234.5"


def test_a_sentence_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(KeyError):
        load_words("de")("no.such.sentence")
