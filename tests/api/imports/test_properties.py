"""Any card is read or refused in words, and its kept parts are whole."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from gm.api.imports import png
from gm.api.imports.arrival import FormatOptions, ImportSource
from gm.api.imports.cards import DESCRIPTION, PARTS, join_sections, split_sections
from gm.api.imports.fields import clean_line, clean_text, parse_exact, parse_json, render_exact
from gm.api.imports.landing import choose_format
from gm.api.imports.macros import MOST_PASSES, Macros
from gm.base.errors import UsageError
from gm.base.texts import CONTROLS
from tests.api.imports.corpus import v1, v2, v3, with_chunks

TEXTS = st.text(alphabet=st.characters(exclude_categories=()), max_size=40)
PIECES = st.sampled_from(
    [
        "{{char}}",
        "{{user}}",
        "{{random:a,b}}",
        "{{roll:d6}}",
        "{{",
        "}}",
        "{{//",
        "<BOT>",
        "<START>\n",
        "{{user}}: hi\n",
        "\n",
    ]
)
MARKED = st.lists(st.one_of(TEXTS, PIECES), max_size=8).map("".join)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)
FIELDS = ("description", "personality", "scenario", "first_mes", "mes_example", "alternate_greetings", "character_book")
OPTIONS = FormatOptions("en", "Leo", seed=1)


@given(VALUES)
def test_json_is_written_as_it_was_read(value: Any) -> None:
    text = json.dumps(value)
    assert parse_json(render_exact(parse_exact(text, "x")), "x") == value
    assert render_exact(parse_exact(render_exact(parse_exact(text, "x")), "x")) == render_exact(parse_exact(text, "x"))


@given(st.dictionaries(st.sampled_from(FIELDS), st.one_of(MARKED, VALUES), max_size=7), st.sampled_from((v1, v2, v3)))
def test_any_value_in_any_field_is_read_or_named(fields: dict[str, Any], make: Any) -> None:
    source = ImportSource("x.json", make("Vera", **fields), b"{}")
    arrival = choose_format(source).read(source, OPTIONS)
    (person,) = arrival.people
    assert person.name == "Vera"
    assert person.prose.strip()
    for key, value in fields.items():
        if value and not isinstance(value, str | list | dict):
            assert key in {part for part, _ in arrival.left} or (make is v1 and key not in v1(""))


@given(
    st.lists(st.one_of(VALUES, st.fixed_dictionaries({"content": VALUES, "keys": VALUES, "key": VALUES})), max_size=5)
)
def test_any_lorebook_is_read_or_refused(entries: list[Any]) -> None:
    source = ImportSource("x.json", {"entries": entries}, b"{}")
    try:
        arrival = choose_format(source).read(source, OPTIONS)
    except UsageError as error:
        assert error.hint
        return
    assert all(lore.title and lore.text for lore in arrival.lore)


@given(MARKED, TEXTS, TEXTS)
def test_macros_end_and_say_the_same_again(text: str, char: str, user: str) -> None:
    macros = Macros(char, user)
    resolved = macros.resolve(text)
    assert macros.resolve(text) == resolved
    assert len(resolved) <= (len(text) + 1) * (len(char) + len(user) + 8) ** MOST_PASSES


@given(st.dictionaries(st.sampled_from(PARTS), TEXTS, max_size=4), st.sampled_from(("en", "de", "fr")))
def test_sections_are_found_again(parts: dict[str, str], language: str) -> None:
    found = split_sections(join_sections(parts, language))
    assert found == {part: clean_text(parts.get(part, "")) for part in PARTS}
    assert split_sections("no heading")[DESCRIPTION] == "no heading"


@given(TEXTS)
def test_clean_texts_hold_no_controls_and_are_clean(text: str) -> None:
    assert not CONTROLS.search(clean_text(text))
    assert clean_text(clean_text(text)) == clean_text(text)
    assert clean_line(clean_line(text)) == clean_line(text)
    assert clean_line(text).isprintable()


@given(st.binary(max_size=200), st.integers(0, 400))
def test_damaged_pictures_are_refused_in_words(noise: bytes, place: int) -> None:
    data = with_chunks()
    spoiled = data[: place % len(data)] + noise + data[place % len(data) + len(noise) :]
    try:
        assert png.read_text_chunks(spoiled) == {}
    except ValueError as error:
        assert str(error)
