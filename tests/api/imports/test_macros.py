"""Macros of cards: resolved once, the same way each time, without end and without surprise."""

from __future__ import annotations

import pytest

from gm.api.imports.macros import Macros, report_dice

MACROS = Macros("Vera", "Leo", 7)


@pytest.mark.parametrize(
    ("text", "resolved"),
    [
        ("{{char}} and {{USER}}", "Vera and Leo"),
        ("{{ Char }}, <BOT>, <bot>, <User>", "Vera, Vera, Vera, Leo"),
        ("a{{// {{char}} is a spy}}b{{comment: c}}{{hidden_key:d}}", "ab"),
        ("{{reverse:abc}} {{reverse:{{char}}}}", "cba areV"),
        ("{{unknown}} {{original}} {{getvar::x}} {{roll:x}} {{roll:0}} {{roll:d}}", None),
        ("{{random:one}} {{pick:one}} {{random::one}}", "one one one"),
        ("{{random:a\\,b}}", "a,b"),
        ("{char} {{char} }", None),
        ("<START> <br>", None),
        ("", None),
    ],
)
def test_macros_are_resolved(text: str, resolved: str | None) -> None:
    assert MACROS.resolve(text) == (text if resolved is None else resolved)


def test_dice_fall_by_the_seed_of_the_world() -> None:
    text = "{{random:red,green,blue}} {{roll:20}} {{roll:d6}} {{roll:2d6}} {{pick::a::b::c}}"
    first = MACROS.resolve(text)
    colour, twenty, six, twelve, letter = first.split()
    assert colour in ("red", "green", "blue")
    assert 1 <= int(twenty) <= 20
    assert 1 <= int(six) <= 6
    assert 2 <= int(twelve) <= 12
    assert letter in ("a", "b", "c")
    assert MACROS.resolve(text) == first
    assert len({Macros("Vera", "Leo", seed).resolve(text) for seed in range(20)}) > 10


def test_a_name_that_begins_a_sentence_has_a_capital_letter() -> None:
    macros = Macros("Vera", "the Crown's inspector")
    said = "{{user}} knocks. “{{user}} again!” says <user>.\n{{user}} waits for {{user}}."
    resolved = macros.resolve(said)
    assert resolved == (
        "The Crown's inspector knocks. “The Crown's inspector again!” says the Crown's inspector.\n"
        "The Crown's inspector waits for the Crown's inspector."
    )
    assert macros.restore(resolved, said) == said.replace("<user>", "{{user}}")


def test_macros_of_chance_are_told() -> None:
    said = report_dice(["{{char}} {{random:a,b}}", "{{ Roll :d6}} {{random:a,b}}"])
    assert said == [("{{random:a,b}}, {{ Roll :d6}}", "chosen once, now; correct it in the texts")]
    assert report_dice(["{{char}} rolls"]) == []


def test_no_character_is_named_where_none_is_known() -> None:
    assert Macros("", "Leo").resolve("{{char}} <BOT> {{user}}") == "{{char}} <BOT> Leo"


def test_macros_that_bring_macros_end() -> None:
    text = Macros("{{char}}{{char}}", "x").resolve("{{char}}")
    assert len(text) <= 16 * len("{{char}}")
    assert Macros("a", "b").resolve("{{" * 20_000 + "char" + "}}" * 20_000).count("{") >= 20_000


def test_any_names_become_macros_again() -> None:
    said = "{{user}} owes {{char}} money"
    for char, user in (("Vera", "Leo"), ("user", "char"), ("Ann", "Ann Lee"), ("Ann Lee", "Ann")):
        macros = Macros(char, user)
        assert macros.restore(macros.resolve(said), said) == said
    assert MACROS.restore("Veras Leo", "{{char}}") == "Veras Leo", "part of a word, and a name without a macro"
