"""What graphs call characters, and how they cut a text."""

from __future__ import annotations

from gm.api.views.graphs.base import Cast, graph_id, shorten_text


def test_characters_with_the_same_first_name_are_called_in_full() -> None:
    cast = Cast("de", {"ada": "Ada Ähre", "ada-2": "Ada Zwei", "bo": ""})
    assert (cast.called("ada"), cast.called("ada-2"), cast.called("bo")) == ("Ada Ähre", "Ada Zwei", "")


def test_colours_go_round_after_the_last_one() -> None:
    cast = Cast("de", {f"a{n}": "x" for n in range(14)})
    assert [cast.colour(f"a{n}") for n in (0, 11, 12)] == [1, 12, 1]
    assert cast.colour("creative-director") == 0


def test_the_id_of_a_graph_is_fit_for_a_page_for_any_name() -> None:
    assert graph_id("tags", 'Ä "b"') == "tags-_c4__20__22_b_22_"
    assert graph_id("tags") == "tags"


def test_a_text_is_cut_between_words() -> None:
    assert shorten_text("eins zwei   drei vier", 16) == "eins zwei drei…"
    assert shorten_text("donaudampfschifffahrt", 8) == "donauda…"
