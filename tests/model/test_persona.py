"""Personas: their front matter, and sentences of the prose that hold until the character writes what occupies it."""

from __future__ import annotations

import pytest

from gm.model.front import FRONT, GROUPS, TOPIC, WORK, Front, Topic, Work
from gm.model.persona import Persona, has_sentence


@pytest.mark.parametrize(
    ("prose", "sentence", "left"),
    [
        ("Ja. Nur Stille. Nein.", "Nur Stille.", "Ja. Nein."),
        ("Nur Stille. Nein.", "Nur Stille.", "Nein."),
        ("Ja. Nur Stille.", "Nur Stille.", "Ja."),
        ("## Eins\n\nNur Stille.\n\n## Zwei\nNein.", "Nur Stille.", "## Eins\n\n## Zwei\nNein."),
        ("## Eins\nNur Stille. Nein.", "Nur Stille.", "## Eins\nNein."),
        ("Ja.  \nNur\n  Stille. Nein.", "Nur Stille.", "Ja.  \nNein."),
        ("Ja. Nur Stille.\n\nNein.", " Nur  Stille. ", "Ja.\n\nNein."),
        ("Was? (a+)+$ .* Nein.", "(a+)+$ .*", "Was? Nein."),
        ("Ja. Nein.", "Nur Stille.", "Ja. Nein."),
        ("Ja. Nein.", " ", "Ja. Nein."),
    ],
)
def test_a_sentence_goes_with_the_space_before_it(prose: str, sentence: str, left: str) -> None:
    persona = Persona({"until_now": [sentence]}, prose)
    assert persona.lasting == left
    assert persona.prose == prose


@pytest.mark.parametrize("listed", [None, "Ja.", {"Ja.": 1}, [3, None, ["Ja."]]])
def test_what_is_no_list_of_texts_marks_nothing(listed: object) -> None:
    assert Persona({"until_now": listed}, "Ja. Nein.").lasting == "Ja. Nein."


def test_a_sentence_is_found_however_the_lines_are_broken() -> None:
    assert has_sentence("Und nur\n   eine Stille.", "nur eine Stille.")
    assert not has_sentence("Und nur\n   eine Stille.", "nur eine  Stille!")


TALK = {"tag": "a", "words": "b"}
RAG, LIMIT = "false, or settings as under rag in gm.yaml", "a whole number, at least 0, or null"


def problems_of(front: dict[str, object]) -> list[tuple[object, str, str]]:
    """Return the place, the code and the message of every problem."""
    return [(error.place, error.code, error.message) for error in FRONT.problems(front)]


def test_every_key_has_a_sentence_and_an_example_that_fits() -> None:
    for key in (*FRONT.keys, *TOPIC.keys, *WORK.keys):
        assert key.sentence
        assert not key.sentence.endswith(".")
        assert key.kind.fits(key.example), key.name
    examples = {key.name: key.example for key in FRONT.keys}
    assert problems_of(examples) == []
    assert (
        Front(**{name: getattr(Persona(examples).front_values, name) for name in examples})
        == Persona(examples).front_values
    )


def test_the_headings_hold_every_key_once() -> None:
    listed = [key.name for keys in GROUPS.values() for key in keys]
    assert listed == [key.name for key in FRONT.keys]
    assert len(listed) == len(set(listed))
    assert {*listed} == {*Front.__dataclass_fields__}


@pytest.mark.parametrize(
    ("front", "expected"),
    [
        ({"roll": "Doctor"}, (("roll",), "persona-key", '"roll" is not a key of a persona')),
        ({"traits": 5}, (("traits",), "persona-value", "traits is 5, expected a list of texts, or one text")),
        ({"lines": ["Yes.", {"No": 1}]}, (("lines", 1), "persona-value", 'found {"No": 1}, expected a text')),
        ({"voice": {"humour": 3}}, (("voice", "humour"), "persona-value", "found 3, expected a text")),
        ({"friends": {"otto": [1]}}, (("friends", "otto"), "persona-value", "found [1], expected a text")),
        ({"quarrels": [4]}, (("quarrels", 0), "persona-value", "found 4, expected the id of a character")),
        ({"color": "red"}, (("color",), "persona-value", 'color is "red", expected a colour in quotes: "#2f6b5e"')),
        ({"age": True}, (("age",), "persona-value", "age is true, expected a whole number, or a text")),
        ({"works": [{"title": "x"}]}, (("works", 0), "persona-value", "task is missing, expected a text")),
        ({"topics": [TALK | {"x": 1}]}, (("topics", 0, "x"), "persona-key", '"x" is not a key of a topic')),
        ({"rag": True}, (("rag",), "persona-value", f"rag is true, expected {RAG}")),
        ({"rag": {"limt": 3}}, (("rag", "limt"), "persona-key", "no setting is called 'limt'")),
        ({"rag": {"limit": "x"}}, (("rag", "limit"), "persona-value", f'rag.limit is "x", expected {LIMIT}')),
        ({"mode": "ask"}, (("mode",), "persona-value", 'mode is "ask", expected one of inject, discover')),
    ],
)
def test_what_does_not_fit_is_named_with_its_place(front: dict[str, object], expected: object) -> None:
    assert problems_of(front) == [expected]


def test_the_hint_of_a_misspelt_key_names_the_nearest_and_the_way_to_keep_it() -> None:
    (error,) = FRONT.problems({"roll": "Doctor"})
    assert error.hint == "did you mean role?; a key of your own begins with _"


@pytest.mark.parametrize(
    "front", [{}, {"_notes": {"any": 1}}, {"friends": None, "rag": False}, {"friends": {"otto": None}, "voice": "Low."}]
)
def test_what_may_stand_there_is_no_problem(front: dict[str, object]) -> None:
    assert problems_of(front) == []


def test_values_that_do_not_fit_count_as_absent_and_lists_keep_their_readable_items() -> None:
    front = {
        "name": 7,
        "traits": "quick",
        "lines": ["Yes.", 3],
        "voice": {"sentences": "Short.", "humour": 3},
        "friends": {"otto": 4, "nami": "Old."},
        "quarrels": ["emre", 3],
        "roles": {"dnd": "Pim", "x": 1},
        "topics": [{"tag": " a ", "words": "b"}, "c"],
        "works": [{"task": "Draw"}, {"title": "x"}],
        "color": "red",
    }
    found = Persona(front).front_values
    assert (found.name, found.color, found.traits, found.lines) == ("", "", ("quick",), ("Yes.",))
    assert (found.voice, found.roles) == (("Short.",), {"dnd": "Pim"})
    assert (found.friends, found.quarrels) == ({"otto": "", "nami": "Old."}, {"emre": ""})
    assert (found.topics, found.works) == ((Topic("a", "b"),), (Work("Draw", "Draw"),))
    assert found.sentences("lines") == ("Yes.",)


def test_two_personas_are_equal_when_their_files_say_the_same() -> None:
    assert Persona({"name": "Mina"}, "x") == Persona({"name": "Mina"}, "x") != Persona({"name": "Otto"}, "x")
