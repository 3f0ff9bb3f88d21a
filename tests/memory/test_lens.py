"""Lenses bend texts as their words say, keep the original, and run nothing."""

from __future__ import annotations

from typing import Any

import pytest

from gm.base.config import Settings
from gm.memory.lens import (
    MOST_CHARACTERS,
    MOST_WORDS,
    Lens,
    boosts_of,
    form_through,
    lenses_of,
    parse_lenses,
    read_through,
)
from gm.model.persona import Persona
from gm.model.state import AgentState
from gm.model.world import Agent
from tests.build import node


def lens(at: str = "formation", **values: Any) -> Lens:
    (found,), problems = parse_lenses([{"at": at, **values}])
    assert problems == []
    return found


def test_words_are_replaced_whole_in_any_spelling_and_a_star_takes_any_ending() -> None:
    gloomy = lens(replace={"gut": "halbwegs brauchbar", "gelung*": "geraten", "TÜR": "Falle"})
    assert gloomy.apply("Gut: Es ist gut gelungen, die Tür, die Güte.") == (
        "Halbwegs brauchbar: Es ist halbwegs brauchbar geraten, die Falle, die Güte."
    )
    assert gloomy.apply("Die Tu\u0308r") == "Die Falle"


def test_a_sentence_is_added_at_the_end() -> None:
    assert lens(add="Wie immer.").apply("Er kam zu spät.") == "Er kam zu spät. Wie immer."


def test_what_a_lens_says_is_no_pattern_and_no_template() -> None:
    tricky = lens(replace={"turm": r"\1 {{ 7*7 }} \g<0>"})
    assert tricky.apply("Der Turm.") == r"Der \1 {{ 7*7 }} \g<0>."


def test_a_formation_bends_text_weight_and_feeling_and_keeps_the_original() -> None:
    bent = form_through(
        "Finn hat es gut gemacht.", 6, ["finn"], {"valence": 0.4},
        [lens(name="neid", when={"tags": ["Finn"]}, replace={"gut": "leidlich"}, importance=-9, valence=-2)],
    )  # fmt: skip
    assert bent.description == "Finn hat es leidlich gemacht."
    assert bent.importance == 1
    assert bent.metadata == {
        "valence": -1.0,
        "original": "Finn hat es gut gemacht.",
        "original_importance": 6,
        "original_valence": 0.4,
        "lens": ["neid"],
    }


def test_what_a_lens_does_not_concern_stays_as_it_is() -> None:
    only_finn = lens(when={"tags": ["finn"], "words": ["lob*"]}, replace={"gut": "leidlich"})
    assert form_through("Alles gut.", 5, ["leo"], {}, [only_finn]).metadata == {}
    assert form_through("Gut, dass er lobte.", 5, ["leo"], {}, [only_finn]).description == "Leidlich, dass er lobte."
    assert form_through("Nichts davon.", 5, ["finn"], {}, [only_finn]).metadata == {}


def test_lenses_bend_one_after_another() -> None:
    two = [lens(name="a", replace={"rot": "blau"}), lens(name="b", replace={"blau": "grau"})]
    bent = form_through("Alles rot.", 5, [], {}, two)
    assert (bent.description, bent.metadata["original"], bent.metadata["lens"]) == (
        "Alles grau.",
        "Alles rot.",
        ["a", "b"],
    )


def test_a_retrieval_lens_changes_how_a_memory_reads_and_not_the_memory() -> None:
    memory = node(description="Wir hatten Streit.")
    assert read_through(memory, [lens("retrieval", name="mild", replace={"Streit": "eine Meinung"})]) == (
        "Wir hatten eine Meinung.", ("mild",),
    )  # fmt: skip
    assert memory.description == "Wir hatten Streit."
    assert read_through(memory, [lens(replace={"Streit": "Krieg"})]) == ("Wir hatten Streit.", ())


def test_an_association_names_the_tags_that_come_up() -> None:
    towers = lens("association", when={"words": ["turm*"]}, boost={"tags": ["Vera"], "by": 0.4})
    assert boosts_of("Der Türmer am Turmfuß", [towers]) == {"vera": 0.4}
    assert boosts_of("Der Garten", [towers]) == {}
    assert boosts_of("Der Turm", [towers, towers]) == {"vera": 0.8}


