"""Changing single values of a JSON document of any layout."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gm.files.formats.document import read_document
from gm.files.formats.jsonedit import set_values
from gm.files.layout import Layout

GAPS = st.sampled_from(["", "", " ", "  ", "\t", "\n", "\r\n", "\n    ", "\r\n\t", " \n\n  "])
LETTERS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
NUMBERS = st.sampled_from(["0", "7", "-0", "5.00", "1e3", "0.10", "-12.5E-1", "123456789012345678901234567890"])
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | LETTERS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(LETTERS, inner, max_size=3),
    max_leaves=6,
)


@st.composite
def strings(draw: st.DrawFn) -> str:
    return json.dumps(draw(LETTERS), ensure_ascii=draw(st.booleans()))


@st.composite
def arrays(draw: st.DrawFn, inner: st.SearchStrategy[str]) -> str:
    items = draw(st.lists(st.tuples(GAPS, inner, GAPS), max_size=3))
    return "[" + ",".join("".join(item) for item in items) + (draw(GAPS) if not items else "") + "]"


@st.composite
def objects(draw: st.DrawFn, inner: st.SearchStrategy[str]) -> str:
    entries = draw(st.lists(st.tuples(GAPS, strings(), GAPS, GAPS, inner, GAPS), max_size=3, unique_by=lambda e: e[1]))
    shown = ",".join(f"{a}{key}{b}:{c}{value}{d}" for a, key, b, c, value, d in entries)
    return "{" + shown + "}"


TEXTS = st.recursive(
    NUMBERS | strings() | st.sampled_from(["true", "false", "null"]),
    lambda inner: arrays(inner) | objects(inner),
    max_leaves=6,
)


@dataclass(frozen=True)
class Sheet:
    """A JSON document as a person may have typed it, and where each top-level value stands."""

    text: str
    spans: dict[str, tuple[int, int]]


@st.composite
def sheets(draw: st.DrawFn, fewest: int = 0) -> Sheet:
    text = draw(st.sampled_from(["", "\ufeff"])) + draw(GAPS) + "{"
    spans = {}
    keys = draw(st.lists(LETTERS, min_size=fewest, max_size=4, unique=True))
    for place, key in enumerate(keys):
        text += ("," if place else "") + draw(GAPS) + json.dumps(key, ensure_ascii=draw(st.booleans()))
        text += draw(GAPS) + ":" + draw(GAPS)
        value = draw(TEXTS)
        spans[key] = (len(text), len(text) + len(value))
        text += value + draw(GAPS)
    return Sheet(text + "}" + draw(GAPS), spans)


def load(text: str) -> dict[str, object]:
    data = json.loads(text.removeprefix("\ufeff"))
    assert isinstance(data, dict)
    return data


def exactly(value: object) -> str:
    """JSON knows no equality of 1 and true."""
    return json.dumps(value, sort_keys=True)


@given(sheets())
def test_setting_what_is_already_there_changes_no_byte(sheet: Sheet) -> None:
    assert set_values(sheet.text, load(sheet.text)) == sheet.text


@given(sheets(fewest=1), PLAIN, st.data())
def test_a_changed_value_touches_nothing_outside_its_own_place(
    sheet: Sheet, value: object, data: st.DataObject
) -> None:
    key = data.draw(st.sampled_from(sorted(sheet.spans)))
    begin, end = sheet.spans[key]
    changed = set_values(sheet.text, {key: value})
    assert changed.startswith(sheet.text[:begin])
    assert changed.endswith(sheet.text[end:])
    assert exactly(load(changed)) == exactly(load(sheet.text) | {key: value})


@given(sheets(fewest=1), PLAIN)
def test_a_new_key_goes_behind_the_last_one_and_leaves_the_rest_alone(sheet: Sheet, value: object) -> None:
    key = "new" + "".join(sheet.spans)
    end = max(end for _, end in sheet.spans.values())
    changed = set_values(sheet.text, {key: value})
    assert changed.startswith(sheet.text[:end])
    assert changed.endswith(sheet.text[end:])
    assert list(load(changed)) == [*load(sheet.text), key]
    assert exactly(load(changed)[key]) == exactly(value)


@given(sheets(), st.dictionaries(LETTERS, PLAIN, max_size=3))
def test_all_values_are_there_afterwards(sheet: Sheet, values: dict[str, object]) -> None:
    changed = set_values(sheet.text, values)
    assert exactly(load(changed)) == exactly(load(sheet.text) | values)
    assert set_values(changed, values) == changed


@given(st.dictionaries(LETTERS, PLAIN, max_size=3), st.sampled_from(["", "\ufeff", " \r\n"]))
def test_an_empty_file_becomes_a_document(values: dict[str, object], text: str) -> None:
    assert load(set_values(text, values)) == values


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('{"plan": []}', '{"plan": ["a", "b"]}'),
        ('{\n  "plan": [],\n  "x": 5.00\n}', '{\n  "plan": [\n    "a",\n    "b"\n  ],\n  "x": 5.00\n}'),
        ('{\r\n\t"plan": [\r\n\t\t"z"\r\n\t]\r\n}', '{\r\n\t"plan": [\r\n\t\t"a",\r\n\t\t"b"\r\n\t]\r\n}'),
        ('{"plan": ["z"], "x": {"y":1}}', '{"plan": ["a", "b"], "x": {"y":1}}'),
    ],
    ids=["one line", "indent of two", "tabs and CRLF", "inline"],
)
def test_a_value_is_written_the_way_the_file_writes_values(old: str, new: str) -> None:
    assert set_values(old, {"plan": ["a", "b"]}) == new


def test_true_and_one_are_different_values() -> None:
    assert set_values('{"a": 1}', {"a": True}) == '{"a": true}'
    assert set_values('{"a": [1]}', {"a": [True]}) == '{"a": [true]}'


@pytest.mark.parametrize("text", ["[1]", '"text"', "7"])
def test_what_is_no_object_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a JSON object"):
        set_values(text, {"a": 1})


@pytest.mark.parametrize(
    ("text", "place", "code"),
    [
        (b'{"a": 1,}', (1, 8), "json-syntax"),
        (b'{"a": [1,\n2 ,\n]}', (2, 3), "json-syntax"),
        (b'{"a": 1,', (1, 9), "json-syntax"),
        (b'{\n  "a": 1\n  "b": 2\n}', (3, 3), "json-syntax"),
        (b"[1, 2]", (1, 1), "json-type"),
        (b'{"a": "\xff"}', (1, 8), "not-utf8"),
        (b'{"a": ' + b"[" * 100_000, (1, 1), "json-depth"),
    ],
    ids=["trailing comma", "trailing comma in a list", "cut off", "missing comma", "a list", "not UTF-8", "too deep"],
)
def test_a_broken_document_is_named_with_its_place(
    studio: Layout, text: bytes, place: tuple[int, int], code: str
) -> None:
    studio.bulletin.write_bytes(text)
    document, problems = read_document(studio.bulletin, "state/bulletin.json")
    assert not document.data
    assert [(problem.line, problem.column, problem.code) for problem in problems] == [(*place, code)]


def test_a_comma_too_many_is_named_as_such(studio: Layout) -> None:
    for text in ('{"a": 1,}', '{"a": 1},\n'):
        studio.bulletin.write_text(text, encoding="utf-8")
        (problem,) = read_document(studio.bulletin, "state/bulletin.json")[1]
        assert (problem.message, problem.hint) == ("not JSON: ',' found; nothing comes after it", "take the comma out")


def test_a_quotation_mark_inside_a_text_is_named_as_such(studio: Layout) -> None:
    for text, is_inside in (('{"a": "She said "no" to me."}', True), ('{"a": "x" "b": 1}', False), ('{"a" 1}', True)):
        studio.bulletin.write_text(text, encoding="utf-8")
        (problem,) = read_document(studio.bulletin, "state/bulletin.json")[1]
        assert problem.hint.startswith('a quotation mark inside a text is written \\"') == is_inside


@pytest.mark.parametrize("text", ["{“a”: 1}", '{"a": “x”}', '{"a": «x»}'])
def test_quotation_marks_of_a_word_processor_are_named_as_such(studio: Layout, text: str) -> None:
    studio.bulletin.write_text(text, encoding="utf-8")
    (problem,) = read_document(studio.bulletin, "state/bulletin.json")[1]
    assert problem.hint == 'keys and texts stand between straight quotation marks: "'


def test_an_absent_document_is_empty_and_no_problem(studio: Layout) -> None:
    document, problems = read_document(studio.root / "nothing.json", "nothing.json")
    assert (dict(document.data), document.exists, problems) == ({}, False, [])
