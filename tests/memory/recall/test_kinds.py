"""Kinds of things that a question names."""

import json

import pytest

from gm.base.casefold import casefold
from gm.files.packaged.kinds import load_kinds, load_things
from gm.files.packaged.shipped import shipped_kinds, shipped_near_words
from gm.memory.recall.kinds import THING, add_things, read_near, things_by_name
from gm.memory.recall.words import is_stop_word, split_words, stem
from tests.memory.recall.asking import asked, numbers, stream

KINDS = json.loads(shipped_kinds().read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("question", "language", "texts"),
    [
        ("Which instruments does she play?", "en", ("I bought a new lamp.", "My violin is out of tune again.")),
        ("Welche Instrumente spielt sie?", "de", ("Ich habe eine neue Lampe.", "Meine Geige ist wieder verstimmt.")),
    ],
)
def test_a_kind_finds_its_things(question: str, language: str, texts: tuple[str, ...]) -> None:
    nodes = stream(*texts)
    assert numbers(asked(nodes, question, signals={}, language=language, things=load_things)) == [2]
    assert not asked(nodes, question, signals={}, language=language).hits, "kinds are handed in"


def test_the_name_itself_says_more_than_a_thing() -> None:
    nodes = stream("Meine Geige ist verstimmt.", "Mein Instrument ist verstimmt.")

    assert numbers(asked(nodes, "Welches Instrument?", signals={}, things=load_things)) == [2, 1]


def test_a_thing_is_a_term_of_the_word_that_names_its_kind() -> None:
    groups = [("instruments", {"instrument": 1.0}), ("vera", {"vera": 1.0})]
    ((word, terms), (other, alone)) = add_things(groups, "en", load_things("en"))

    assert (word, terms["violin"], terms["instrument"]) == ("instruments", THING, 1.0)
    assert (other, alone) == ("vera", {"vera": 1.0})


def test_other_languages_have_no_kinds() -> None:
    assert things_by_name(KINDS, "fr", {}) == {}
    assert load_things("fr") == {}


def test_scenes_have_kinds_without_near_words() -> None:
    assert "violin" in load_kinds("en")["instrument"]
    assert "doctor" in load_things("en")["physician"]
    assert "doctor" not in load_kinds("en")["physician"]


def test_a_word_finds_one_that_means_nearly_the_same() -> None:
    nodes = stream("I have bought a new lamp.", "My doctor sleeps all day.")

    assert numbers(asked(nodes, "What do the physicians do?", signals={}, language="en", things=load_things)) == [2]
    assert not asked(nodes, "What do the physicians do?", signals={}, language="en").hits, "near words are handed in"


def test_the_word_itself_says_more_than_a_near_word() -> None:
    nodes = stream("My doctor sleeps all day.", "My physician sleeps all day.")

    assert numbers(asked(nodes, "What about the physicians?", signals={}, language="en", things=load_things)) == [2, 1]


def test_near_words_come_after_the_things_of_a_kind() -> None:
    things = things_by_name(KINDS, "en", {"instrument": ["tool"], "pup": ["puppy"]})

    assert things["instrument"] == (*things_by_name(KINDS, "en", {})["instrument"], "tool")
    assert things["pup"] == ("puppy",)
    assert "xyzzy" not in things
    assert set(things) == {*things_by_name(KINDS, "en", {}), "pup"}


def test_a_stream_gets_the_things_of_its_own_language() -> None:
    nodes = stream("I have bought a new lamp for the room.", "My violin is out of tune, and it was not for long.")
    found = asked(nodes, "Which instruments does she play?", signals={}, language="de", things=load_things)

    assert numbers(found) == [2], "whatever the language of the world"


def test_near_words_stand_in_one_line_and_are_found_from_each() -> None:
    assert read_near("anim dog pet\ndog pup\n") == {
        "anim": ["dog", "pet"],
        "dog": ["anim", "pup"],
        "pet": ["anim"],
        "pup": ["dog"],
    }


def test_near_words_are_terms_in_order_each_pair_once() -> None:
    lines = [line.split() for line in shipped_near_words("en").read_text(encoding="utf-8").splitlines()]

    assert not shipped_near_words("de").exists()
    assert [first for first, *_ in lines] == sorted({first for first, *_ in lines})
    for first, *others in lines:
        assert others
        assert [first, *others] == sorted({first, *others})
        for term in (first, *others):
            assert split_words(term) == [term]
            assert stem(term, "en") == term, "an index would have another term"


@pytest.mark.parametrize("language", ["de", "en"])
def test_the_things_of_every_name_are_found_by_its_term(language: str) -> None:
    things = things_by_name(KINDS, language, {})
    for kind in KINDS:
        for name in kind["names"][language]:
            assert set(map(casefold, kind["things"][language])) <= set(things[stem(casefold(name), language)]), name
    assert set(things) == {stem(casefold(name), language) for kind in KINDS for name in kind["names"][language]}
    assert len(things) == len(set(things))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind["names"]["en"][0])
def test_every_kind_has_names_and_things_in_both_languages(kind: dict[str, dict[str, list[str]]]) -> None:
    for items in kind.values():
        assert set(items) == {"en", "de"}
        for words in items.values():
            assert words
            assert len(set(words)) == len(words)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind["names"]["en"][0])
def test_every_name_and_thing_is_one_word_with_content(kind: dict[str, dict[str, list[str]]]) -> None:
    words = [(word, language) for items in kind.values() for language, listed in items.items() for word in listed]

    for word, language in words:
        (searched,) = split_words(word)
        assert not is_stop_word(searched, language)
