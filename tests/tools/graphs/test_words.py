"""What graphs say."""

from __future__ import annotations

from string import Formatter

import pytest

from gm.tools.graphs.base import Cast, graph_id, shortened
from gm.tools.graphs.words import DE, EN, Say


def test_both_languages_say_the_same_things_with_the_same_values() -> None:
    assert DE.keys() == EN.keys()
    for key in DE:
        values = [{name for _, name, _, _ in Formatter().parse(words[key]) if name} for words in (DE, EN)]
        assert values[0] == values[1], key


@pytest.mark.parametrize(
    ("language", "number", "listed"),
    [("de", "−1.234,5", "A, B und C"), ("en", "−1,234.5", "A, B and C"), ("fr", "−1,234.5", "A, B and C")],
)
def test_numbers_and_lists_are_those_of_the_language(language: str, number: str, listed: str) -> None:
    assert Say(language).number(-1234.5, 1) == number
    assert Say(language).listed("ABC") == listed


def test_a_long_list_says_how_many_more_there_are() -> None:
    assert Say("de").listed("ABCDEF", at_most=3) == "A, B und 4 weitere"


def test_characters_with_the_same_first_name_are_called_in_full() -> None:
    cast = Cast("de", {"ada": "Ada Ähre", "ada-2": "Ada Zwei", "bo": ""})
    assert (cast.called("ada"), cast.called("ada-2"), cast.called("bo")) == ("Ada Ähre", "Ada Zwei", "")


def test_colours_go_round_after_the_last_one() -> None:
    cast = Cast("de", {f"a{n}": "x" for n in range(14)})
    assert [cast.colour(f"a{n}") for n in (0, 11, 12)] == [1, 12, 1]
    assert cast.colour("creative-director") == 0


def test_the_id_of_a_graph_is_fit_for_a_page_whatever_the_character_is_called() -> None:
    assert graph_id("tags", 'Ä "b"') == "tags-_c4__20__22_b_22_"
    assert graph_id("tags") == "tags"


def test_a_text_is_cut_between_words() -> None:
    assert shortened("eins zwei   drei vier", 16) == "eins zwei drei…"
    assert shortened("donaudampfschifffahrt", 8) == "donauda…"
