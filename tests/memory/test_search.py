import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gm.base.casefold import casefold_lines, search_key
from gm.memory.search import find_term_spans, keep_needed, matches, needles_in, needles_of, says_exactly, terms_in


def test_a_vowel_of_two_letters_that_has_no_umlaut_is_not_turned() -> None:
    assert not matches(search_key("die neuen Leute"), terms_in("Neun", "de"))
    assert matches(search_key("neun Leute"), terms_in("Neun", "de"))


def test_another_form_of_a_word_matches_but_not_exactly() -> None:
    terms = terms_in("Turm", "de")
    assert [matches(search_key(text), terms) for text in ("Der Turm", "Die Türme")] == [True, True]
    assert [says_exactly(search_key(text), terms) for text in ("Der Turm", "Die Türme")] == [True, False]


def found(query: str, text: str) -> list[str]:
    terms = terms_in(query, "de")
    assert matches(search_key(text), terms) == bool(find_term_spans(text, terms))
    return [text[begin:end] for begin, end in find_term_spans(text, terms)]


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
    assert keep_needed(("towers", "tower")) == ("tower",)
    assert keep_needed(("turm", "tuerm")) == ("turm", "tuerm")


def test_nothing_is_looked_for_with_an_empty_text() -> None:
    assert terms_in('  "" ', "de") == ()
    assert find_term_spans("Der Turm", ()) == ()


@given(st.lists(st.text(alphabet="aäÄÜßu\u0308oTé &x", max_size=12), min_size=1, max_size=4))
def test_lines_folded_at_once_find_what_single_texts_find(lines: list[str]) -> None:
    folded = casefold_lines("\n".join(lines)).split("\n")
    assert [" ".join(line.split()) for line in folded] == [search_key(line) for line in lines]


@given(st.text(max_size=60), st.text(max_size=20))
def test_spans_lie_in_the_text_one_after_the_other(text: str, query: str) -> None:
    last = -1
    for begin, end in find_term_spans(text, terms_in(query, "de")):
        assert last < begin < end <= len(text)
        last = end


def stands_in(needles: tuple[bytes, ...], text: str) -> bool:
    """Return whether a line with a text has one of the needles, however the line is written."""
    lines = [json.dumps({"text": text}, ensure_ascii=escaped).encode().lower() for escaped in (False, True)]
    return all(any(needle in line for needle in needles) for line in lines)


@given(st.text(alphabet='aeouäöüßsSkKtÄı\u0308ſŉﬁİ/\\"-1 ;', max_size=16), st.data())
def test_a_line_that_matches_has_one_of_the_needles(text: str, data: st.DataObject) -> None:
    key = search_key(text)
    begin = data.draw(st.integers(0, len(key)))
    form = key[begin : data.draw(st.integers(begin, len(key)))].strip()
    needles = needles_of([(form,), ("t", "trotz")] if "t" in key else [(form,)])
    assert not needles or stands_in(needles, text)


def test_no_letter_is_spelled_as_a_needle_that_does_not_stand_there() -> None:
    for letter in map(chr, (*range(0x80, 0xD800), *range(0xE000, sys.maxunicode + 1))):
        if not letter.isprintable() or letter.isspace():
            continue
        around = search_key(f"xyz {letter} zyx")
        spelled = around.removeprefix("xyz").removesuffix("zyx").strip()
        needles = needles_of([(f"{spelled}xyz",)])
        assert needles[0].startswith(b"xyz") or stands_in(needles[1:], letter), letter


def test_the_term_that_says_most_is_sought() -> None:
    assert needles_of(terms_in("Turm Knochenbrücke", "en"))[0] == b"nochenbr"
    assert needles_of([("turm", "tuerm")]) == ()
    assert needles_of([]) == ()


def test_needles_whose_first_byte_is_nowhere_are_not_sought() -> None:
    assert needles_in(b"ein turm", (b"turm", b"tor", b"\\u", b"\xc5\xbf")) == [b"turm", b"tor"]
