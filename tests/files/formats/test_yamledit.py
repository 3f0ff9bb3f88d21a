"""One value of a YAML file changes; comments, indentation, quotes and line ends stay."""

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from gm.files.formats.splice import is_same_value
from gm.files.formats.yamledit import put_at, set_yaml

SETTINGS = """\
# Eine Welt
language: de   # hier
seed:   007
empty:
list: [a, "b", c]  # in einer Zeile
rules:
  - eins   # k1
  # über zwei
  - zwei
  - {x: 1,  y: "2"}

places:
  one: "x"  # Eins
  two: 'y'
# Ende der Orte

premise: |
  Zeile eins
  Zeile zwei

nested:
- a: 1
  b: 2
-   a: 3
    b: 4.50
"""


def edited(path: tuple[str | int, ...], value: Any, old: str, new: str) -> None:
    assert SETTINGS.count(old) == 1
    assert set_yaml(SETTINGS, path, value) == SETTINGS.replace(old, new)
    # the same with carriage returns and a byte order mark
    foreign = "\ufeff" + SETTINGS.replace("\n", "\r\n")
    expected = "\ufeff" + SETTINGS.replace(old, new).replace("\n", "\r\n")
    assert set_yaml(foreign, path, value) == expected


def test_a_plain_value_stays_plain() -> None:
    edited(("language",), "en", "language: de   #", "language: en   #")


def test_a_number_is_written_as_a_number() -> None:
    edited(("seed",), 8, "seed:   007", "seed:   8")


def test_an_empty_value_is_filled() -> None:
    edited(("empty",), "voll", "empty:\n", "empty: voll\n")


def test_a_value_that_needs_quotes_gets_them() -> None:
    edited(("language",), "yes", "language: de ", 'language: "yes" ')
    edited(("language",), "a: b # c", "language: de ", 'language: "a: b # c" ')


def test_quotes_stay_as_they_were() -> None:
    edited(("places", "one"), "neu", '"x"', '"neu"')
    edited(("places", "two"), "it's", "'y'", "'it''s'")


def test_items_of_an_inline_list() -> None:
    edited(("list",), ["a", "c"], '[a, "b", c]', "[a, c]")
    edited(("list", 1), "neu", '[a, "b", c]', '[a, "neu", c]')


def test_items_of_a_list_over_several_lines() -> None:
    edited(("rules",), ["eins", "zwei", {"x": 1, "y": "2"}, "drei"], 'y: "2"}\n', 'y: "2"}\n  - drei\n')
    edited(("rules",), ["zwei", {"x": 1, "y": "2"}], "  - eins   # k1\n", "")
    edited(("rules", 2, "y"), "3", 'y: "2"', 'y: "3"')


def test_the_comment_of_an_item_goes_with_it() -> None:
    edited(("rules",), ["eins"], '  # über zwei\n  - zwei\n  - {x: 1,  y: "2"}\n', "")


def test_a_text_over_several_lines() -> None:
    edited(("premise",), "Neu.\nUnd noch mehr.\n", "Zeile eins\n  Zeile zwei", "Neu.\n  Und noch mehr.")


def test_a_new_key_comes_last_in_its_mapping() -> None:
    edited(("places", "three"), "z", "two: 'y'\n", "two: 'y'\n  three: z\n")
    edited(("nested", 0, "c"), [1, 2], "  b: 2\n", "  b: 2\n  c: [1, 2]\n")
    edited(("model",), "auto", "    b: 4.50\n", "    b: 4.50\nmodel: auto\n")


