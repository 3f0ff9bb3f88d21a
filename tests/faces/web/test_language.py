"""What the interface says."""

import pytest

from gm.api.words.speech import load_words


def test_one_of_something_is_said_in_the_singular() -> None:
    words = load_words("en", "gm.faces.web")
    assert words("problems.some", n=1).startswith("One place")
    assert words("problems.some", n=3).startswith("3 places")


def test_a_world_in_another_language_is_shown_in_english() -> None:
    assert load_words("fr", "gm.faces.web").language == "en"


def test_a_sentence_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(KeyError):
        load_words("de", "gm.faces.web")("no.such.sentence")
