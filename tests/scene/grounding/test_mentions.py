import unicodedata
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gm.base.config import Settings
from gm.scene.grounding.mentions import (
    clip_words,
    content_words,
    find_mentioned_place,
    matter_words,
    mentioned,
    names_piece,
    touches,
)
from tests.build import agent, world

CAST = [agent("emre"), agent("vera", called="Vera Leu"), agent("finn", called="Zoë (sie)")]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Mit Vera sprechen", ("vera",)),
        ("VERA, dann emre", ("vera", "emre")),
        ("Veras Turm", ()),
        ("Leu", ()),
        ("mit Zoë reden", ("finn",)),
        (unicodedata.normalize("NFD", "mit Zoë reden"), ("finn",)),
        ("vera und Vera", ("vera",)),
        ("", ()),
    ],
)
def test_people_are_found_by_id_and_call_name_as_whole_words(text: str, found: tuple[str, ...]) -> None:
    assert mentioned(text, CAST) == found


def test_a_name_may_contain_signs_that_mean_something_in_patterns() -> None:
    assert mentioned("mit C++ reden", [agent("cpp", called="C++ (")]) == ("cpp",)


def test_forms_of_a_word_meet_in_their_beginning() -> None:
    assert touches("Der Knochenturm", ["Arbeiten an: Knochentürme"])
    assert not touches("Der Turm", ["Arbeiten an: Turm"]), "short words carry too little"
    assert not touches("Stundenwind", ["Knochentürme", ""])
    assert not touches("Stundenwind", [])


def test_the_matter_of_a_text_is_in_neither_names_nor_words_of_no_content() -> None:
    one = world(agent("emil"), agent("vera", called="Veronika"), settings=Settings(language="de"))
    assert matter_words(one, "Wieder sollte Veronika eigentlich die Schwelle sehen") == {"schwell", "sehen"}
    french = replace(one, settings=Settings(language="fr"))
    assert matter_words(french, "Wieder die Schwelle") == {"wieder", "schwell"}, "its words are not known"


@given(st.text())
def test_a_text_shares_words_with_itself_when_it_has_any(text: str) -> None:
    assert touches(text, [text]) == bool(content_words(text))


@pytest.mark.parametrize(
    ("text", "title", "is_named"),
    [
        ("Arbeiten an: den Turm, zweite Fassung", "Turm", True),
        ("Arbeiten an: den Turmbau", "Turm", False),
        ("über  »Die   Schwelle« reden", "die schwelle", True),
        ("Die Schwelle ausmessen", "Die Schwelle, von links abgetreten", False),
        ("Die abgetretene Schwelle vermessen", "Die Schwelle, von links abgetreten", True),
        ("Schwellen und Türme zählen", "Schwellen, Türme, Knochen, Zisternen, Stunden", False),
        ("Turm", "", False),
    ],
)
def test_a_text_names_a_piece_by_its_title_or_by_half_of_its_words(text: str, title: str, is_named: bool) -> None:
    assert names_piece(text, title) is is_named


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("Um drei im Flur.", "flur"),
        ("Oben auf der Kuechenterrasse, in der Küche also.", "kueche"),
        ("Im Flur, wenn die Küche voll ist.", ""),
        ("Bei den Fluren.", ""),
        ("Wie immer.", ""),
    ],
)
def test_a_text_names_a_place_if_it_names_exactly_one(text: str, place: str) -> None:
    one = replace(world(agent("vera")), settings=Settings(places={"flur": "", "kueche": "", "holz-lager": ""}))
    assert find_mentioned_place(one, text) == place


def test_words_that_say_nothing_name_no_piece() -> None:
    title = "Woche eins auf einem Blatt"
    assert not names_piece("Ein Wegzettel auf einem Blatt.", title)
    assert names_piece("Das Blatt für die Woche.", title)


def test_weekdays_and_the_form_of_a_text_name_no_piece_beside_other_words() -> None:
    title = "Wochenplan bis Freitag, eine Seite"
    assert not names_piece("Meine Antwort für Freitag, eine Seite.", title)
    assert not names_piece("A first version, on one page.", "Nightfall, first version on a page")
    assert names_piece("Die zweite Seite vom Freitag.", "Freitag, zweite Seite"), "there are no others"


@pytest.mark.parametrize(
    ("text", "clipped"),
    [
        ("Der Turm\n steht.", "Der Turm steht."),
        ("Der Turm steht schief.", "Der Turm …"),
        ("Der Turmbau zu Babel", "Der Turmbau …"),
        ("Donaudampfschiffahrt", "Donaudampfsch …"),
    ],
)
def test_a_text_is_cut_at_a_space_and_never_longer_than_it_may_be(text: str, clipped: str) -> None:
    assert clip_words(text, 15) == clipped
    assert len(clipped) <= 15


def test_a_call_name_is_found_without_its_accents_if_it_is_one_characters_alone() -> None:
    cast = [
        agent("jose-nunez", called="José Núñez"),
        agent("gross", called="Jürgen Groß"),
        agent("rene", called="René"),
    ]
    assert mentioned("Ask Jose, Juergen and Jurgen.", cast) == ("jose-nunez", "gross")
    both = [agent("rene-a", called="René A"), agent("rene-b", called="Rene B")]
    assert mentioned("Rene and René", both) == ("rene-b", "rene-a")
    assert mentioned("Rene", [*both[:1], agent("rene-c", called="Renè C")]) == ()