def test_keys_of_a_mapping_come_and_go() -> None:
    edited(("places",), {"one": "x"}, "  two: 'y'\n", "")
    edited(("places",), {"two": "y"}, '  one: "x"  # Eins\n', "")
    edited(("nested",), [{"a": 3, "b": 4.5}, {"c": 1}], "- a: 1\n  b: 2\n-   a: 3\n    b: 4.50\n",
           "-   a: 3\n    b: 4.50\n- {c: 1}\n")  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "seed: 2\n"),
        ("# nur ein Kommentar", "# nur ein Kommentar\nseed: 2\n"),
        ("{a: 1}\n", "{a: 1, seed: 2}\n"),
        ("a: 1", "a: 1\nseed: 2"),
        ("---\na: 1\n...\n", "---\na: 1\nseed: 2\n...\n"),
        ("a: |\n  x\n\n\n", "a: |\n  x\nseed: 2\n\n\n"),
        ("a: # leer\n", "a: # leer\nseed: 2\n"),
    ],
)
def test_a_first_key(text: str, expected: str) -> None:
    assert set_yaml(text, ("seed",), 2) == expected


def test_what_an_alias_shares_is_not_changed_behind_its_back() -> None:
    text = "a: &x 1\nb: *x\n"
    assert set_yaml(text, ("b",), 2) == "a: &x 1\nb: 2\n"
    with pytest.raises(ValueError, match="cannot be changed in place"):
        set_yaml(text, ("a",), 2)


@pytest.mark.parametrize(("text", "at"), [("a: [1\n", "1, column 4"), ("a: 1\n---\nb: 2\n", "2, column 1")])
def test_what_is_not_one_yaml_document_is_refused(text: str, at: str) -> None:
    with pytest.raises(ValueError, match=f"not YAML: line {at}: "):
        set_yaml(text, ("a",), 2)


def test_a_path_that_leads_nowhere_is_refused() -> None:
    with pytest.raises(ValueError, match="there is no 'b'"):
        set_yaml("a: 1\n", ("b", "c"), 2)


WORDS = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), max_size=12) | st.sampled_from(
    [
        "yes",
        "null",
        "007",
        "1e3",
        "# kein Kommentar",
        "a: b",
        "- x",
        "größer",
        "gro\u0308ßer",
        "zwei\nZeilen\n",
        "\n",
        "'",
        '"',
    ]
)
SCALARS = st.none() | st.booleans() | st.integers() | WORDS | st.floats(allow_nan=False)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3), max_leaves=8
)


@st.composite
def documents(draw: st.DrawFn) -> str:
    """YAML as a program or a person writes it, with comments and either line end."""
    data = draw(
        st.dictionaries(WORDS.filter(lambda key: "\n" not in key and len(key) < 9), VALUES, min_size=1, max_size=4)
    )
    text = yaml.safe_dump(
        data,
        allow_unicode=draw(st.booleans()),
        default_flow_style=draw(st.sampled_from([True, False, None])),
        default_style=draw(st.sampled_from([None, None, "'", '"'])),
        sort_keys=False,
        width=draw(st.sampled_from([20, 1000])),
    )
    text = draw(st.sampled_from(["", "# oben\n", "---\n"])) + text + draw(st.sampled_from(["", "# unten\n", "\n"]))
    return draw(st.sampled_from(["", "\ufeff"])) + (text.replace("\n", "\r\n") if draw(st.booleans()) else text)


def places(data: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    pairs = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return [*([path] if path else []), *(place for key, value in pairs for place in places(value, (*path, key)))]


@given(documents(), st.data())
def test_saving_without_a_change_leaves_every_byte(text: str, data: st.DataObject) -> None:
    content = yaml.safe_load(text.removeprefix("\ufeff"))
    path = data.draw(st.sampled_from(places(content)))
    value = content
    for key in path:
        value = value[key]
    assert set_yaml(text, path, value) == text


@given(documents(), st.data(), VALUES)
def test_what_is_written_reads_back_and_the_rest_stays(text: str, data: st.DataObject, new: Any) -> None:
    content = yaml.safe_load(text.removeprefix("\ufeff"))
    path = data.draw(st.sampled_from(places(content)))
    changed = set_yaml(text, path, new)
    assert is_same_value(yaml.safe_load(changed.removeprefix("\ufeff")), put_at(content, path, new))
    assert ("# unten" in changed) == ("# unten" in text)
    assert ("# oben" in changed) == ("# oben" in text)
    assert changed.startswith("\ufeff") == text.startswith("\ufeff")
