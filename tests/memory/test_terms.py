"""What is typed into a search field finds words in their forms, and says where they stand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gm.base.casefold import casefold_lines, search_key
from gm.memory.terms import matches, needed, spans_of, terms_in


def found(query: str, text: str) -> list[str]:
    terms = terms_in(query, "de")
    assert matches(search_key(text), terms) == bool(spans_of(text, terms))
    return [text[begin:end] for begin, end in spans_of(text, terms)]


@pytest.mark.parametrize(
    ("query", "text", "places"),
    [
        ("Turm", "Die Türme am Ufer", ["Türm"]),
        ("Türme", "Der TURM am Ufer", ["TURM"]),
        ("tuerme", "Die Türme am Ufer", ["Türme"]),
        ("Türme", "Die Tuerme am Ufer", ["Tuerme"]),
        ("Türme", "Die Tu\u0308rme am Ufer", ["Tu\u0308rme"]),
        ("haus", "Zwei Häuser", ["Häus"]),
        ("strasse", "Die Straße", ["Straße"]),
        ("einöde", "In den Aschen-Einöden", ["Einöde"]),
        ("gehen", "Er ging", []),
        ("r&d", "Es war R&D", ["R&D"]),
        ("(", "eine Klammer (", ["("]),
    ],
)
def test_a_word_is_found_in_its_forms_and_spellings(query: str, text: str, places: list[str]) -> None:
    assert found(query, text) == places


def test_every_word_has_to_be_there() -> None:
    assert not matches(search_key("Der Turm"), terms_in("Turm Brücke", "de"))
    assert found("Turm Brücke", "Brücke und Turm") == ["Brücke", "Turm"]


def test_what_stands_between_quotation_marks_is_looked_for_as_it_stands() -> None:
    assert terms_in('"Alte Türme" licht', "de") == (("alte tuerme",), ("licht",))
    assert found("„der Turm“", "der  Turm und Der Turm") == ["der  Turm", "Der Turm"]


def test_places_that_overlap_are_one() -> None:
    assert found("turm knochenturm", "Der Knochenturm") == ["Knochenturm"]


def test_an_umlaut_is_only_looked_for_in_german() -> None:
    assert terms_in("towers", "en") == (("towers", "tower"),)
    assert all("tuerm" in term for term in terms_in("Turm", "de"))


def test_a_form_that_holds_another_one_finds_nothing_beyond_it() -> None:
    assert needed(("towers", "tower")) == ("tower",)
    assert needed(("turm", "tuerm")) == ("turm", "tuerm")


def test_nothing_is_looked_for_with_an_empty_text() -> None:
    assert terms_in('  "" ', "de") == ()
    assert spans_of("Der Turm", ()) == ()


@given(st.lists(st.text(alphabet="aäÄÜßu\u0308oTé &x", max_size=12), min_size=1, max_size=4))
def test_lines_folded_at_once_find_what_single_texts_find(lines: list[str]) -> None:
    folded = casefold_lines("\n".join(lines)).split("\n")
    assert [" ".join(line.split()) for line in folded] == [search_key(line) for line in lines]


@given(st.text(max_size=60), st.text(max_size=20))
def test_spans_lie_in_the_text_one_after_the_other(text: str, query: str) -> None:
    last = -1
    for begin, end in spans_of(text, terms_in(query, "de")):
        assert last < begin < end <= len(text)
        last = end
