"""A persona: which sentences of its prose hold only until the character writes what occupies it."""

from __future__ import annotations

import pytest

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