@pytest.mark.parametrize(
    ("value", "keys", "said"),
    [
        ({"at": "formation"}, (), "expected a list"),
        (["bent"], (0,), "expected an object with at, name, when"),
        ([{"at": "dreaming", "add": "x"}], (0, "at"), "one of formation, retrieval, association"),
        ([{"add": "x"}], (0,), "one of formation"),
        ([{"at": "formation"}], (0,), "changes nothing"),
        ([{"at": "retrieval", "add": "x", "importance": 2}], (0, "importance"), '"importance" is not a key of a lens'),
        ([{"at": "formation", "importance": 12}], (0, "importance"), "from -9 to 9"),
        ([{"at": "formation", "importance": 1.5}], (0, "importance"), "a whole number"),
        ([{"at": "formation", "valence": "bad"}], (0, "valence"), "a number from -2 to 2"),
        ([{"at": "formation", "replace": {"(a+)+$": "b"}}], (0, "replace", "(a+)+$"), "single words to texts"),
        ([{"at": "formation", "replace": {"gut": 3}}], (0, "replace", "gut"), 'replace holds ["gut", 3], expected'),
        (
            [{"at": "formation", "add": "x", "when": {"words": ["zwei Worte"]}}],
            (0, "when", "words", 0),
            "expected a list of single words",
        ),
        (
            [{"at": "formation", "add": "x", "when": {"mood": "wütend"}}],
            (0, "when", "mood"),
            '"mood" is not a key of when',
        ),
        ([{"at": "association", "boost": {"by": 2}}], (0, "boost"), "tags"),
        ([{"at": "association", "boost": {"tags": ["a"], "by": 99}}], (0, "boost", "by"), "from 0 to 10"),
    ],
)
def test_a_lens_that_makes_no_sense_is_named_at_its_place_and_left_out(
    value: object, keys: tuple[str | int, ...], said: str
) -> None:
    lenses, problems = parse_lenses(value)
    assert lenses == ()
    assert problems[0].place == keys
    assert said in problems[0].message


def test_lenses_of_the_world_hold_for_the_characters_they_name() -> None:
    shared = ({"at": "retrieval", "add": "So.", "who": ["Vera"]}, {"at": "retrieval", "add": "Ja."})
    vera = Agent("vera", AgentState("Vera"), Persona({"lenses": [{"at": "retrieval", "add": "Ach."}]}))
    emre = Agent("emre", AgentState("Emre"))
    settings = Settings(lenses=shared)
    assert [item.add for item in lenses_of(settings, vera)] == ["Ach.", "So.", "Ja."]
    assert [item.add for item in lenses_of(settings, emre)] == ["Ja."]
    assert lenses_of(Settings(), emre) == ()


def test_a_lens_has_texts_and_mappings_of_bounded_size() -> None:
    many = {f"wort{number}": "x" for number in range(MOST_WORDS + 1)}
    wrong: list[tuple[dict[str, Any], str, str]] = [
        ({"replace": many}, "replace", f"expected a mapping of at most {MOST_WORDS} single words"),
        ({"replace": ["gut"]}, "replace", "expected a mapping"),
        ({"replace": {"gut": "x" * (MOST_CHARACTERS + 1)}}, "replace", "single words to texts"),
        ({"add": 7}, "add", "add is 7, expected a text"),
        ({"add": "x" * (MOST_CHARACTERS + 1)}, "add", f"expected a text of at most {MOST_CHARACTERS}"),
    ]
    for values, key, said in wrong:
        lenses, problems = parse_lenses([{"at": "formation", **values}])
        assert lenses == ()
        assert problems[0].keys[:2] == (0, key)
        assert said in problems[0].message
    fits = {"replace": dict(list(many.items())[:-1]), "add": "x" * MOST_CHARACTERS}
    assert not parse_lenses([{"at": "formation", **fits}])[1]


def test_a_lens_that_changed_nothing_is_not_named() -> None:
    lenses = [lens("retrieval", name="blind", replace={"Turm": "Haus"}), lens("retrieval", name="mild", add="Wohl.")]
    assert read_through(node(description="Es regnet."), lenses) == ("Es regnet. Wohl.", ("mild",))
